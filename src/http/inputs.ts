/** Kinds of fields in requests. */
import * as z from 'zod'
import type { $ZodCheck } from 'zod/v4/core'
import { toAsciiDomain, toLine } from './text.ts'

/** Refuses a text with a character that the pattern finds, and says where it is, counted from 1. */
export const without = (refused: RegExp) =>
  z.superRefine<string>((text, context) => {
    const index = text.search(refused)
    if (index < 0) return
    const character = text.codePointAt(index)?.toString(16).toUpperCase().padStart(4, '0')
    const message = `must not have U+${character} at position ${[...text.slice(0, index)].length + 1}`
    context.addIssue({ code: 'custom', params: { code: 'invalid_character' }, message })
  })

/** Refuses half a surrogate pair, which is no text in most languages. */
export const wellFormed = without(/\p{Cs}/u)

/**
 * A text of a request. On a text that is longer than `max` nothing else is done: a pattern could
 * take a time that grows with the square of the length. All checks are added at once, because zod
 * copies the schema each time, and the Worker builds it at its start.
 */
export const inputText = (max: number, error?: string, ...checks: $ZodCheck<string>[]) =>
  z
    .string()
    .check(z.maxLength(max, { abort: true, ...(error && { error }) }), wellFormed, ...checks)

/** `pattern` says in the document which characters are refused. */
function limited(min: number, max: number, pattern: string, ...checks: $ZodCheck<string>[]) {
  const atMost = `at most ${max} characters`
  const error = `must be ${min > 0 ? `${min} to ${max} characters` : atMost}`
  const length = z.regex(new RegExp(`^.{${min},${max}}$`, 'su'), error)
  return inputText(4 * max, `must be ${atMost}`, ...checks, length).register(z.globalRegistry, {
    ...(min > 0 && { minLength: min }),
    maxLength: max,
    pattern,
  })
}

const linePattern = '^[^\\u0000-\\u0008\\u000E-\\u001F\\u007F]*$'
const control = '\\u0000-\\u001F\\u007F-\\u009F'
const identifierPattern = `^[^\\s${control}]([^${control}]*[^\\s${control}])?$`

/** Text that people write, as `toLine` returns it unless another function is given. */
export const writtenText = (max: number, min = 0, clean = (text: string) => toLine(text)) =>
  limited(min, max, linePattern, without(/(?![\s\x80-\x9F])\p{Cc}/u), z.overwrite(clean))

/** An identifier of a caller. It is never changed: a blank before or after it is refused. */
export const identifier = (max: number, refused = /\p{Cc}/u) =>
  limited(1, max, identifierPattern, without(refused), without(/^\s|\s$/))

/** What `type=email` of HTML takes: https://html.spec.whatwg.org/#valid-e-mail-address. */
const email =
  /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i
const notEmail = 'must be an e-mail address'
const emailText = writtenText(254, 0, (text) => toAsciiDomain(toLine(text)))
export const optionalEmail = emailText.refine((text) => text === '' || email.test(text), notEmail)

/** The e-mail address of an account, in lower case: that of U+212A is `k`, which no browser sends. */
export const EmailAddress = emailText.refine((text) => email.test(text), notEmail).toLowerCase()

/** Returns a time in UTC; `''` if the text is no time. */
const toUtc = (text: string): string => {
  const time = Date.parse(text)
  return Number.isNaN(time) ? '' : new Date(time).toISOString()
}

const notTime = 'must be a time, as in 2026-01-31T12:00:00.000Z'

/** A time of RFC 3339, as the database stores it. A query decodes the `+` of an offset to a blank. */
export const instant = z
  .string()
  .overwrite((text) => text.toUpperCase().replace(/ (?=\d\d:\d\d$)/, '+'))
  // A leap second is the last moment of its minute, at the end of a day of UTC: no clock here has it.
  .overwrite((text) => {
    const last = text.replace(/:60(\.\d+)?(?=Z|[+-])/, ':59.999')
    return /T23:59:59\.999Z$/.test(toUtc(last)) ? last : text
  })
  .meta({ format: 'date-time' })
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

/** A UUID, whose letters may be of either case (RFC 9562). Returns it as it is stored, in lower case. */
export const uuid = z.uuid().toLowerCase()

/** Where a list continues: the id of the last element that the client has. */
export const cursorText = digits.transform(Number)

export const pageLength = z
  .string()
  .trim()
  .regex(/^([1-9]\d?|100)$/, 'must be a number from 1 to 100')
  .transform(Number)

/** The largest number of elements on a page, in a query. */
export const limitText = (byDefault: number) => pageLength.default(byDefault)

export const tokenNameText = identifier(100)

export const flagText = z.enum(['true', 'false']).transform((text) => text === 'true')
