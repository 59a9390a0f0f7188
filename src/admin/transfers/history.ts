/** The whole history of one transfer. */

import { sql } from 'drizzle-orm'
import { readAsUser } from '../../auth/session.ts'
import type { Database } from '../../db/client.ts'
import type { transactions } from '../../db/schema/delivery.ts'
import type { WebhookEvent } from '../../db/schema/webhooks.ts'
import { raw } from '../../db/statements.ts'
import { type Action, findObstacles } from '../../delivery/actions/actions.ts'
import { ApiError } from '../../http/errors.ts'
import type { AuditEntry } from '../components/audit-entries.ts'
import { selectTransfers } from '../components/transfers.tsx'
import { firstReason, type TransferReadCtx } from './list.ts'

/** The newest transactions and actions on many transfers, and the events after the order, that are read. */
const MAX_TRANSACTIONS = 1000
const MAX_ACTIONS = 200
const MAX_EVENTS = 2000

type Transaction = typeof transactions.$inferSelect

/** A transaction that carried a transfer. `items`: their number. `replaced` is JSON. */
export type TransferTransaction = { items: number; replaced: string; isOpen: 0 | 1 } & Pick<
  Transaction,
  'hash' | 'contract' | 'signer' | 'nonce' | 'createdAt'
> &
  Pick<Transaction, 'block' | 'nonceUsedAt' | 'gasUsed' | 'fee'>

/**
 * The delivery knows only the newest transaction. The others have the id in their `items`. One that
 * was signed again has an older row.
 */
const selectTransactions = (db: Database, id: number) =>
  raw<TransferTransaction>(db)`
    SELECT hash, replaced, contract, signer, nonce, json_array_length(items) AS items,
      block, nonceUsedAt, gasUsed, fee, isOpen, createdAt
    FROM (SELECT t.* FROM deliveries d JOIN transactions t ON t.chainId = d.chainId
          AND t.id BETWEEN d.transactionId - ${MAX_TRANSACTIONS} AND d.transactionId + ${MAX_TRANSACTIONS}
      WHERE d.id = ${id}) near
    WHERE EXISTS (SELECT 1 FROM json_each(items) WHERE value = ${id}) ORDER BY near.createdAt, near.id`

/** `items`: how many it was done to. */
type HistoryAction = Pick<AuditEntry, 'at' | 'action' | 'userName' | 'userId' | 'tokenName'> & {
  items: number
}

/** Selects what operators did to the transfer: by its id, or to all transfers with a state or a reason. */
const selectActions = (db: Database, id: number) =>
  raw<HistoryAction>(db)`SELECT newest.at, action, u.name AS userName, userId, tokenName,
      coalesce(json_array_length(details, '$.items'), 1) AS items
    FROM (SELECT * FROM auditLog WHERE subject = ${String(id)} AND action LIKE 'transfer.%'
      UNION ALL SELECT * FROM (SELECT * FROM auditLog WHERE subject IS NULL
        AND action LIKE 'transfer.%' ORDER BY id DESC LIMIT ${MAX_ACTIONS})
      WHERE EXISTS (SELECT 1 FROM json_each(details, '$.items') WHERE value = ${id})) newest
    JOIN users u ON u.id = userId ORDER BY newest.id`

/**
 * An event of the order. The last two fields are of a message that was not accepted at once. `url`: null
 * once its endpoint was removed.
 */
type HistoryEvent = { id: number; type: WebhookEvent; at: string; url: string | null } & {
  state: 'pending' | 'delivered' | 'failed' | null
  attempts: number | null
}

/**
 * Selects the events of the order of the transfer, among those that followed its placement, and the
 * messages about them that were not accepted at once.
 */
const selectEvents = (db: Database, id: number) =>
  raw<HistoryEvent>(db)`SELECT v.id, v.type, v.at, e.url, m.state,
      json_array_length(m.attempts) AS attempts
    FROM (SELECT * FROM events
        WHERE id >= (SELECT unixepoch(createdAt) * 1000000 FROM deliveries WHERE id = ${id})
        ORDER BY id LIMIT ${MAX_EVENTS}) v
      LEFT JOIN webhookMessages m ON m.eventId = v.id
      LEFT JOIN webhookEndpoints e ON e.id = m.endpointId
    WHERE v.orderId = (SELECT orderId FROM orderItems WHERE id = ${id}) ORDER BY v.id`

export type TransferHistory = Omit<Awaited<ReturnType<typeof readTransferHistory>>, 'account'>

/**
 * Returns the administrator and the history of a transfer. `obstacles`: why an operator cannot retry,
 * cancel or write off the transfer; null if it is possible.
 */
export async function readTransferHistory(ctx: TransferReadCtx, { id }: { id: number }) {
  const { db, settings } = ctx
  const { retry, cancel, write_off } = findObstacles(settings.NETWORKS, id)
  const { transfers, obstacles, ...history } = await readAsUser(ctx, {
    transfers: selectTransfers(db, sql`d.id = ${id}`),
    obstacles: raw<Record<Action['action'], string | null>>(db)`
      SELECT ${firstReason(retry)} AS retry, ${firstReason(cancel)} AS cancel,
      ${firstReason(write_off)} AS write_off`,
    transactions: selectTransactions(db, id),
    actions: selectActions(db, id),
    events: selectEvents(db, id),
  })
  if (!transfers[0] || !obstacles[0])
    throw new ApiError('not_found', 'there is no transfer with this id')
  return { ...history, transfer: transfers[0], obstacles: obstacles[0] }
}
