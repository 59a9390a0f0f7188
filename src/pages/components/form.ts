/** Forms: verbs check what was entered, and pages show it again with what is wrong. */
import * as z from 'zod'
import { invalidInput } from '../../http/endpoint.ts'
import { ApiError, type ErrorCode, errorStatus } from '../../http/errors.ts'
import { sentence } from './field.tsx'
import type { Rejection } from './request.ts'

/** Whether a checkbox is ticked. Browsers send no field for one that is not. */
export const checkbox = z.literal('on').optional().transform(Boolean)

/** Returns what the schema makes of what was entered. Throws `invalid_input`. */
export function parseForm<T>(schema: z.ZodType<T>, values: unknown): T {
  const result = schema.safeParse(values)
  if (!result.success) throw invalidInput(result.error.issues)
  return result.data
}

export const rejectField = (name: string, value: string, problem: string): Rejection => ({
  values: { [name]: value },
  problems: { [name]: problem },
  status: 400,
})

/** Errors that the user corrects in the form. The others have a page of their own. */
const corrigible: ErrorCode[] = [
  'invalid_input',
  'invalid_character',
  'conflict',
  'too_many_addresses',
  'payload_too_large',
  'unsupported_media_type',
]

/**
 * Returns what is wrong with a form: the first problem of each field. `field` is that of a problem
 * that names none. Throws an error again that the user cannot correct in the form.
 */
export function rejectionOf(error: unknown, values: Rejection['values'], field: string): Rejection {
  if (!(error instanceof ApiError) || !corrigible.includes(error.code)) throw error
  const problems: Rejection['problems'] = {}
  for (const { path, message } of error.issues)
    problems[/^\w+/.exec(path)?.[0] ?? field] ??= sentence(message)
  return { values, problems, status: errorStatus[error.code] }
}
