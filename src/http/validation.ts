/** Finds names in a request that are mistakes: they would be ignored without a word. */

import * as z from 'zod'
import { type $ZodCheck, type $ZodRawIssue, $ZodType, type $ZodTypes } from 'zod/v4/core'
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

z.config({ customError: (issue) => issueMessage(issue) })

/** By the name of the type in the schema. */
const types: Record<string, string> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be an integer',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
  null: 'must be null',
}

/** By the name of the format in the schema. */
const formats: Record<string, string> = {
  email: 'must be an e-mail address',
  url: 'must be a URL',
  uuid: 'must be a UUID',
}

function issueMessage(issue: $ZodRawIssue): string {
  const isOfValue = issue.code === 'invalid_type' || issue.code === 'invalid_value'
  if (isOfValue && issue.input === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      // Queries and forms may have a name twice.
      if (issue.expected === 'string' && Array.isArray(issue.input)) return 'must be a single text'
      return types[issue.expected] ?? 'has the wrong type'
    case 'invalid_value':
      return `must be ${alternatives(issue.values)}`
    case 'invalid_format':
      return formats[issue.format] ?? 'has the wrong form'
    case 'too_big':
      return `must ${describeSize(issue.origin, 'at most', Number(issue.maximum))}`
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'must not be empty'
        : `must ${describeSize(issue.origin, 'at least', Number(issue.minimum))}`
    case 'unrecognized_keys':
      return `has unknown keys: ${issue.keys.join(', ')}${suggestion(issue.keys, issue.inst)}`
    default:
      return 'is not valid'
  }
}

/** `schema`: the object that does not have these keys. */
function suggestion(keys: readonly string[], schema: $ZodType | $ZodCheck | undefined): string {
  const known = schema instanceof $ZodType ? Object.keys(fieldsOf(schema)) : []
  const meant = keys.flatMap((key) => nearestName(key, known) ?? [])
  return meant.length > 0 ? `; did you mean ${meant.join(', ')}?` : ''
}

const alternatives = (values: readonly unknown[]): string =>
  (values.length > 1 ? 'one of ' : '') + values.map((value) => JSON.stringify(value)).join(', ')

function describeSize(origin: string, limit: string, size: number): string {
  if (origin === 'string') return `have ${limit} ${size} characters`
  if (origin === 'array') return `have ${limit} ${size} elements`
  return `be ${limit} ${size}`
}
