import { type $ZodType, toJSONSchema } from 'zod/v4/core'

/** What tests read of a JSON schema. */
export type JsonSchema = {
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
}

/** Returns the JSON schema of what a request may have, without references. */
export function jsonSchemaOf(schema: $ZodType): JsonSchema {
  const { $defs = {}, ...root } = toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return inlined(root, $defs) as JsonSchema
}

/** Returns the names of the fields that a request may have, in an object or in each of a list. */
export const fieldsOf = (schema: $ZodType): string[] => namesIn(jsonSchemaOf(schema))

const namesIn = ({ properties = {}, items, anyOf = [] }: JsonSchema): string[] => [
  ...Object.keys(properties),
  ...[...(items ? [items] : []), ...anyOf].flatMap(namesIn),
]

function inlined(part: unknown, definitions: Record<string, unknown>): unknown {
  if (Array.isArray(part)) return part.map((element) => inlined(element, definitions))
  if (typeof part !== 'object' || part === null) return part
  if ('$ref' in part)
    return inlined(definitions[String(part.$ref).replace('#/$defs/', '')], definitions)
  const entries = Object.entries(part).map(([key, value]) => [key, inlined(value, definitions)])
  return Object.fromEntries(entries)
}
