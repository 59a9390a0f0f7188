/** The table of reasons in docs/guides/delivery.md. */
import type { ReasonCode } from '../../../src/db/schema/delivery.ts'
import { rules } from '../../../src/delivery/reasons.ts'
import { tableOf, withTables } from './tables.ts'

const HEADER = ['reasonCode', 'meaning', 'how it ends', 'who removes it']

/** Returns a document with the table as the Worker has the rules. */
export function withReasons(document: string): string {
  const rows = Object.keys(rules).map((code) => rowOf(code as ReasonCode))
  return withTables(document, { 'Why a delivery waits or failed': tableOf(HEADER, rows) })
}

function rowOf(code: ReasonCode): string[] {
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
