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
