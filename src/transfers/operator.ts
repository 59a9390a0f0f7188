/** What an operator sees of transfers, and may do to one: statements to go into one trip to D1. */
import { type SQL, sql } from 'drizzle-orm'
import { type Database, raw, type Statement } from '../db/client.ts'
import { transferStatuses } from '../db/schema.ts'
import { CANCELLED } from './decide.ts'
import { isIndexed } from './state.ts'

/** A status, or the transfers on which the queue gave up. */
export const filters = [...transferStatuses, 'dead_lettered'] as const

export type Page = {
  status?: (typeof filters)[number] | undefined
  /** The id after which the page begins. */
  cursor: number
  limit: number
}

/** A transfer as the operator sees it. No wallets: those are in the order. */
export type View = {
  id: number
  orderId: number
  network: string
  quantity: number
  status: (typeof transferStatuses)[number]
  generation: number
  reason: string | null
  txId: string | null
  dueAt: string | null
  cancelRequestedAt: string | null
  deadLetteredAt: string | null
  createdAt: string
  updatedAt: string
  /** JSON. */
  transactions: string
}

const view = (
  of: SQL,
): SQL => sql`SELECT t.id, i.orderId, n.contractNetwork AS network, i.quantity, t.status,
    t.generation, t.reason, t.txId, t.dueAt, t.cancelRequestedAt, t.deadLetteredAt, t.createdAt,
    t.updatedAt, (
      SELECT json_group_array(json_object('hash', hash, 'chainId', chainId, 'nonce', nonce,
        'generation', generation, 'attempt', attempt, 'kind', kind, 'createdAt', createdAt))
      FROM (SELECT * FROM transactions WHERE transferId = t.id ORDER BY generation, attempt)
    ) AS transactions
  FROM ${of} JOIN orderItems i ON i.id = t.id JOIN nfts n ON n.id = i.nftId`

export const pageOf = (db: Database, { status, cursor, limit }: Page) =>
  raw<View>(db, sql`${view(selected(status))} WHERE t.id > ${cursor} ORDER BY t.id LIMIT ${limit}`)

export const viewOf = (db: Database, id: number) =>
  raw<View>(db, sql`${view(sql`transfers t`)} WHERE t.id = ${id}`)

/** Written so that an index answers it, but for `transferred`, which most of them are. */
function selected(status: Page['status']): SQL {
  switch (status) {
    case undefined:
      return sql`transfers t`
    case 'dead_lettered':
      return sql`(SELECT * FROM transfers WHERE deadLetteredAt IS NOT NULL) t`
    case 'transferred':
      return sql`(SELECT * FROM transfers WHERE status = 'transferred') t`
    case 'awaiting_wallet':
    case 'failed':
    case 'review':
      return sql`(SELECT * FROM transfers t WHERE status = '${sql.raw(status)}' AND ${isIndexed}) t`
    default:
      // CROSS JOIN keeps the order: first these few, then their rows.
      return sql`(
        SELECT id FROM transfers WHERE dueAt > ''
        UNION ALL SELECT id FROM transfers WHERE dueAt IS NULL AND deadLetteredAt IS NOT NULL
      ) few CROSS JOIN transfers t ON t.id = few.id AND t.status = ${status}`
  }
}

/** A state in which something cannot be done, and the sentence that says so. */
export type Objection = { when: SQL; reason: string }

export const isMissing = (id: number): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM transfers WHERE id = ${id})`

const objections =
  (reasons: Partial<Record<View['status'], string>>) =>
  (id: number): Objection[] =>
    Object.entries(reasons).map(([status, reason]) => ({
      when: sql`EXISTS (SELECT 1 FROM transfers WHERE id = ${id} AND status = ${status})`,
      reason,
    }))

export const objectionsToRetry = objections({
  transferred: 'the NFT is transferred already',
  awaiting_wallet: 'the buyer has no wallet yet',
})

/**
 * A transfer that failed, or is in review, begins again with a nonce of its own. That is safe
 * because it can be in these states only without a nonce or with one that the chain has used up
 * for good. One that is on its way is not changed at all: it is only to be announced again.
 */
export const beginAgain = (db: Database, id: number, now: Date): Statement =>
  raw(
    db,
    sql`UPDATE transfers SET status = 'queued', generation = generation + 1, reason = NULL,
        txId = NULL, version = version + 1, cancelRequestedAt = NULL,
        dueAt = ${now.toISOString()}, updatedAt = ${now.toISOString()}
      WHERE id = ${id} AND status IN ('failed', 'review')`,
  )

export const objectionsToCancel = objections({
  transferred: 'the NFT is transferred already',
  mined: 'the transaction is mined already',
  failed: 'it has failed already',
})

/**
 * Without a nonce that is still open a transfer ends at once; that takes it from a consumer which
 * is about to sign it. With one, the consumer is asked to use the nonce up by the no-op, and
 * whichever transaction is mined decides.
 */
export function cancel(db: Database, id: number, now: Date): Statement {
  const at = now.toISOString()
  const isOpen = sql`status IN ('signed', 'sent')`
  return raw(
    db,
    sql`UPDATE transfers SET
        status = iif(${isOpen}, status, 'failed'),
        reason = iif(${isOpen}, reason, ${CANCELLED}),
        txId = iif(${isOpen}, txId, NULL),
        awaits = NULL,
        version = version + 1,
        cancelRequestedAt = coalesce(cancelRequestedAt, ${at}),
        dueAt = iif(${isOpen}, ${at}, NULL),
        updatedAt = ${at}
      WHERE id = ${id}`,
  )
}
