import { expect, it } from 'vitest'
import { formatMoney } from '../../src/pages/components/text.ts'
import { relativeTime } from '../../src/pages/components/values.tsx'
import { en } from '../../src/texts/en.ts'
import { textsOf } from '../../src/texts/texts.ts'

it.each([
  [1500, 'EUR', '€15.00'],
  [500, 'JPY', '¥500'],
  [1500, 'KWD', 'KWD 1.500'],
  // CLDR, and with it `Intl`, has no digits for it, and ISO 4217 has two.
  [1500, 'HUF', 'HUF 15.00'],
  // Not a currency of ISO 4217.
  [1500, 'ZZZ', 'ZZZ 15.00'],
  [1500, 'euro', '15.00 euro'],
  [-5, 'EUR', '-€0.05'],
  // The largest amount, and one whose quotient has another last digit.
  [Number.MAX_SAFE_INTEGER, 'EUR', '€90,071,992,547,409.91'],
  [Number.MAX_SAFE_INTEGER - 2, 'KWD', 'KWD 9,007,199,254,740.989'],
])('shows %i minor units of %s as %s', (amount, currency, text) => {
  expect(formatMoney(amount, currency).replace('\u00a0', ' ')).toBe(text)
})

const now = new Date('2026-06-15T12:00:00.000Z')

it.each([
  ['2026-06-15T11:59:55.000Z', 'just now'],
  ['2026-06-15T12:00:05.000Z', 'in a moment'],
  ['2026-06-15T11:59:00.000Z', '1 minute ago'],
  ['2026-06-15T09:59:59.000Z', '2 hours ago'],
  ['2026-06-22T12:00:00.000Z', 'in 7 days'],
  ['2027-06-15T12:00:00.000Z', 'in 1 year'],
  ['2027-06-14T12:00:00.000Z', 'in 12 months'],
])('tells %s as "%s"', (at, text) => {
  expect(relativeTime(new Date(at), { now, locale: 'en', texts: en })).toBe(text)
})

it.each([
  ['de', 'vor 2 Stunden', 'gerade eben'],
  ['fr', 'il y a 2 heures', 'à l’instant'],
  ['es', 'hace 2 horas', 'ahora mismo'],
  ['it', '2 ore fa', 'poco fa'],
])('tells times in %s', async (locale, before, present) => {
  const page = { now, locale, texts: await textsOf(locale) }
  expect(relativeTime(new Date('2026-06-15T09:59:59.000Z'), page)).toBe(before)
  expect(relativeTime(now, page)).toBe(present)
})
