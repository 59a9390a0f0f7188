import { expect, it } from 'vitest'
import { relativeTime } from '../../src/pages/components/values.tsx'
import { textsOf } from '../../src/texts/texts.ts'

const now = new Date('2026-06-15T12:00:00.000Z')

it.each([
  ['2026-06-15T11:59:55.000Z', 'just now'],
  ['2026-06-15T11:59:30.000Z', '30 seconds ago'],
  ['2026-06-15T12:00:05.000Z', 'in a moment'],
  ['2026-06-15T11:59:00.000Z', '1 minute ago'],
  ['2026-06-15T09:59:59.000Z', '2 hours ago'],
  ['2026-06-14T12:00:00.000Z', '1 day ago'],
  ['2026-06-22T12:00:00.000Z', 'in 7 days'],
  ['2026-06-15T12:00:00.000Z', 'just now'],
  ['2026-01-15T12:00:00.000Z', '5 months ago'],
  ['2027-06-15T12:00:00.000Z', 'in 1 year'],
  ['2027-06-14T12:00:00.000Z', 'in 12 months'],
  ['2024-06-01T12:00:00.000Z', '2 years ago'],
])('tells %s as "%s"', (at, text) => {
  expect(relativeTime(new Date(at), { now, locale: 'en', texts: textsOf('en') })).toBe(text)
})

it.each([
  ['de', 'vor 2 Stunden', 'gerade eben'],
  ['fr', 'il y a 2 heures', 'à l’instant'],
  ['es', 'hace 2 horas', 'ahora mismo'],
  ['it', '2 ore fa', 'poco fa'],
])('tells times in %s', (locale, before, present) => {
  const page = { now, locale, texts: textsOf(locale) }
  expect(relativeTime(new Date('2026-06-15T09:59:59.000Z'), page)).toBe(before)
  expect(relativeTime(now, page)).toBe(present)
})
