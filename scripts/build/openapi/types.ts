/** What schemas look like in the document. */
import type * as z from 'zod'
import type { ZodOpenApiOverride } from 'zod-openapi'
import { lineNumber } from '../../../src/catalogue/routes.ts'
import { idText, pageLength } from '../../../src/http/inputs.ts'
import { catalogueLimits, orderLimits } from '../../../src/limits.ts'
import { References } from '../../../src/marketplace/query.ts'
import { OrderIds } from '../../../src/orders/routes.ts'

type JsonSchema = Parameters<ZodOpenApiOverride>[0]['jsonSchema']

const id: JsonSchema = { type: 'integer', minimum: 1, maximum: 999_999_999_999_999 }
const orderId: JsonSchema = { type: 'integer', minimum: 1, format: 'int64' }

/** A number, or `externalId:` and an id. */
const reference: JsonSchema = {
  type: ['integer', 'string'],
  minimum: 1,
  maximum: 999_999_999_999_999,
  pattern: '^([1-9]\\d{0,14}|externalId:.+)$',
}

/** What the texts of paths and queries stand for. */
const meanings = new Map<z.core.$ZodType, JsonSchema>([
  [idText, id],
  [lineNumber, { type: 'integer', minimum: 1, maximum: 999_999 }],
  [pageLength, { type: 'integer', minimum: 1, maximum: 100 }],
  [
    References.shape.ids,
    { type: 'array', items: reference, minItems: 1, maxItems: catalogueLimits.named.max },
  ],
  [
    OrderIds.shape.order_ids,
    { type: 'array', items: orderId, minItems: 1, maxItems: orderLimits.perCall.max },
  ],
])

/** Returns the entry of a schema, or of the schema that it copies with another description. */
function meaningOf(schema: z.core.$ZodType | undefined): JsonSchema | undefined {
  return schema && (meanings.get(schema) ?? meaningOf(schema._zod.parent))
}

export const override: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  const meaning = meaningOf(zodSchema)
  if (meaning) {
    delete jsonSchema.pattern
    Object.assign(jsonSchema, structuredClone(meaning))
  }
  const { def } = zodSchema._zod
  // Zod leaves the default of a text out that stands for a number.
  if (def.type === 'default' && io === 'input') jsonSchema.default ??= def.defaultValue
  // The format says it, and 3.1 has no such encoding.
  if (jsonSchema.format === 'binary') delete jsonSchema.contentEncoding
  // Patterns that only repeat the format.
  if (jsonSchema.format) delete jsonSchema.pattern
  joinNull(jsonSchema)
  if (jsonSchema.type === 'integer') tidyInteger(jsonSchema, io)
}

/** Removes bounds that say nothing. Ids and sums need more than 32 bits. */
function tidyInteger(schema: JsonSchema, io: 'input' | 'output'): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (io === 'output' && schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if ((schema.maximum ?? Number.MAX_SAFE_INTEGER) > 2 ** 31) schema.format = 'int64'
}

/** `anyOf: [{ type: 'string' }, { type: 'null' }]` → `type: ['string', 'null']`. */
function joinNull(schema: JsonSchema): void {
  const [value, nothing, ...others] = schema.anyOf ?? []
  if (nothing?.type !== 'null' || others.length > 0) return
  if (typeof value?.type !== 'string' || value.type === 'object') return
  const { description = value.description } = schema
  delete schema.anyOf
  Object.assign(schema, value, { type: [value.type, 'null'] }, description && { description })
  if (schema.enum) schema.enum = [...schema.enum, null]
}
