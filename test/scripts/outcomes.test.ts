/** Compares the guide to forced outcomes with the catalogue, and with the codes of the engine. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Outcome, outcomes } from '../../scripts/local/catalogue/outcomes.ts'
import { reasonCodes } from '../../src/db/schema/delivery.ts'
import { rules } from '../../src/delivery/reasons.ts'

const guide = readFileSync('docs/guides/local.md', 'utf8')
const codeOf = ({ name }: Outcome) =>
  reasonCodes.find((code) => code === name.replaceAll('-', '_')) ?? null

/** The row of the guide that describes an outcome. */
function rowOf({ name, cause, end, order = {} }: Outcome): string {
  const { quantity, buyerEmail } = order
  const needs = quantity
    ? `. Order ${quantity} pieces`
    : buyerEmail
      ? `. The buyer is \`{ "email": "${buyerEmail}" }\``
      : ''
  return `| \`${name}\` | ${cause}${needs} | ${describeEnd(end)} |`
}

function describeEnd(end: Outcome['end']): string {
  if (end.event === null) return `waits for ${end.waitsFor}`
  if (end.event === 'order.delivered') return `\`${end.event}\`${end.isRepeated ? ', twice' : ''}`
  if (!end.advance) return `\`${end.event}\``
  return `\`${end.event}\` after ${end.advance === '11m' ? '10 minutes' : '24 hours'}`
}

it.each(outcomes)('describes the listing outcome-$name', (outcome) => {
  expect(guide).toContain(`\n${rowOf(outcome)}\n`)
})

it.each(reasonCodes)('forces %s by a listing, or says why not', (code) => {
  const isListed = outcomes.some((outcome) => codeOf(outcome) === code)
  expect(guide.includes(`\n| \`${code}\` | `)).toBe(!isListed)
})

it.each(outcomes.filter(codeOf))('knows when the engine lets outcome-$name fail', (outcome) => {
  const { waits = 0, ends } = rules[codeOf(outcome) ?? 'cancelled']
  const isLater = waits > 0 && waits < Infinity && !ends
  const { end } = outcome
  const advance = end.event === 'order.failed' ? end.advance : undefined
  expect(advance).toBe(isLater ? (waits === 600_000 ? '11m' : '25h') : undefined)
})
