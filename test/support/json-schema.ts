import { type $ZodType, toJSONSchema } from 'zod/v4/core'

/** What tests read of a JSON schema. */
export type JsonSchema = {
  type?: string
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  /** Rules that an object has exactly one of some fields. */
  allOf?: { oneOf?: { required?: string[] }[] }[]
}

/** Returns the JSON schema of what a request may have, without references. */
export function jsonSchemaOf(schema: $ZodType): JsonSchema {
  const { $defs = {}, ...root } = toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return inlined(root, $defs) as JsonSchema
}

function inlined(part: unknown, definitions: Record<string, unknown>): unknown {
  if (Array.isArray(part)) return part.map((element) => inlined(element, definitions))
  if (typeof part !== 'object' || part === null) return part
  if ('$ref' in part)
    return inlined(definitions[String(part.$ref).replace('#/$defs/', '')], definitions)
  const entries = Object.entries(part).map(([key, value]) => [key, inlined(value, definitions)])
  return Object.fromEntries(entries)
}
