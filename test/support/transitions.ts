/** Changes deliveries with the events that follow, as people, operators and the engine do. */

import { eq } from 'drizzle-orm'
import { batch } from '../../src/db/batch.ts'
import { type DeliveryState, deliveries } from '../../src/db/schema/delivery.ts'
import type { DeliveryChange } from '../../src/delivery/rules/delivery-changes.ts'
import {
  type ChangeName,
  changeDeliveries,
  hasIdSql,
  writeDeliveryChanges,
} from '../../src/delivery/transitions.ts'
import { db } from './makers.ts'

/** The transitions that people and operators make. The engine makes the others. */
const changes: Readonly<Partial<Record<`${DeliveryState} ${DeliveryState}`, ChangeName>>> = {
  'awaiting_wallet queued': 'link_wallet',
  'queued awaiting_wallet': 'unlink_wallet',
  'failed queued': 'retry',
  'failed awaiting_wallet': 'retry_without_wallet',
  'failed written_off': 'write_off',
  'transferred queued': 'drop_block',
  'cancelled queued': 'drop_block',
}

/** The transitions that the engine makes. */
const steps: Partial<Record<DeliveryState, DeliveryChange['transition']>> = {
  queued: 'queue',
  in_flight: 'carry',
  transferred: 'deliver',
  failed: 'fail',
  cancelled: 'cancel',
}

/** Changes the state of a delivery. `values`: what else it has after that. */
export async function moveTo(
  itemId: number,
  state: DeliveryState,
  values: Partial<typeof deliveries.$inferInsert> = {},
): Promise<void> {
  const isIt = eq(deliveries.id, itemId)
  if (Object.keys(values).length > 0) {
    const { awaits: _, reasonCode: _code, reasonDetail: _detail, dueAt: _due, ...others } = values
    await db
      .update(deliveries)
      .set({ requestedAction: 'deliver', ...others })
      .where(isIt)
  }
  const [row] = await db.select().from(deliveries).where(isIt)
  if (!row) throw new Error(`there is no delivery ${itemId}`)
  const isCancelled = state === 'queued' && row.requestedAction === 'cancel'
  const name = isCancelled ? 'request_cancellation' : changes[`${row.state} ${state}`]
  const { id, version, requestedAction, waitingSince, tries, withoutEffect } = row
  const { reasonCode = null, reasonDetail = null, dueAt = null } = values
  const transition = steps[state]
  const change = transition && {
    ...{ id, version, requestedAction, waitingSince, tries, withoutEffect, transition },
    ...{ reasonCode, reasonDetail, dueAt },
  }
  const now = new Date()
  await batch(db, {
    changed: name
      ? changeDeliveries(db, name, hasIdSql([itemId]), now)
      : writeDeliveryChanges(db, change ? [change] : [], false, now),
  })
  const [changed] = await db.select().from(deliveries).where(isIt)
  if (changed?.version === version)
    throw new Error(`no transition leads from ${row.state} to ${state}`)
}
