/** Kinds of fields in requests. */
import * as z from 'zod'

/**
 * A text of a request. On a text that is longer than `max` nothing else is done: a pattern could
 * take a time that grows with the square of the length.
 *
 * @example inputText(100).trim().regex(/^\S+$/)
 */
export const inputText = (max: number, error?: string) =>
  z.string().max(max, { abort: true, ...(error && { error }) })

/** A time in ISO 8601 and UTC, in the form in which the database stores it. */
export const instant = z.iso.datetime().transform((text) => new Date(text).toISOString())

// 15 digits are always a safe integer.
const digits = z
  .string()
  .trim()
  .regex(/^[1-9]\d{0,14}$/, 'must be a positive integer')

/** An id in a path or query: a positive integer without sign, fraction or leading zero. */
export const idText = digits.transform(Number)

/** Where a list continues: the id of the last element that the client has. */
export const cursorText = digits.transform(Number)

/** A number of elements. */
export const pageLength = z
  .string()
  .trim()
  .regex(/^([1-9]\d?|100)$/, 'must be a number from 1 to 100')
  .transform(Number)

/** The largest number of elements on a page, in a query. */
export const limitText = (byDefault: number) => pageLength.default(byDefault)

/** The name of a token, in a query. Sessions have a name, too. */
export const tokenNameText = inputText(1000).trim().min(1)
