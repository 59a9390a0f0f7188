import { type SQL, sql } from 'drizzle-orm'
import { namespaceOf, writeAs } from '../auth/access.ts'
import { recordIntended } from '../auth/audit.ts'
import type { Guard } from '../db/batch.ts'
import { actionStatements, changeable, findObstacles } from '../delivery/actions/actions.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { guard } from '../http/guard.ts'
import { toSummary } from './reading/order.ts'
import { selectSummary } from './reading/read.ts'
import { isVisibleSql, viewerValues } from './reading/viewer.ts'

type CancelCtx = Ctx & { settings: Pick<Settings, 'NETWORKS'> }

/**
 * Asks to use up the delivery key of an order, for a master token or the namespace that placed it.
 * If that was requested before, nothing changes. Returns the order then, and the chains to wake.
 */
export async function cancelOrder(ctx: CancelCtx, { orderId }: { orderId: number }) {
  const { db, caller, settings } = ctx
  const orderItemId = sql`(SELECT id FROM orderItems WHERE orderId = ${orderId})`
  const isRequested = sql`EXISTS (SELECT 1 FROM deliveries
    WHERE id = ${orderItemId} AND requestedAction = 'cancel')`
  const obstacles = findObstacles(settings.NETWORKS, orderItemId).cancel.map(
    ({ when, reason }) => guard('conflict', reason)`${when} AND NOT ${isRequested}`,
  )
  // If it was requested before, this changes nothing.
  const action = { action: 'cancel' } as const
  const {
    changed,
    summary: [row],
  } = await writeAs(db, caller, [...callerGuards(ctx, orderId), ...obstacles], {
    // Orders name the user token that placed them, and only it can cancel them.
    record: recordIntended(ctx, {
      action: 'transfer.cancel',
      subject: orderItemId,
      when: sql`${caller.role} = 'master' AND EXISTS ${changeable(ctx, action, orderItemId)}`,
    }),
    ...actionStatements(ctx, action, orderItemId),
    summary: selectSummary(db, caller, orderId),
  })
  if (!row) throw new Error('the order was not read')
  return {
    order: toSummary(row.summary),
    chainIds: changed.map(({ chainId }) => chainId),
  }
}

/** Rejects who may not see the order, and who sees it but has not placed it. */
function callerGuards({ caller }: Ctx, orderId: number): Guard[] {
  const viewer = viewerValues(caller)
  const isOwn = sql`(${viewer.isMaster} OR namespace = ${namespaceOf(caller.tokenId)})`
  const exists = (condition: SQL) =>
    sql`EXISTS (SELECT 1 FROM orders WHERE id = ${orderId} AND ${condition})`
  return [
    guard('order_not_found', `order ${orderId} does not exist`)`
      NOT ${exists(isVisibleSql(viewer))}`,
    guard('forbidden', 'only the token name that placed it may cancel it')`NOT ${exists(isOwn)}`,
  ]
}
