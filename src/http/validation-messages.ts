/**
 * Messages for values that break a rule, where a schema has no message of its own. Importing this
 * file replaces zod's messages everywhere.
 */
import * as z from 'zod'
import { type $ZodCheck, type $ZodRawIssue, $ZodType } from 'zod/v4/core'
import { fieldsOf, nearestName } from './names.ts'

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
