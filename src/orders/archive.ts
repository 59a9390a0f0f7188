/**
 * Moves finished orders from D1 to R2. First the lines are written, as one object whose name has
 * their hash, then one transaction replaces the rows. A call that breaks off between the two leaves
 * an object that nothing points to; repeating it writes the same object again.
 */
import { gt, inArray, max, sql } from 'drizzle-orm'
import { bytesToHex } from 'viem/utils'
import { readAs, writeAs } from '../auth/access.ts'
import { recordAction } from '../auth/audit.ts'
import { type Database, raw } from '../db/client.ts'
import { deliveries, transactions } from '../db/schema/delivery.ts'
import { orderItems } from '../db/schema/orders.ts'
import { CANCELLED_REASON } from '../delivery/engine/moves.ts'
import type { Caller } from '../http/context.ts'
import { invalidField } from '../http/errors.ts'
import type { ArchivedLine, Place } from './archived.ts'
import { itemColumns } from './columns.ts'
import type { OrderStore } from './store.ts'

/** Orders that one call looks at. */
export const ARCHIVED_AT_ONCE = 500

/** Milliseconds for which an order and its transactions stay in D1 after their last change. */
const KEPT = 30 * 24 * 60 * 60 * 1000

/**
 * Mined transactions that stay on each chain, whatever their age. They tell the next nonce of each
 * signer, and the search for a block that stands (`delivery/engine/heal.ts`) compares them.
 */
const KEPT_TRANSACTIONS = 1000

type Request = {
  /** A day (UTC). */
  before: string
  /** The last delivery of the call before. */
  cursor?: number | undefined
}

/**
 * Archives the finished orders among the next ones that were placed before a day. Returns how many,
 * and where to continue; null after the last. If another call changes one of them meanwhile, none of
 * these is archived: the next run does it. Throws `unauthenticated`, and `invalid_input` for a day
 * less than 30 days ago.
 */
export async function archiveOrders(
  { db, bucket }: OrderStore,
  caller: Caller,
  { before: day, cursor = 0 }: Request,
  now: Date,
): Promise<{ archived: number; nextCursor: string | null }> {
  const keptSince = new Date(now.getTime() - KEPT).toISOString()
  const before = `${day}T00:00:00.000Z`
  if (before > keptSince) throw invalidField('before', 'must be at least 30 days ago')
  const { page, rows, lastId } = await readPage(db, caller, cursor)
  const lines = rows.filter(
    ({ delivery, transaction }) =>
      isFinished(delivery) &&
      delivery.createdAt < before &&
      delivery.updatedAt < keptSince &&
      !transaction?.isOpen &&
      delivery.id !== lastId,
  )
  let archived = 0
  if (lines.length > 0) {
    const { file, bytes, hash, places } = await fileOf(lines)
    await bucket.put(file, bytes, { sha256: hash })
    const [insert, ...deletes] = moveStatements(db, lines, places, keptSince)
    const record = recordAction({ db, caller, now }, { action: 'order.archive', details: { file } })
    try {
      await writeAs(db, caller, [unlessChanged(lines)], [insert, record, ...deletes])
      archived = lines.length
    } catch (error) {
      if (!(error instanceof Changed)) throw error
    }
  }
  const last = page.at(-1)
  const isLast = !last || page.length < ARCHIVED_AT_ONCE || last.createdAt >= before
  return { archived, nextCursor: isLast ? null : String(last.id) }
}

/** Reads the next deliveries, with their items and transactions. `lastId` is the newest of all. */
async function readPage(db: Database, caller: Caller, cursor: number) {
  const next = sql`(SELECT id, transactionId FROM deliveries WHERE id > ${cursor}
    ORDER BY id LIMIT ${ARCHIVED_AT_ONCE})`
  const { sellerId, recipientChainId } = orderItems
  const [page, items, carriers, [newest]] = await readAs(db, caller, [
    db
      .select()
      .from(deliveries)
      .where(gt(deliveries.id, cursor))
      .orderBy(deliveries.id)
      .limit(ARCHIVED_AT_ONCE),
    db
      .select({ ...itemColumns, sellerId, recipientChainId })
      .from(orderItems)
      .where(inArray(orderItems.id, sql`(SELECT id FROM ${next})`)),
    db
      .select()
      .from(transactions)
      .where(inArray(transactions.id, sql`(SELECT transactionId FROM ${next})`)),
    db.select({ id: max(deliveries.id) }).from(deliveries),
  ])
  const itemOf = new Map(items.map((item) => [item.id, item]))
  const carrierOf = new Map(carriers.map((carrier) => [carrier.id, carrier]))
  const rows = page.flatMap((delivery): ArchivedLine[] => {
    const found = itemOf.get(delivery.id)
    const carrier = delivery.transactionId === null ? null : carrierOf.get(delivery.transactionId)
    if (!found || carrier === undefined) return []
    const { sellerId, recipientChainId, ...item } = found
    const transaction = carrier && (({ items, raw, ...others }) => others)(carrier)
    return [
      { item: { ...item, ethRecipient: null }, sellerId, recipientChainId, delivery, transaction },
    ]
  })
  return { page, rows, lastId: newest?.id }
}

/** Transferred or cancelled. Another failed item may be retried. */
const isFinished = ({ state, wish, reason }: ArchivedLine['delivery']): boolean =>
  state === 'transferred' ||
  (state === 'failed' && wish === 'cancel' && reason === CANCELLED_REASON)

/** Returns the object for these lines, and where in it each of them is. */
async function fileOf(lines: readonly ArchivedLine[]) {
  const encoder = new TextEncoder()
  const encoded = lines.map((line) => encoder.encode(`${JSON.stringify(line)}\n`))
  const bytes = new Uint8Array(await new Blob(encoded).arrayBuffer())
  const hash = await crypto.subtle.digest('SHA-256', bytes)
  const ids = lines.map(({ item }) => item.orderId)
  const name = `${Math.min(...ids)}-${Math.max(...ids)}-${bytesToHex(new Uint8Array(hash)).slice(2)}`
  const file = `archive/${name}.jsonl`
  let end = 0
  const places = encoded.map(({ length }, i): Place => {
    const offset = end
    end += length
    return { id: ids[i] ?? 0, file, offset, length }
  })
  return { file, bytes, hash, places }
}

/** Another call has changed an order since it was read. */
class Changed extends Error {}

const unlessChanged = (lines: readonly ArchivedLine[]) => {
  const expected = JSON.stringify(lines.map(({ delivery }) => [delivery.id, delivery.version]))
  return {
    when: sql`(SELECT count(*) FROM json_each(${expected})
      JOIN deliveries d ON d.id = value ->> 0 AND d.version = value ->> 1) < ${lines.length}`,
    error: () => new Changed(),
  }
}

/** A transaction goes with the last of its items. */
function moveStatements(
  db: Database,
  lines: readonly ArchivedLine[],
  places: readonly Place[],
  keptSince: string,
) {
  const rows = JSON.stringify(
    lines.map(({ item }, i) => [item.id, places[i]?.offset, places[i]?.length]),
  )
  const ids = sql`(SELECT value ->> 0 FROM json_each(${rows}))`
  const carriers = JSON.stringify(lines.flatMap(({ transaction }) => transaction?.id ?? []))
  return [
    raw<never>(
      db,
      sql`INSERT INTO archivedOrders (id, itemId, "key", nftId, listingId, sellerId, status,
          ethRecipient, file, offset, length)
        SELECT i.orderId, i.id, d."key", i.nftId, i.listingId, i.sellerId, d.state, i.ethRecipient,
          ${places[0]?.file}, value ->> 1, value ->> 2
        FROM json_each(${rows}) CROSS JOIN deliveries d ON d.id = value ->> 0
          CROSS JOIN orderItems i ON i.id = d.id`,
    ),
    raw<never>(db, sql`DELETE FROM deliveries WHERE id IN ${ids}`),
    raw<never>(db, sql`DELETE FROM orderItems WHERE id IN ${ids}`),
    raw<never>(
      db,
      sql`WITH kept AS MATERIALIZED (SELECT chainId, (SELECT block FROM transactions
            WHERE transactions.chainId = networks.chainId AND block IS NOT NULL
            ORDER BY block DESC LIMIT 1 OFFSET ${KEPT_TRANSACTIONS - 1}) AS block FROM networks)
        DELETE FROM transactions WHERE id IN (SELECT value FROM json_each(${carriers}))
          AND NOT isOpen AND updatedAt < ${keptSince}
          AND id < (SELECT max(id) FROM transactions)
          AND block < (SELECT block FROM kept WHERE kept.chainId = transactions.chainId)
          AND NOT EXISTS (SELECT 1 FROM json_each(transactions.items) i
            JOIN deliveries d ON d.id = i.value)`,
    ),
  ] as const
}
