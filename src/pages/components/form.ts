/** Forms: verbs check what was entered, and pages show it again with what is wrong. */
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as z from 'zod'
import { invalidInput } from '../../http/endpoint.ts'
import { ApiError, type ErrorCode, errorStatus } from '../../http/errors.ts'
import { type Problems, sentence } from './field.tsx'

/** Whether a checkbox is ticked. Browsers send no field for one that is not. */
export const checkbox = z.literal('on').optional().transform(Boolean)

/** Why a form was rejected. */
export type Rejection<Name extends string = string> = {
  problems: Problems<Name>
  status: ContentfulStatusCode
}

/** Returns what the schema makes of what was entered. Throws `invalid_input`. */
export function parseForm<T>(schema: z.ZodType<T>, values: unknown): T {
  const { data, error } = schema.safeParse(values)
  if (error) throw invalidInput(error.issues)
  return data as T
}

/**
 * Returns the first problem of each field. `field` is that of a problem that names none. Throws an
 * error that has none of the codes again.
 */
export function rejectionOf<Name extends string>(
  error: unknown,
  codes: readonly ErrorCode[],
  field: Name,
): Rejection<Name> {
  if (!(error instanceof ApiError)) throw error
  if (!codes.includes(error.code === 'invalid_character' ? 'invalid_input' : error.code))
    throw error
  const problems: Problems = {}
  for (const { path, message } of error.issues)
    problems[/^\w+/.exec(path)?.[0] ?? field] ??= sentence(message)
  return { problems: problems as Problems<Name>, status: errorStatus[error.code] }
}
