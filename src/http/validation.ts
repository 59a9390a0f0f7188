/**
 * What is wrong with a request: names that are mistakes, which would be ignored without a word, and
 * issues of what a schema has rejected. Importing this file replaces zod's messages everywhere.
 */
import * as z from 'zod'
// Imported by name: `z.core` would bundle the error messages of every language.
import {
  type $ZodCheck,
  type $ZodIssue,
  type $ZodRawIssue,
  $ZodType,
  type $ZodTypes,
  toDotPath,
} from 'zod/v4/core'
import { ApiError, type Issue, rejected } from './errors.ts'

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
const nearestName = (name: string, known: readonly string[]): string | undefined =>
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
    case 'too_small': {
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty'
      const limit = issue.inclusive === false ? 'more than' : 'at least'
      return `must ${describeSize(issue.origin, limit, Number(issue.minimum))}`
    }
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

/**
 * Returns one issue for each field: what is wrong with a value may also break rules that follow
 * from it. `root` names a value that is an array.
 */
export function toIssues(found: readonly $ZodIssue[], root = ''): Issue[] {
  const issues = new Map<string, Issue>()
  for (const { path, message, ...issue } of found) {
    // `toDotPath` would put the name of a header in brackets and quotes.
    const isFlat = path.length === 1 && !root
    const field = isFlat ? String(path[0]) : path.length > 0 ? root + toDotPath(path) : ''
    // See `without`.
    const isCharacter = issue.code === 'custom' && issue.params?.code === 'invalid_character'
    const code = isCharacter ? 'invalid_character' : 'invalid_input'
    if (!issues.has(field)) issues.set(field, { path: field, code, message })
  }
  return [...issues.values()]
}

/** The error for what a schema has rejected. `root` names a value that is an array. */
export function invalidInput(found: readonly $ZodIssue[], root = ''): ApiError {
  const [first, ...others] = toIssues(found, root)
  return first
    ? rejected([first, ...others])
    : new ApiError('invalid_input', 'the request is not valid')
}
