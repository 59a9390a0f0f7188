/** Retries, cancels and writes off transfers. Each change and its record in the audit log are one trip. */

import { type SQL, sql } from 'drizzle-orm'
import { writeAs } from '../../auth/access.ts'
import { recordAction, recordItems } from '../../auth/audit.ts'
import { requireRecentSignIn } from '../../auth/session.ts'
import { raw, type Statement } from '../../db/batch.ts'
import { configuredChainIds, type Settings } from '../../env.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError } from '../../http/errors.ts'
import { guard } from '../../http/guard.ts'
import { type WakeUp, wake } from '../wake.ts'
import { findObstacles, isConfigured, isFinal, itemChain } from './obstacles.ts'
import { type Filter, matches, selectTransfer, type Transfer, toTransfer } from './transfers.ts'

/** Items that one call changes at most. */
export const MAX_CHANGED = 1000

/** `returnPieces`: whether the pieces of the items return to the stock. */
type WriteOff = { action: 'write_off'; returnPieces: boolean }
export type Action = { action: 'retry' | 'cancel' } | WriteOff

type StatementCtx = Pick<Ctx, 'db' | 'now'> & { settings: Pick<Settings, 'NETWORKS'> }
type ActionCtx = Ctx & StatementCtx & { queue: Queue<WakeUp> }

/** What to change: one item, or the first that match a filter. */
type Change = ({ id: number | SQL } | Filter) & Action

/**
 * Retries, cancels or writes off one transfer. Throws `unauthenticated`, `forbidden`, `not_found`,
 * `conflict` if it is in a state that does not allow it, and `reauthentication_required` if a
 * session does more than retry whose sign-in is too long ago.
 *
 * @example await changeTransfer({ ...c.var, queue: c.env.DELIVERIES }, { id: 7, action: 'retry' })
 */
export async function changeTransfer(
  ctx: ActionCtx,
  change: { id: number } & Action,
): Promise<Transfer> {
  const { db, caller, settings } = ctx
  const { id, action, ...details } = change
  const unknown = () => new ApiError('not_found', 'there is no transfer with this id')
  const guards = [
    { when: sql`NOT EXISTS (SELECT 1 FROM deliveries WHERE id = ${id})`, error: unknown },
    ...findObstacles(settings.NETWORKS, id)[action].map(({ when, reason }) =>
      guard(when, 'conflict', reason),
    ),
    ...recentGuards(ctx, action),
  ]
  const statements: Statement[] = [
    ...actionStatements(ctx, change),
    recordAction(ctx, {
      action: `transfer.${action}`,
      subject: id,
      ...(action === 'write_off' && { details }),
    }),
  ]
  const results = await writeAs(db, caller, guards, [
    ...statements,
    selectTransfer(db, id),
  ] as const)
  const row = results.at(-1)?.[0]
  if (!row) throw unknown()
  if (action !== 'write_off') await wakeChains(ctx, [row])
  return toTransfer(row)
}

/**
 * Retries, cancels or writes off the first transfers that match, and returns how many. Throws
 * `unauthenticated`, `forbidden`, and `reauthentication_required` as `changeTransfer` does.
 */
export async function changeTransfers(ctx: ActionCtx, change: Filter & Action): Promise<number> {
  const { db, caller } = ctx
  const { action, ids: _, ...details } = change
  const record = recordItems(ctx, {
    action: `transfer.${action}`,
    details,
    ids: changeableIds(ctx, change),
  })
  const statements = [record, ...actionStatements(ctx, change)] as const
  const changed = (await writeAs(db, caller, recentGuards(ctx, action), statements)).at(-1) ?? []
  // A retry looks at once at what is due already, too.
  const chainIds = configuredChainIds(ctx.settings)
  if (action === 'retry') await wake(ctx.queue, chainIds)
  else if (action === 'cancel') await wakeChains(ctx, changed)
  return changed.length
}

/** What has ended cannot be delivered any more, so a stolen session must not do it. */
const recentGuards = ({ db, caller, now }: Ctx, action: Action['action']) =>
  action !== 'retry' && caller.requires ? [requireRecentSignIn(db, caller, now)] : []

const wakeChains = ({ queue }: ActionCtx, rows: readonly { chainId: number | null }[]) =>
  wake(
    queue,
    rows.flatMap(({ chainId }) => chainId ?? []),
  )

/** The ids of the items that an action changes, in parentheses. */
function changeableIds(ctx: StatementCtx, change: Change): SQL {
  const [selected, limit] =
    'id' in change
      ? [sql`d.id = ${change.id}`, sql``]
      : [matches(change), sql`ORDER BY d.id LIMIT ${MAX_CHANGED}`]
  return sql`(SELECT d.id FROM deliveries d
    WHERE ${selected} AND ${isChangeable(ctx, change.action)} ${limit})`
}

function isChangeable({ now, settings: { NETWORKS } }: StatementCtx, action: Action['action']) {
  if (action === 'write_off') return isFinal
  const condition =
    action === 'retry'
      ? sql`(d.state = 'queued' AND d.dueAt > ${now.toISOString()} OR d.state = 'failed')`
      : sql`d.state NOT IN ('transferred', 'written_off') AND d.requestedAction <> 'cancel'`
  return sql`${condition} AND NOT ${isFinal} AND ${isConfigured(NETWORKS)}`
}

/** Returns the statements of an action. The rows of the last are the items that it changes. */
export function actionStatements(ctx: StatementCtx, change: Change) {
  if (change.action === 'write_off') return writeOff(ctx, change)
  if (change.action === 'cancel') return [cancelItems(ctx, change)] as const
  return [addRecipients(ctx, change), forgetBurns(ctx, change), retryItems(ctx, change)] as const
}

type Changed = { id: number; chainId: number | null }

/**
 * Queues failed items again, and makes queued ones due at once. What a transaction carries is not
 * changed, nor are items whose network is not configured. A failed item without a recipient waits
 * until its buyer has a wallet; `addRecipients` completes the others.
 */
function retryItems(ctx: StatementCtx, change: Change) {
  const at = ctx.now.toISOString()
  const buyer = sql`(SELECT u.id FROM orderItems i JOIN orders o ON o.id = i.orderId
    JOIN users u ON u.id = o.buyerId
    WHERE i.id = d.id AND i.ethRecipient IS NULL AND u.ethereumPublicAddr = '')`
  const awaited = sql`iif(d.state = 'failed', ${buyer}, NULL)`
  return raw<Changed>(
    ctx.db,
    sql`UPDATE deliveries AS d SET awaits = ${awaited},
        state = iif(${awaited} IS NULL, 'queued', 'awaiting_wallet'),
        dueAt = iif(${awaited} IS NULL, ${at}, NULL),
        queuedAt = iif(${awaited} IS NULL, ${queuedAt(at)}, NULL), failingSince = NULL, tries = 0,
        retriedAt = iif(d.state = 'failed', ${at}, retriedAt),
        reasonCode = iif(requestedAction = 'cancel', reasonCode, NULL),
        reason = iif(requestedAction = 'cancel', reason, NULL), version = version + 1,
        updatedAt = ${at}, chainId = ${itemChain(ctx.settings.NETWORKS)}
      WHERE id IN ${changeableIds(ctx, change)} RETURNING id, chainId`,
  )
}

/** An item that ended and is queued again is a new one for alarms. */
const queuedAt = (at: string) => sql`iif(d.state = 'failed', ${at}, coalesce(d.queuedAt, ${at}))`

/** Gives items without a recipient the wallet of their buyer, who has unlinked the one before. */
function addRecipients(ctx: StatementCtx, change: Change) {
  return raw<never>(
    ctx.db,
    sql`UPDATE orderItems SET ethRecipient = u.ethereumPublicAddr,
        recipientChainId = u.walletChainId
      FROM deliveries d, orders o, users u
      WHERE d.id IN ${changeableIds(ctx, change)} AND d.requestedAction = 'deliver'
        AND orderItems.id = d.id AND orderItems.ethRecipient IS NULL
        AND o.id = orderItems.orderId AND u.id = o.buyerId AND u.ethereumPublicAddr <> ''`,
  )
}

/** Forgets that transfers of tokens to recipients have burned gas, so that the items are tried. */
const forgetBurns = (ctx: StatementCtx, change: Change) =>
  raw<never>(
    ctx.db,
    sql`DELETE FROM burns WHERE (chainId, token, recipient) IN (
      SELECT d.chainId, lower(n.contractAddr), value
      FROM deliveries d JOIN orderItems i ON i.id = d.id JOIN nfts n ON n.id = i.nftId,
        json_each(json_array('', lower(i.ethRecipient)))
      WHERE d.id IN ${changeableIds(ctx, change)})`,
  )

/**
 * Ends failed items whose keys are used up. Only failed ones are changed, so their pieces return
 * once at most. The last statement acts: `recordAction` looks at it.
 */
function writeOff(ctx: StatementCtx, change: Change & WriteOff) {
  const at = ctx.now.toISOString()
  const ids = changeableIds(ctx, change)
  const pieces = raw<never>(
    ctx.db,
    sql`UPDATE nfts SET availableAmount = availableAmount + pieces, updatedAt = ${at}
      FROM (SELECT nftId, sum(quantity) AS pieces FROM orderItems WHERE id IN ${ids} GROUP BY nftId)
      WHERE nfts.id = nftId AND nfts.amountType IS NOT 'unlimited'`,
  )
  const end = raw<Changed>(
    ctx.db,
    sql`UPDATE deliveries SET state = 'written_off', version = version + 1, updatedAt = ${at}
      WHERE id IN ${ids} RETURNING id, chainId`,
  )
  return change.returnPieces ? ([pieces, end] as const) : ([end] as const)
}

/**
 * Asks to use the keys of items up. An item ends as `cancelled` once the chain has recorded that,
 * or as `transferred` if it was delivered first.
 */
export function cancelItems(ctx: StatementCtx, change: Change) {
  const at = ctx.now.toISOString()
  const isInFlight = sql`state = 'in_flight'`
  return raw<Changed>(
    ctx.db,
    sql`UPDATE deliveries AS d SET state = iif(${isInFlight}, state, 'queued'),
        requestedAction = 'cancel', cancelRequestedAt = coalesce(cancelRequestedAt, ${at}),
        failingSince = NULL, tries = 0, reasonCode = NULL,
        reason = NULL, awaits = NULL, chainId = ${itemChain(ctx.settings.NETWORKS)},
        queuedAt = ${queuedAt(at)},
        dueAt = iif(${isInFlight}, NULL, ${at}), version = version + 1, updatedAt = ${at}
      WHERE id IN ${changeableIds(ctx, change)} RETURNING id, chainId`,
  )
}
