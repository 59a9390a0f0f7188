/** Retries, cancels and writes off transfers. A change and its record in the audit log are one transaction. */

import { type SQL, sql } from 'drizzle-orm'
import { readAs, writeAs } from '../../auth/access.ts'
import { recordIntended, recordItems } from '../../auth/audit.ts'
import { refuseOldSignIn } from '../../auth/session.ts'
import type { Database } from '../../db/client.ts'
import { raw } from '../../db/statements.ts'
import { returnPieces } from '../../db/stock.ts'
import { configuredChainIds, type Settings } from '../../env.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError } from '../../http/errors.ts'
import { guard } from '../../http/guard.ts'
import { operatorLimits } from '../../limits.ts'
import { isUsedUpSql, rules } from '../reasons.ts'
import { assignChains, changeDeliveries } from '../transitions.ts'
import { type WakeUp, wake } from '../wake.ts'
import { addRecipients, hasRecipientSql } from '../wallet.ts'
import { type Filter, matches, selectTransfer, type Transfer, toTransfer } from './transfers.ts'

/** `returnPieces`: whether the pieces of the deliveries return to the stock. */
type WriteOff = { action: 'write_off'; returnPieces: boolean }
export type Action = { action: 'retry' | 'cancel' } | WriteOff

type StatementCtx = Pick<Ctx, 'db' | 'now'> & { settings: Pick<Settings, 'NETWORKS'> }
type ActionCtx = Ctx & StatementCtx & { queue: Queue<WakeUp> }

/**
 * Retries, cancels or writes off one transfer.
 *
 * @example await changeTransfer({ ...c.var, queue: c.env.DELIVERIES }, { id: 7, action: 'retry' })
 */
export async function changeTransfer(
  ctx: ActionCtx,
  { id, ...action }: { id: number } & Action,
): Promise<Transfer> {
  const { db, caller, settings } = ctx
  const unknown = () => new ApiError('not_found', 'there is no transfer with this id')
  const guards = [
    { when: sql`NOT EXISTS (SELECT 1 FROM deliveries WHERE id = ${id})`, error: unknown },
    ...findObstacles(settings.NETWORKS, id)[action.action].map(
      ({ when, reason }) => guard('conflict', reason)`${when}`,
    ),
    ...recentGuards(ctx, action),
  ]
  const ids = sql`(${id})`
  const {
    transfer: [row],
  } = await writeAs(db, caller, guards, {
    record: recordIntended(ctx, {
      action: `transfer.${action.action}`,
      subject: id,
      ...detailsOf(action),
      when: sql`EXISTS ${changeable(ctx, action, ids)}`,
    }),
    ...actionStatements(ctx, action, ids),
    transfer: selectTransfer(db, id),
  })
  if (!row) throw unknown()
  if (action.action !== 'write_off') await wake(ctx.queue, [row.chainId])
  return toTransfer(row)
}

/** Retries, cancels or writes off the first transfers that match, and returns how many. */
export async function changeTransfers(ctx: ActionCtx, change: Filter & Action): Promise<number> {
  const { db, caller } = ctx
  const { action, ids: _, ...details } = change
  const { found } = await readAs(db, caller, {
    found: raw<{ id: number }>(db)`
      SELECT d.id FROM deliveries d WHERE ${matches(change)} AND ${isChangeable(ctx, action)}
      ORDER BY d.id LIMIT ${operatorLimits.changed.max}`,
  })
  const ids = sql`(SELECT value FROM json_each(${JSON.stringify(found.map(({ id }) => id))}))`
  const { changed } = await writeAs(db, caller, recentGuards(ctx, change), {
    record: recordItems(ctx, {
      action: `transfer.${action}`,
      details,
      ids: changeable(ctx, change, ids),
    }),
    ...actionStatements(ctx, change, ids),
  })
  // A retry looks at once at what is due already, too.
  if (action === 'retry') await wake(ctx.queue, configuredChainIds(ctx.settings))
  else if (action === 'cancel')
    await wake(
      ctx.queue,
      changed.map(({ chainId }) => chainId),
    )
  return changed.length
}

const detailsOf = (action: Action) =>
  action.action === 'write_off' ? { details: { returnPieces: action.returnPieces } } : {}

/** What has ended cannot be delivered any more, so a stolen session must not do it. */
const recentGuards = ({ db, caller, now }: Ctx, { action }: Pick<Action, 'action'>) =>
  action !== 'retry' && caller.requires ? [refuseOldSignIn(db, caller, now)] : []

/** Selects those of the deliveries that an action changes, in parentheses. `ids`: a list in parentheses. */
export const changeable = (ctx: StatementCtx, { action }: Pick<Action, 'action'>, ids: SQL): SQL =>
  sql`(SELECT d.id FROM deliveries d WHERE d.id IN ${ids} AND ${isChangeable(ctx, action)})`

function isChangeable({ now, settings: { NETWORKS } }: StatementCtx, action: Action['action']) {
  if (action === 'write_off') return isUsedUpSql('d')
  const condition =
    action === 'retry'
      ? sql`(d.state = 'queued' AND d.dueAt > ${now.toISOString()}
          OR d.state = 'failed' AND NOT ${isBuyerRemovedSql})`
      : sql`d.state NOT IN ('transferred', 'written_off') AND d.requestedAction <> 'cancel'`
  return sql`${condition} AND NOT ${isUsedUpSql('d')} AND ${isConfiguredSql(NETWORKS)}`
}

/** Returns the statements of an action on deliveries. `ids`: a list in parentheses. */
export function actionStatements(ctx: StatementCtx, action: Action, ids: SQL) {
  const chosen = changeable(ctx, action, ids)
  if (action.action === 'write_off') return writeOff(ctx, chosen, action)
  return action.action === 'cancel' ? cancelDeliveries(ctx, chosen) : retryDeliveries(ctx, chosen)
}

/**
 * Queues failed deliveries again, and makes queued ones due at once. What a transaction carries is not
 * changed, nor are deliveries whose network is not configured. A failed delivery without a recipient gets the
 * wallet of its buyer, or waits until its buyer has one.
 *
 * Each delivery makes one of the transitions, because what one has changed is no longer `changeable` for
 * the next: `retry` takes the failed deliveries with a recipient, `retry_without_wallet` the other failed
 * ones, and `try_now` those that were queued for later.
 */
function retryDeliveries({ db, now, settings }: StatementCtx, chosen: SQL) {
  const isIt = sql`deliveries.id IN ${chosen}`
  return {
    recipients: addRecipients(db, chosen),
    burns: forgetBurns(db, chosen),
    chains: assignChains(db, settings.NETWORKS, isIt),
    changed: [
      ...changeDeliveries(db, 'retry', sql`${isIt} AND ${hasRecipientSql}`, now),
      ...changeDeliveries(db, 'retry_without_wallet', isIt, now),
      ...changeDeliveries(db, 'try_now', isIt, now),
    ],
  }
}

/** Forgets that transfers of tokens to recipients have burned gas, so that the deliveries are tried. */
const forgetBurns = (db: Database, chosen: SQL) =>
  raw<never>(db)`DELETE FROM burns WHERE (chainId, token, recipient) IN (
    SELECT x.chainId, lower(n.contractAddr), value
    FROM deliveries x JOIN orderItems i ON i.id = x.id JOIN nfts n ON n.id = i.nftId,
      json_each(json_array('', lower(i.ethRecipient)))
    WHERE x.id IN ${chosen})`

/** Ends failed deliveries whose keys are used up. */
const writeOff = ({ db, now }: StatementCtx, chosen: SQL, action: WriteOff) => ({
  pieces: action.returnPieces ? returnPieces(db, chosen, now) : undefined,
  changed: changeDeliveries(db, 'write_off', sql`deliveries.id IN ${chosen}`, now),
})

/**
 * Asks to use the keys of deliveries up. A delivery ends as `cancelled` once the chain has recorded that,
 * or as `transferred` if it was delivered first.
 */
function cancelDeliveries({ db, now, settings }: StatementCtx, chosen: SQL) {
  const isIt = sql`deliveries.id IN ${chosen}`
  return {
    chains: assignChains(db, settings.NETWORKS, isIt),
    changed: [
      ...changeDeliveries(db, 'request_cancellation', isIt, now),
      ...changeDeliveries(db, 'request_cancellation_in_flight', isIt, now),
    ],
  }
}

/** Whether the personal data of the buyer were removed, who links no wallet any more. */
const isBuyerRemovedSql = sql`EXISTS (SELECT 1 FROM orderItems i JOIN orders o ON o.id = i.orderId
  JOIN users u ON u.id = o.buyerId WHERE i.id = d.id AND u.removedAt IS NOT NULL)`

/** A state in which something cannot be done, and the sentence that says so. */
export type Obstacle = { when: SQL; reason: string }

/** The chain of a delivery. If its network was not configured when it was ordered, the chain now. */
const chainOfDelivery = (networks: Settings['NETWORKS']): SQL => {
  const chains = Object.entries(networks).map(([name, { chainId }]) => ({ name, chainId }))
  return sql`coalesce(d.chainId, (SELECT value ->> 'chainId' FROM json_each(${JSON.stringify(chains)})
    WHERE value ->> 'name' = (SELECT n.contractNetwork FROM orderItems i
      JOIN nfts n ON n.id = i.nftId WHERE i.id = d.id)))`
}

const isConfiguredSql = (networks: Settings['NETWORKS']): SQL => {
  const chainIds = Object.values(networks).map(({ chainId }) => chainId)
  return sql`${chainOfDelivery(networks)} IN (SELECT value FROM json_each(${JSON.stringify(chainIds)}))`
}

const obstacle = (id: number | SQL, condition: SQL, reason: string): Obstacle => ({
  when: sql`EXISTS (SELECT 1 FROM deliveries d WHERE d.id = ${id} AND ${condition})`,
  reason,
})

/** What stops each action on the delivery. */
export const findObstacles = (networks: Settings['NETWORKS'], id: number | SQL) => {
  const isTransferred = obstacle(id, sql`d.state = 'transferred'`, 'the NFT is transferred already')
  const isAwaiting = obstacle(id, sql`d.state = 'awaiting_wallet'`, 'the buyer has no wallet yet')
  const isCancelled = obstacle(id, sql`d.state = 'cancelled'`, 'the item is cancelled')
  const isWrittenOff = obstacle(id, sql`d.state = 'written_off'`, 'the item is written off')
  const isUsedUp = obstacle(id, isUsedUpSql('d'), 'the delivery key is used up: write the item off')
  const isNotUsedUp = obstacle(
    id,
    sql`NOT ${isUsedUpSql('d')}`,
    'only a failed item whose delivery key is used up can be written off',
  )
  const isBuyerRemoved = obstacle(
    id,
    sql`d.state = 'failed' AND ${isBuyerRemovedSql}`,
    'the personal data of the buyer were removed: cancel the item',
  )
  const { sentence: reason } = rules.network_not_configured
  const isNotConfigured = obstacle(id, sql`${isConfiguredSql(networks)} IS NOT 1`, reason)
  return {
    retry: [
      isTransferred,
      isAwaiting,
      isCancelled,
      isWrittenOff,
      isUsedUp,
      isBuyerRemoved,
      isNotConfigured,
    ],
    cancel: [isTransferred, isCancelled, isWrittenOff, isUsedUp, isNotConfigured],
    write_off: [isWrittenOff, isNotUsedUp],
  }
}
