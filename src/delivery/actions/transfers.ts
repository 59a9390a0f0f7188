/** Reads transfers. */

import { type SQL, sql } from 'drizzle-orm'
import { readAs } from '../../auth/access.ts'
import { sourcesNamed } from '../../auth/sources.ts'
import type { Database } from '../../db/client.ts'
import type { deliveries, transactions } from '../../db/schema/delivery.ts'
import type { orderItems } from '../../db/schema/orders.ts'
import { raw } from '../../db/statements.ts'
import type { Ctx } from '../../http/context.ts'
import { describeReason } from '../reasons.ts'
import { type ShopRow, toShopFields } from '../shown.ts'
import type { TransferQuery } from './schema.ts'

export type Filter = Pick<TransferQuery, 'status' | 'code' | 'buyerId' | 'source'> & {
  chainId?: number | undefined
  ids?: readonly number[]
}

type Columns = typeof deliveries.$inferSelect

/** `items`: their number. */
type TransactionRow = Pick<
  typeof transactions.$inferSelect,
  'hash' | 'contract' | 'signer' | 'nonce' | 'block' | 'gasUsed' | 'fee' | 'isOpen' | 'createdAt'
> & { items: number }

/** `custom` is JSON, and `transactions` that of the newest transaction with the delivery, if there is any. */
type TransferRow = Omit<ShopRow, 'custom' | 'state'> &
  Pick<Columns, 'id' | 'chainId' | 'key' | 'contract' | 'requestedAction' | 'reasonCode'> &
  Pick<Columns, 'reasonDetail' | 'tries' | 'dueAt' | 'createdAt' | 'updatedAt'> &
  Pick<typeof orderItems.$inferSelect, 'orderId' | 'quantity'> & {
    network: string
    status: Columns['state']
    txId: string | null
    failingSince: Columns['waitingSince']
    custom: string | null
    transactions: string
  }

export type Transfer = ReturnType<typeof toTransfer>

const selectTransfersWhere = (db: Database, condition: SQL) =>
  raw<TransferRow>(db)`SELECT d.id, i.orderId, n.contractNetwork AS network, d.chainId, i.quantity,
      d.state AS status, d."key", d.contract, d.requestedAction, d.reasonCode, d.reasonDetail, d.tries,
      t.hash AS txId, d.waitingSince AS failingSince, d.dueAt, d.createdAt, d.updatedAt,
      iif(t.id IS NULL, '[]', json_array(json_object('hash', t.hash, 'contract', t.contract,
        'signer', t.signer, 'nonce', t.nonce, 'block', t.block, 'gasUsed', t.gasUsed, 'fee', t.fee,
        'items', json_array_length(t.items), 'isOpen', json(iif(t.isOpen, 'true', 'false')),
        'createdAt', t.createdAt))) AS transactions,
      o.providerId, substr(o.source, instr(o.source, ':') + 1) AS source, o.custom,
      (SELECT publicUrl FROM instance) AS publicUrl, o.claimPath, d.version, d.cancelRequestedAt
    FROM deliveries d JOIN orderItems i ON i.id = d.id JOIN orders o ON o.id = i.orderId
      JOIN nfts n ON n.id = i.nftId LEFT JOIN transactions t ON t.id = d.transactionId
    WHERE ${condition}`

export const selectTransfer = (db: Database, id: number) =>
  selectTransfersWhere(db, sql`d.id = ${id}`)

type Page = Filter & Pick<TransferQuery, 'cursor' | 'limit'>

/** The condition, order and limit of a page, for the delivery `d` and its order item `i`. */
export const isOnPageSql = ({ cursor = 0, limit, ...filter }: Page): SQL =>
  sql`${matches(filter)} AND ${isAmongFirst(filter, cursor, limit)} AND d.id > ${cursor}
    ORDER BY d.id LIMIT ${limit}`

/**
 * Finds the orders of a source by its index, if nothing else limits what is read. Without it, deliveries
 * of all sources would be read until a page is full.
 */
function isAmongFirst({ source, ...filter }: Filter, cursor: number, limit: number): SQL {
  const { status = 'transferred', code, buyerId } = filter
  const isLimited = status !== 'transferred' || code !== undefined || buyerId !== undefined
  if (source === undefined || isLimited) return sql`1`
  const orders = sourcesNamed(source).map(
    (name) => sql`SELECT o.id AS id FROM orders o CROSS JOIN orderItems i ON i.orderId = o.id
      CROSS JOIN deliveries d ON d.id = i.id WHERE o.source = ${name} AND o.id > coalesce((SELECT orderId
        FROM orderItems WHERE id <= ${cursor} ORDER BY id DESC LIMIT 1), 0) AND ${matches(filter)}`,
  )
  return sql`i.orderId IN (SELECT id FROM (${sql.join(orders, sql` UNION ALL `)}
    ORDER BY id LIMIT ${limit}))`
}

export function toTransfer({ publicUrl, claimPath, version, reasonDetail, ...row }: TransferRow) {
  const transactions: TransactionRow[] = JSON.parse(row.transactions)
  const custom: ShopRow['custom'] = row.custom && JSON.parse(row.custom)
  return {
    ...row,
    reason: describeReason({ ...row, reasonDetail }),
    ...toShopFields({ ...row, custom, state: row.status, publicUrl, claimPath, version }),
    transactions: transactions.map(({ items, ...transaction }) => ({
      ...transaction,
      itemFee: itemFee(transaction.fee, items),
    })),
  }
}

/** Returns the share of a delivery in the fee of its transaction, wei; null while that is unknown. */
export const itemFee = (fee: string | null, items: number): string | null =>
  fee === null || items === 0 ? null : String(BigInt(fee) / BigInt(items))

export async function listTransfers(
  { db, caller }: Pick<Ctx, 'db' | 'caller'>,
  { limit, ...query }: TransferQuery,
): Promise<{ transfers: Transfer[]; nextCursor: string | null }> {
  const { rows } = await readAs(db, caller, {
    rows: selectTransfersWhere(db, isOnPageSql({ ...query, limit: limit + 1 })),
  })
  const page = rows.slice(0, limit)
  const nextCursor = rows.length > limit ? `${page.at(-1)?.id}` : null
  return { transfers: page.map(toTransfer), nextCursor }
}

/** Written so that indexes answer it: most deliveries are transferred, and they are not read. */
export function matches({ buyerId, source, chainId, ids, ...filter }: Filter): SQL {
  const conditions = [matchesReason(filter)]
  if (ids) conditions.push(sql`d.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`)
  if (chainId !== undefined) conditions.push(sql`d.chainId = ${chainId}`)
  if (buyerId !== undefined)
    conditions.push(sql`d.id IN (SELECT i.id FROM orders o JOIN orderItems i ON i.orderId = o.id
      WHERE o.buyerId = ${buyerId})`)
  if (source !== undefined)
    conditions.push(sql`(SELECT o.source FROM orderItems i JOIN orders o ON o.id = i.orderId
      WHERE i.id = d.id) IN (${sql.join([...sourcesNamed(source)], sql`, `)})`)
  return sql.join(conditions, sql` AND `)
}

function matchesReason({ status, code }: Pick<Filter, 'status' | 'code'>): SQL {
  const state = status === undefined ? sql`1` : hasState[status]
  if (code === undefined) return state
  const hasCode = sql`d.reasonCode = ${code}`
  const isAnyState = status === undefined || status === 'transferred'
  return isAnyState
    ? sql`${state} AND ${isUnfinished} AND ${hasCode}`
    : sql`${state} AND ${hasCode}`
}

const dueIds = sql`SELECT id FROM deliveries WHERE dueAt IS NOT NULL`
const carriedIds = sql`SELECT i.value FROM transactions t, json_each(t.items) i WHERE t.isOpen`
/** The condition of the index `deliveries_waiting`. */
const isWaiting = sql.raw("state IN ('awaiting_wallet', 'failed', 'cancelled', 'written_off')")

const hasState: Record<Columns['state'], SQL> = {
  awaiting_wallet: sql`d.state = 'awaiting_wallet' AND d.${isWaiting}`,
  failed: sql`d.state = 'failed' AND d.${isWaiting}`,
  cancelled: sql`d.state = 'cancelled' AND d.${isWaiting}`,
  queued: sql`d.state = 'queued' AND d.id IN (${dueIds})`,
  in_flight: sql`d.state = 'in_flight' AND d.id IN (${carriedIds})`,
  transferred: sql`d.state = 'transferred'`,
  written_off: sql`d.state = 'written_off' AND d.${isWaiting}`,
}

/** Whether a delivery may have a reason: transferred ones have none. */
const isUnfinished = sql`d.id IN (SELECT id FROM deliveries WHERE ${isWaiting}
  UNION ALL ${dueIds} UNION ALL ${carriedIds})`
