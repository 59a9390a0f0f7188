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

/** What a name is without case, `_` and `-`. */
const plain = (name: string) => name.replaceAll(/[_-]/g, '').toLowerCase()

/**
 * Returns an issue for each field whose name is nearly one of the schema. `path` names the value.
 * Other unknown fields are ignored.
 */
export function findMisspelled(schema: $ZodType, value: unknown, path: string): Issue[] {
  const { def } = (schema as $ZodTypes)._zod
  if (def.type === 'array' && Array.isArray(value))
    return value.flatMap((element, i) => findMisspelled(def.element, element, `${path}[${i}]`))
  if (typeof value !== 'object' || value === null) return []
  const fields = fieldsOf(schema)
  const names = new Map(Object.keys(fields).map((field) => [plain(field), field]))
  return Object.entries(value).flatMap(([name, content]): Issue[] => {
    const fieldPath = path ? `${path}.${name}` : name
    const field = Object.hasOwn(fields, name) && fields[name]
    if (field) return findMisspelled(field, content, fieldPath)
    const meant = names.get(plain(name))
    return meant
      ? [{ path: fieldPath, code: 'unknown_field', message: `unknown; did you mean ${meant}?` }]
      : []
  })
}
