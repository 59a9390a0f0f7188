/**
 * What one node alone has settled, because no other one answered for ten minutes, is compared again with
 * all nodes once a second one answers.
 */
import { sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import type { DeliveryState } from '../db/schema/delivery.ts'
import { raw } from '../db/statements.ts'
import { log } from '../log.ts'
import type { Observed } from './chain/observe.ts'
import { readUses } from './chain/uses.ts'
import { RESOLVED_DELIVERIES } from './compare.ts'
import type { Delivery } from './model.ts'
import type { DeliveryChange } from './rules/delivery-changes.ts'
import { isFinal, settle, settleMined } from './rules/settle.ts'
import { type Finding, storeFindings } from './store/findings.ts'
import { changeDeliveries } from './transitions.ts'
import { queueDropped } from './wallet.ts'

/**
 * Confirms the ends that two nodes tell alike. What is transferred or cancelled, and is not so by two nodes,
 * is queued again, as after a fork. A failed delivery whose key is used is compared next. Of one whose key is
 * unused, an alarm tells the operator. What nodes tell differently stays as it is until they agree.
 */
export async function recheckEnds(input: Observed): Promise<{ hasMore: boolean }> {
  const { db, network, loaded, observation, now, lease } = input
  const { chainId } = network
  const { records, disputed, isAlone } = observation
  if (isAlone || loaded.unconfirmed.length === 0) return { hasMore: false }
  const known = loaded.unconfirmed
    .filter(({ key }) => records.has(key) && !disputed.has(key))
    .slice(0, RESOLVED_DELIVERIES)
  await lease.renew()
  const right = await findRight(known, input)
  const wrong = known.filter(({ id }) => right.get(id) === false)
  // Nothing shows why these failed: the shop may have paid back what can be delivered.
  const unproven = known.filter(
    ({ id, key, state }) => right.get(id) && state === 'failed' && records.get(key)?.block === 0,
  )
  if (wrong.length > 0)
    log.error('unconfirmed_ends_undone', { chainId, items: wrong.map(({ id }) => id) })
  const isIn = (ids: readonly number[]) =>
    sql`deliveries.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
      AND deliveries.isUnconfirmed`
  await batch(db, {
    ...queueDropped(db, isIn(wrong.map(({ id }) => id)), now),
    confirmed: changeDeliveries(db, 'confirm_end', isIn([...right.keys()]), now),
    findings:
      unproven.length > 0
        ? storeFindings(db, chainId, [describeUnproven(chainId, unproven)], now)
        : undefined,
    comparison: wrong.some(({ state }) => state === 'failed')
      ? raw<never>(
          db,
        )`UPDATE networks SET comparedAt = NULL, comparedId = 0 WHERE chainId = ${chainId}`
      : undefined,
  })
  return { hasMore: right.size === RESOLVED_DELIVERIES }
}

const describeUnproven = (chainId: number, deliveries: readonly Delivery[]): Finding => ({
  key: `failed_by_one_node:${chainId}`,
  detail: `Deliveries on chain ${chainId} failed by what one node alone has said, and their keys are unused: ${deliveries.length}, such as ${deliveries[0]?.id}.`,
  nodes: [],
})

/**
 * Returns whether deliveries have ended as two nodes tell, by the records of their keys and by the events.
 * Absent: they do not agree. Where no node has the transaction any more, the record suffices.
 */
async function findRight(deliveries: readonly Delivery[], { network, observation }: Observed) {
  const { records, final } = observation
  const recorded = deliveries.flatMap((delivery) => {
    const record = records.get(delivery.key)
    return record && isFinal(record, final) ? { delivery, record } : []
  })
  const { found } = await readUses(recorded, observation)
  const right = new Map(deliveries.map(({ id, state }) => [id, state === 'failed']))
  for (const { delivery, record } of recorded) {
    const { proof = null, isTold = false } = found.get(delivery.id) ?? {}
    const end = proof?.agreed.isConfirmed
      ? settleMined(proof.located, proof.agreed, network)?.change
      : !isTold && settle(delivery, record, null, null)
    if (end) right.set(delivery.id, end.transition === transitionTo[delivery.state])
    else right.delete(delivery.id)
  }
  return right
}

/** The transitions that lead to the ends. */
const transitionTo: Partial<Record<DeliveryState, DeliveryChange['transition']>> = {
  transferred: 'deliver',
  cancelled: 'cancel',
  failed: 'fail',
}
