/** What an operator sees of deliveries, and may do to them: statements for one trip to D1. */
import { type SQL, sql } from 'drizzle-orm'
import { type Database, raw } from '../../db/client.ts'
import type { DeliveryState, ReasonCode, RequestedAction } from '../../db/schema/delivery.ts'
import type { Network } from '../../env.ts'
import { sentences } from '../reasons.ts'

/** Items that one call changes at most. */
export const MAX_CHANGED = 1000

export type Filter = {
  status?: DeliveryState | undefined
  code?: ReasonCode | undefined
}
export type Page = Filter & {
  /** The id after which the page begins. */
  cursor: number
  limit: number
}

/** A delivery as the operator sees it. No wallets: those are in the order. */
export type View = {
  id: number
  orderId: number
  network: string
  chainId: number | null
  quantity: number
  status: DeliveryState
  key: string
  contract: string | null
  requestedAction: RequestedAction
  reasonCode: ReasonCode | null
  reason: string | null
  tries: number
  txId: string | null
  failingSince: string | null
  dueAt: string | null
  createdAt: string
  updatedAt: string
  /** JSON. */
  transactions: string
}

const selectViews = (of: SQL): SQL => sql`SELECT d.id, i.orderId, n.contractNetwork AS network,
    d.chainId, i.quantity, d.state AS status, d."key", d.contract, d.requestedAction, d.reasonCode, d.reason, d.tries,
    t.hash AS txId, d.failingSince, d.dueAt, d.createdAt, d.updatedAt,
    iif(t.id IS NULL, '[]', json_array(json_object('hash', t.hash, 'contract', t.contract,
      'signer', t.signer, 'nonce', t.nonce, 'block', t.block,
      'isOpen', json(iif(t.isOpen, 'true', 'false')), 'createdAt', t.createdAt))) AS transactions
  FROM ${of} JOIN orderItems i ON i.id = d.id JOIN nfts n ON n.id = i.nftId
    LEFT JOIN transactions t ON t.id = d.transactionId`

export const pageOf = (db: Database, { cursor, limit, ...filter }: Page) =>
  raw<View>(
    db,
    sql`${selectViews(sql`deliveries d`)} WHERE ${matches(filter)} AND d.id > ${cursor}
      ORDER BY d.id LIMIT ${limit}`,
  )

export const viewOf = (db: Database, id: number) =>
  raw<View>(db, sql`${selectViews(sql`deliveries d`)} WHERE d.id = ${id}`)

/** Written so that indexes answer it: most items are transferred, and they are not read. */
function matches({ status, code }: Filter): SQL {
  const state = status === undefined ? sql`1` : hasState[status]
  if (code === undefined) return state
  const hasReason = sql`d.reasonCode = ${code}`
  const isAnyState = status === undefined || status === 'transferred'
  return isAnyState
    ? sql`${state} AND ${isUnfinished} AND ${hasReason}`
    : sql`${state} AND ${hasReason}`
}

const dueIds = sql`SELECT id FROM deliveries WHERE dueAt IS NOT NULL`
const carriedIds = sql`SELECT i.value FROM transactions t, json_each(t.items) i WHERE t.isOpen`
/** The condition of the index `deliveries_waiting`. */
const isWaiting = sql.raw("state IN ('awaiting_wallet', 'failed', 'cancelled')")

const hasState: Record<View['status'], SQL> = {
  awaiting_wallet: sql`d.state = 'awaiting_wallet' AND d.${isWaiting}`,
  failed: sql`d.state = 'failed' AND d.${isWaiting}`,
  cancelled: sql`d.state = 'cancelled' AND d.${isWaiting}`,
  queued: sql`d.state = 'queued' AND d.id IN (${dueIds})`,
  in_flight: sql`d.state = 'in_flight' AND d.id IN (${carriedIds})`,
  transferred: sql`d.state = 'transferred'`,
}

/** Whether an item may have a reason: transferred ones have none. */
const isUnfinished = sql`d.id IN (SELECT id FROM deliveries WHERE ${isWaiting}
  UNION ALL ${dueIds} UNION ALL ${carriedIds})`

/** A state in which something cannot be done, and the sentence that says so. */
export type Objection = { when: SQL; reason: string }

export const isMissing = (id: number): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM deliveries WHERE id = ${id})`

const objection = (id: number, condition: SQL, reason: string): Objection => ({
  when: sql`EXISTS (SELECT 1 FROM deliveries d WHERE d.id = ${id} AND ${condition})`,
  reason,
})

const isTransferred = (id: number) =>
  objection(id, sql`d.state = 'transferred'`, 'the NFT is transferred already')
const isCancelled = sql`d.state = 'cancelled'`

type Networks = Record<string, Network>

/** The chain of an item. If its network was not configured when it was ordered, the chain now. */
const chainOf = (networks: Networks): SQL => {
  const chains = Object.entries(networks).map(([name, { chainId }]) => [name, chainId])
  return sql`coalesce(d.chainId, (SELECT value ->> 1 FROM json_each(${JSON.stringify(chains)})
    WHERE value ->> 0 = (SELECT n.contractNetwork FROM orderItems i
      JOIN nfts n ON n.id = i.nftId WHERE i.id = d.id)))`
}

const isConfigured = (networks: Networks): SQL => {
  const chainIds = Object.values(networks).map(({ chainId }) => chainId)
  return sql`${chainOf(networks)} IN (SELECT value FROM json_each(${JSON.stringify(chainIds)}))`
}

const isNotConfigured = (id: number, networks: Networks) =>
  objection(id, sql`${isConfigured(networks)} IS NOT 1`, sentences.network_not_configured)

export const objectionsToRetry = (id: number, networks: Networks): Objection[] => [
  isTransferred(id),
  objection(id, sql`d.state = 'awaiting_wallet'`, 'the buyer has no wallet yet'),
  objection(id, isCancelled, 'the item is cancelled'),
  isNotConfigured(id, networks),
]

export const objectionsToCancel = (id: number, networks: Networks): Objection[] => [
  isTransferred(id),
  objection(id, isCancelled, 'the item is cancelled already'),
  isNotConfigured(id, networks),
]

/** What to change: one item, or the first that match a filter. */
type Selection = { id: number } | Filter

const idsOf = (selection: Selection, condition: SQL): SQL =>
  'id' in selection
    ? sql`(SELECT d.id FROM deliveries d WHERE d.id = ${selection.id} AND ${condition})`
    : sql`(SELECT d.id FROM deliveries d WHERE ${matches(selection)} AND ${condition}
        ORDER BY d.id LIMIT ${MAX_CHANGED})`

/** The ids of the items that a retry changes. */
export const idsToRetry = (selection: Selection, networks: Networks, now: Date): SQL =>
  idsOf(
    selection,
    sql`(d.state = 'queued' AND d.dueAt > ${now.toISOString()}
      OR d.state = 'failed') AND ${isConfigured(networks)}`,
  )

/** The ids of the items that a cancellation changes. */
export const idsToCancel = (selection: Selection, networks: Networks): SQL =>
  idsOf(
    selection,
    sql`d.state <> 'transferred' AND d.requestedAction <> 'cancel' AND ${isConfigured(networks)}`,
  )

type Changed = { id: number; chainId: number | null }

/**
 * Queues failed items again, and looks at queued ones at once. What a transaction carries is not
 * changed, nor are items whose network is not configured. A failed item without a recipient waits
 * until its buyer has a wallet; `addRecipients` completes the others.
 */
export function retry(db: Database, selection: Selection, networks: Networks, now: Date) {
  const at = now.toISOString()
  const buyer = sql`(SELECT u.id FROM orderItems i JOIN orders o ON o.id = i.orderId
    JOIN users u ON u.id = o.buyerId
    WHERE i.id = d.id AND i.ethRecipient IS NULL AND u.ethereumPublicAddr = '')`
  const awaited = sql`iif(d.state = 'failed', ${buyer}, NULL)`
  return raw<Changed>(
    db,
    sql`UPDATE deliveries AS d SET awaits = ${awaited},
        state = iif(${awaited} IS NULL, 'queued', 'awaiting_wallet'),
        dueAt = iif(${awaited} IS NULL, ${at}, NULL), failingSince = NULL, tries = 0,
        reasonCode = iif(requestedAction = 'cancel', reasonCode, NULL),
        reason = iif(requestedAction = 'cancel', reason, NULL), version = version + 1,
        updatedAt = ${at}, chainId = ${chainOf(networks)}
      WHERE id IN ${idsToRetry(selection, networks, now)} RETURNING id, chainId`,
  )
}

/** The statements of a retry. The rows of the first are the changed items. */
export const retryStatements = (
  db: Database,
  selection: Selection,
  networks: Networks,
  now: Date,
) => [retry(db, selection, networks, now), addRecipients(db, networks, now)] as const

/**
 * Gives the items that were queued at this moment the wallet of their buyer, if they have none: the
 * buyer has unlinked the one they were for.
 */
function addRecipients(db: Database, networks: Networks, now: Date) {
  const at = now.toISOString()
  const chainIds = JSON.stringify(Object.values(networks).map(({ chainId }) => chainId))
  return raw(
    db,
    sql`UPDATE orderItems SET ethRecipient = u.ethereumPublicAddr,
        recipientChainId = u.walletChainId, updatedAt = ${at}
      FROM deliveries d, orders o, users u
      WHERE d.chainId IN (SELECT value FROM json_each(${chainIds})) AND d.dueAt = ${at}
        AND d.state = 'queued' AND d.requestedAction = 'deliver'
        AND orderItems.id = d.id AND orderItems.ethRecipient IS NULL
        AND o.id = orderItems.orderId AND u.id = o.buyerId`,
  )
}

/**
 * Asks to use the keys of items up. An item ends as `cancelled` once the chain has recorded that, or
 * as `transferred` if it was delivered first.
 */
export function cancel(db: Database, selection: Selection, networks: Networks, now: Date) {
  const at = now.toISOString()
  const isInFlight = sql`state = 'in_flight'`
  return raw<Changed>(
    db,
    sql`UPDATE deliveries AS d SET state = iif(${isInFlight}, state, 'queued'), requestedAction = 'cancel',
        failingSince = NULL, tries = 0, reasonCode = NULL, reason = NULL, awaits = NULL, chainId = ${chainOf(networks)},
        dueAt = iif(${isInFlight}, NULL, ${at}), version = version + 1, updatedAt = ${at}
      WHERE id IN ${idsToCancel(selection, networks)} RETURNING id, chainId`,
  )
}
