/** What people write and paste. */
import { expect, it } from 'vitest'
import type * as z from 'zod'
import { EmailAddress, identifier, instant, writtenText } from '../../src/http/inputs.ts'
import { isSeen, mailtoUrl, toAsciiDomain, toLine } from '../../src/http/text.ts'

it.each([
  ['every blank', 'a\tb\u00a0c\u2009d\u202fe\u3000f\u1680g', 'a b c d e f g'],
  ['the ends of lines', 'a\r\nb\u2028c\u2029d\u0085e\vf\fg', 'a b c d e f g'],
  ['blanks around lines', '\u00a0 a \n\n\t b\u3000', 'a b'],
])('makes a space of %s', (_, text, line) => {
  expect(toLine(text)).toBe(line)
})

it.each([
  ['marks of direction', '\u200e+31\u200f \u061c20\u202a-\u202e1\u2066\u2069', '+31 20-1'],
  ['what has no width', '\ufeffa\u200bb\u2060c\u00add', 'abcd'],
])('drops %s', (_, text, line) => {
  expect(toLine(text)).toBe(line)
})

it.each([
  '👩‍👧 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} ❤️',
  'می\u200cخواهم',
  '\u0600١٢ e\u0301',
])('keeps what changes the characters beside it: %s', (text) => {
  expect(toLine(text)).toBe(text)
})

it.each(['\u200d', '\u3164\u115f', '\u2800', ' \t\u200b\n', '\ufe0f', '\u034f\u17b4', '\u{e0100}'])(
  'sees that %j shows nothing',
  (text) => {
    expect(toLine(text)).toBe('')
  },
)

it.each([
  ['ada@例え。テスト', 'ada@xn--r8jz45g.xn--zckzah'],
  ['ada@x\uff0fü.de', 'ada@x\uff0fü.de'],
])('writes %s as %s', (email, ascii) => {
  expect(toAsciiDomain(email)).toBe(ascii)
})

const parse = <T>(schema: z.ZodType<T>, text: unknown) => {
  const { data, error } = schema.safeParse(text)
  return error ? error.issues.map(({ message }) => message) : data
}

it.each([
  ["Ada!#$%&'*+/=?^_`{|}~-.x@Example.com", "ada!#$%&'*+/=?^_`{|}~-.x@example.com"],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['\u202aada@example.com\u202c\n', 'ada@example.com'],
])('takes the e-mail address %j, as browsers do, and stores it as %s', (email, stored) => {
  expect(parse(EmailAddress, email)).toBe(stored)
})

it.each([
  '',
  'ada',
  'ada@',
  'a b@example.com',
  'ada@ex_ample.com',
  'ada@example..com',
  `ada@${'x'.repeat(64)}.com`,
  '"a"@example.com',
  'adä@example.com',
  'ada.\u212a@example.com',
  'ada@münchen.de/x',
])('refuses the e-mail address %j, as browsers do', (email) => {
  expect(parse(EmailAddress, email)).toEqual(['must be an e-mail address'])
})

it('counts the characters of text and of an address as they are stored', () => {
  expect(parse(writtenText(3), ' \u200e🎁🎁🎁 ')).toBe('🎁🎁🎁')
  expect(parse(writtenText(3), '🎁🎁🎁🎁')).toEqual(['must be at most 3 characters'])
  expect(parse(EmailAddress, `${'x'.repeat(243)}@example.com`)).toEqual([
    'must be at most 254 characters',
  ])
})

it.each(['A-1 \u200e\u2028ü🎁', 'a\tb'.replace('\t', '\u00a0'), '%41'])(
  'takes the identifier %j as it is',
  (text) => {
    expect(parse(identifier(50), text)).toBe(text)
  },
)

it.each([
  ['4711 ', 'U+0020 at position 5'],
  ['🎁\u0000', 'U+0000 at position 2'],
  ['a\u009f', 'U+009F at position 2'],
  ['🎁🎁\ud83dx', 'U+D83D at position 3'],
])('refuses the identifier %j, and says why', (text, character) => {
  expect(parse(identifier(50), text)).toContain(`must not have ${character}`)
})

it.each([
  ['2026-03-02T09:00:00Z', '2026-03-02T09:00:00.000Z'],
  ['2026-03-02T00:30:00+01:00', '2026-03-01T23:30:00.000Z'],
  ['2026-03-02T00:30:00 01:00', '2026-03-01T23:30:00.000Z'],
  ['2026-03-02T09:00:00.5-05:30', '2026-03-02T14:30:00.500Z'],
  ['2026-03-02T09:00:00.999999999+00:00', '2026-03-02T09:00:00.999Z'],
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
  ['2017-01-01T05:29:60.5+05:30', '2016-12-31T23:59:59.999Z'],
])('takes the time %s as %s', (text, stored) => {
  expect(parse(instant, text)).toBe(stored)
})

it.each([
  '',
  '2026-03-02',
  '2026-03-02T09:30:60Z',
  '2026-03-02T09:00:00',
  '2026-03-02T09:00:00.1234567890Z',
  '2026-03-02T09:00:00+0100',
  '2026-02-29T09:00:00Z',
  '2026-03-02T24:00:00Z',
])('refuses the time %j', (text) => {
  expect(parse(instant, text)).toEqual(['must be a time, as in 2026-01-31T12:00:00.000Z'])
})

it.each(['9999-12-31T23:59:59-00:01', '0000-01-01T00:00:00+00:01'])(
  'refuses the time %s, which does not sort as text',
  (text) => {
    expect(parse(instant, text)).toEqual(['must be in the years 0 to 9999'])
  },
)

it.each([
  ['A-7 \u00a0', true],
  ['\u0645\u06cc\u200c\u062e', true],
  ['\u200b\u2060', false],
  ['\ufeffA-7', false],
  ['7\u202eA', false],
])('tells of %j whether all of it is seen', (text, seen) => {
  expect(isSeen(text)).toBe(seen)
})

it('writes the URL of an e-mail address with what is in its local part', () => {
  expect(mailtoUrl('50%off?cc=x&y@shop.example')).toBe('mailto:50%25off%3Fcc%3Dx%26y@shop.example')
})
