/** Finds names in a request that are mistakes: they would be ignored without a word. */
import type { $ZodType, $ZodTypes } from 'zod/v4/core'
import type { Issue } from './errors.ts'

/** The fields of an object, also of one that is optional, refined or an alternative; else none. */
export function fieldsOf(schema: $ZodType): Readonly<Record<string, $ZodType>> {
  const { def } = (schema as $ZodTypes)._zod
  if (def.type === 'object') return def.shape
  if (def.type === 'union') return Object.assign({}, ...def.options.map(fieldsOf))
  return 'innerType' in def ? fieldsOf(def.innerType) : {}
}

/** Whether an object takes no other fields. */
function isClosed(schema: $ZodType): boolean {
  const { def } = (schema as $ZodTypes)._zod
  if (def.type === 'object') return def.catchall?._zod.def.type === 'never'
  return 'innerType' in def && isClosed(def.innerType)
}

/** What a name is without case, `_` and `-`. */
const plain = (name: string) => name.replaceAll(/[_-]/g, '').toLowerCase()

/** Returns which of the names is nearly this one. */
export const nearestName = (name: string, known: readonly string[]): string | undefined =>
  known.find((other) => plain(other) === plain(name))

/**
 * Returns an issue for each field whose name is nearly one of the schema, and for each unknown one of
 * a strict object. `path` names the value. Other unknown fields are ignored.
 */
export function findMisspelled(schema: $ZodType, value: unknown, path: string): Issue[] {
  const { def } = (schema as $ZodTypes)._zod
  if (def.type === 'array' && Array.isArray(value))
    return value.flatMap((element, i) => findMisspelled(def.element, element, `${path}[${i}]`))
  if (typeof value !== 'object' || value === null) return []
  const fields = fieldsOf(schema)
  const names = Object.keys(fields)
  return Object.entries(value).flatMap(([name, content]): Issue[] => {
    const fieldPath = path ? `${path}.${name}` : name
    const field = Object.hasOwn(fields, name) && fields[name]
    if (field) return findMisspelled(field, content, fieldPath)
    const meant = nearestName(name, names)
    if (!meant && !isClosed(schema)) return []
    const message = meant ? `did you mean ${meant}?` : `there are ${names.join(', ')}`
    return [{ path: fieldPath, code: 'unknown_field', message: `unknown; ${message}` }]
  })
}
