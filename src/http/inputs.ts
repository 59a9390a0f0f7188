/** Kinds of fields in requests. */
import * as z from 'zod'
import { docs } from './fields.ts'
import { toAsciiDomain, toLine } from './text.ts'

/**
 * Refuses a text in which the pattern finds a character, and says which one and where, counted from 1:
 * `U+0000 at position 5`.
 */
export const without = (refused: RegExp) =>
  z.superRefine<string>((text, context) => {
    const index = text.search(refused)
    if (index < 0) return
    const character = text.codePointAt(index)?.toString(16).toUpperCase().padStart(4, '0')
    const position = [...text.slice(0, index)].length + 1
    const message = `must not have U+${character} at position ${position}`
    context.addIssue({ code: 'custom', params: { code: 'invalid_character' }, message })
  })

/** Refuses half a surrogate pair, which is no text in most languages. */
export const wellFormed = without(/\p{Cs}/u)

/**
 * A text of a request. On a text that is longer than `max` nothing else is done: a pattern could
 * take a time that grows with the square of the length.
 *
 * @example inputText(100).trim().regex(/^\S+$/)
 */
export const inputText = (max: number, error?: string) =>
  z
    .string()
    .max(max, { abort: true, ...(error && { error }) })
    .check(wellFormed)

/** A text of `min` to `max` characters. It is checked by `refused`, and then changed by `clean`. */
function limitedText(
  { min, max, pattern }: { min: number; max: number; pattern: string },
  refused: RegExp,
  clean = (text: string) => text,
) {
  const error = `must be ${min > 0 ? `${min} to` : 'at most'} ${max} characters`
  return inputText(4 * max, error)
    .check(without(refused))
    .overwrite(clean)
    .refine((text) => {
      const { length } = [...text]
      return min <= length && length <= max
    }, error)
    .meta(docs({ ...(min > 0 && { minLength: min }), maxLength: max, pattern }))
}

const line = (min: number, max: number, clean: (text: string) => string) =>
  limitedText(
    { min, max, pattern: '^[^\\u0000-\\u0008\\u000E-\\u001F\\u007F]*$' },
    /(?![\s\x80-\x9F])\p{Cc}/u,
    clean,
  )

/** A line of text that people write, as `toLine` returns it. */
export const writtenText = (max: number, { min = 0, lineEnd = ' ' } = {}) =>
  line(min, max, (text) => toLine(text, lineEnd))

/** What `type=email` of HTML takes: https://html.spec.whatwg.org/#valid-e-mail-address. */
const email =
  /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i
const notEmail = 'must be an e-mail address'
const emailLine = line(0, 254, (text) => toAsciiDomain(toLine(text)))

/** An e-mail address, or nothing. */
export const optionalEmail = emailLine.refine((text) => text === '' || email.test(text), notEmail)

/** The e-mail address of an account, in lower case. */
export const EmailAddress = emailLine.toLowerCase().refine((text) => email.test(text), notEmail)

/** Characters that an identifier must not have. */
const control = '\\u0000-\\u001F\\u007F-\\u009F'

/** An identifier of a caller. It is never changed: a blank before or after it is refused. */
export const identifier = (max: number, refused = /\p{Cc}/u) =>
  limitedText(
    { min: 1, max, pattern: `^[^\\s${control}]([^${control}]*[^\\s${control}])?$` },
    refused,
  ).check(without(/^\s|\s$/))

const notTime = 'must be a time, as in 2026-01-31T12:00:00.000Z'

/**
 * A time of RFC 3339, in the form in which the database stores it. A query decodes the `+` of an offset
 * to a blank.
 */
export const instant = z
  .string()
  .overwrite((text) => text.toUpperCase().replace(/ (?=\d\d:\d\d$)/, '+'))
  .meta(docs({ format: 'date-time' }))
  .pipe(z.iso.datetime({ offset: true, error: notTime, abort: true }))
  .refine((text) => !/\.\d{10}/.test(text), notTime)
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^\d/.test(text), 'must be in the years 0 to 9999')

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

/** The name of a token. Sessions have a name, too. */
export const tokenNameText = identifier(100)
