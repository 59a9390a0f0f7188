/** Tables of documents that are made from the code: of claims, events, limits and reasons. */
import { claims } from '../../../src/chain/claims.ts'
import type { ReasonCode } from '../../../src/db/schema/delivery.ts'
import { eventTexts } from '../../../src/db/schema/webhooks.ts'
import { rules } from '../../../src/delivery/reasons.ts'
import {
  catalogueLimits,
  contentLimits,
  creatorLimits,
  describeLimit,
  type Limit,
  mailLimits,
  operatorLimits,
  orderLimits,
  peopleLimits,
  requestLimits,
  webhookLimits,
} from '../../../src/limits.ts'

/**
 * Returns a document in which the sections with these titles (`##`) have these tables, in place of their
 * first table or at their end. Everything else stays as it is written.
 */
export function withTables(document: string, tables: Readonly<Record<string, string>>): string {
  const [before = '', ...sections] = document.split(/^## /m)
  const titles = sections.map((section) => section.split('\n')[0] ?? '')
  const missing = Object.keys(tables).filter((title) => !titles.includes(title))
  if (missing.length > 0) throw new Error(`The document lacks the sections ${missing.join(', ')}.`)
  const written = sections.map((section, i) => {
    const table = tables[titles[i] ?? '']
    if (table === undefined) return section.trimEnd()
    const [text = ''] = section.split(/^\|/m)
    const rest = section.slice(text.length).replace(/^(\|.*\n)*/, '')
    return `${text.trimEnd()}\n\n${table}\n${rest.trim()}`.trimEnd()
  })
  return `${[before.trimEnd(), ...written].join('\n\n## ')}\n`
}

/** Returns a table in Markdown. */
export function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((row) => `| ${row.join(' | ')} |\n`)
  return lines.toSpliced(1, 0, `|${'---|'.repeat(header.length)}\n`).join('')
}

/** Returns docs/architecture.md with whose word suffices for what. */
export function withClaims(document: string): string {
  const rows = Object.values(claims).map(({ asked, suffices }) => [asked, suffices])
  return withTables(document, { 'Whose word suffices': tableOf(['asked', 'nodes'], rows) })
}

/** Returns docs/guides/webhooks.md with the events as the Worker has them. */
export function withEvents(document: string): string {
  const rows = Object.entries(eventTexts).map(([type, { meaning, more }]) => [
    `\`${type}\``,
    `${meaning}. ${more}`.trim(),
  ])
  return withTables(document, { Events: tableOf(['type', 'meaning'], rows) })
}

export const limitSections: Record<string, Record<string, Limit>> = {
  Requests: requestLimits,
  Orders: orderLimits,
  People: peopleLimits,
  Mails: mailLimits,
  Webhooks: webhookLimits,
  'Catalogue and marketplace': catalogueLimits,
  Content: contentLimits,
  Creators: creatorLimits,
  Operators: operatorLimits,
}

/** Returns docs/limits.md with the limits as the Worker has them. */
export const withLimits = (document: string): string =>
  withTables(
    document,
    Object.fromEntries(
      Object.entries(limitSections).map(([title, limits]) => [
        title,
        tableOf(['limit', 'how many', 'then', 'set by'], Object.values(limits).map(limitRow)),
      ]),
    ),
  )

function limitRow(limit: Limit): string[] {
  const { of, at = 'rate_limited', variable, binding } = limit
  const setBy = variable
    ? `the variable \`${variable}\``
    : binding
      ? `\`${binding}\` in \`wrangler.toml\``
      : ''
  const end = /^\w+$/.test(at) ? `\`${at}\`` : at
  return [of, describeLimit(limit), end, setBy]
}

const REASON_COLUMNS = ['reasonCode', 'meaning', 'how it ends', 'who removes it']

/** Returns docs/guides/delivery.md with the reasons as the Worker has the rules. */
export function withReasons(document: string): string {
  const rows = Object.keys(rules).map((code) => reasonRow(code as ReasonCode))
  return withTables(document, { 'Why a delivery waits or failed': tableOf(REASON_COLUMNS, rows) })
}

function reasonRow(code: ReasonCode): string[] {
  const { sentence, removedBy = 'operator', retry } = rules[code]
  const again = retry === false ? ', no retry' : retry ? `, retry once ${retry}` : ''
  return [`\`${code}\``, sentence, describeEnd(code) + again, removedBy]
}

function describeEnd(code: ReasonCode): string {
  const { waits, ends, needsNoSecondNode = false } = rules[code]
  if (waits === Number.POSITIVE_INFINITY) return 'waits'
  if (waits === undefined) return ends ?? ''
  if (waits === 0) return 'fails at once'
  const time = waits < 3_600_000 ? `${waits / 60_000} minutes` : `${waits / 3_600_000} hours`
  const isConfirmed = !ends && !needsNoSecondNode
  return `${ends ?? 'fails'} after ${time}${isConfirmed ? '*' : ''}`
}
