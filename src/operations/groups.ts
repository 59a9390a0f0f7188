/** Failed items, and queued ones that wait for more than their turn, by their reason. */
import { type SQL, sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import type { ReasonCode } from '../db/schema/delivery.ts'
import { chains, codes, delayed, MAX_COUNT } from './instance-state.ts'

/** What a group of items is worth in a currency, in minor units. */
type Total = { currency: string; amount: number; items: number }

/** `totals`: JSON of the first `MAX_COUNT` items of the reason; for queued ones, of each chain. */
type Row = { reasonCode: ReasonCode; oldestId: number; totals: string }

export type Group = { reasonCode: ReasonCode; oldestId: number; items: number; totals: Total[] }

const failed = sql`FROM deliveries INDEXED BY deliveries_failed
  WHERE reasonCode = value AND state = 'failed'`

const totalsOf = (items: SQL) => sql`(SELECT json_group_array(json_object(
    'currency', priceCurrency, 'amount', amount, 'items', items))
  FROM (SELECT priceCurrency, total(priceCents * quantity) AS amount, count(*) AS items
    FROM orderItems WHERE id IN (SELECT id ${items} LIMIT ${MAX_COUNT}) GROUP BY priceCurrency))`

/** Selects the failed items of each reason. */
export const selectFailures = (db: Database) =>
  raw<Row>(
    db,
    sql`SELECT value AS reasonCode, (SELECT min(id) ${failed}) AS oldestId,
        ${totalsOf(failed)} AS totals FROM json_each(${codes}) WHERE oldestId IS NOT NULL`,
  )

/** Selects the queued items of each chain and reason. */
export const selectDelays = (db: Database) =>
  raw<Row>(
    db,
    sql`WITH RECURSIVE ${chains} SELECT value AS reasonCode,
        (SELECT id ${delayed} ORDER BY queuedAt LIMIT 1) AS oldestId, ${totalsOf(delayed)} AS totals
      FROM chains, json_each(${codes}) WHERE oldestId IS NOT NULL`,
  )

/** Returns one group for each reason, the largest first. */
export function groupByReason(rows: readonly Row[]): Group[] {
  const groups = [...Map.groupBy(rows, ({ reasonCode }) => reasonCode)].map(
    ([reasonCode, parts]) => {
      const all = parts.flatMap(({ totals }): Total[] => JSON.parse(totals))
      const sum = (of: readonly Total[], key: 'amount' | 'items') =>
        of.reduce((total, part) => total + part[key], 0)
      const totals = [...Map.groupBy(all, ({ currency }) => currency)].map(([currency, of]) => ({
        currency,
        amount: sum(of, 'amount'),
        items: sum(of, 'items'),
      }))
      const oldestId = Math.min(...parts.map((part) => part.oldestId))
      return { reasonCode, oldestId, items: sum(all, 'items'), totals }
    },
  )
  return groups.sort((a, b) => b.items - a.items)
}
