/**
 * What one node alone has settled, because no other one answered for ten minutes, is compared again with
 * all nodes once a second one answers.
 */
import { sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import { raw } from '../db/statements.ts'
import { log } from '../log.ts'
import type { Observed } from './chain/observe.ts'
import type { Item, ObservedRecord } from './model.ts'
import { isFinal, settle } from './rules/settle.ts'
import { COMPARED_ITEMS } from './store/load.ts'
import { changeDeliveries } from './transitions.ts'

/**
 * Confirms the ends that two nodes tell alike. What is transferred or cancelled, and is not so by two
 * nodes, is queued again, as after a fork. A failed item whose key is used is compared next.
 */
export async function recheckEnds(input: Observed): Promise<{ hasMore: boolean }> {
  const { db, network, loaded, observation, now } = input
  const { chainId } = network
  const { records, disputed, final, isAlone } = observation
  if (isAlone || loaded.unconfirmed.length === 0) return { hasMore: false }
  const known = loaded.unconfirmed.filter(({ key }) => records.has(key) && !disputed.has(key))
  const isRight = (item: Item) => isSoRecorded(item, records.get(item.key), final)
  const idsOf = (items: readonly Item[]) =>
    sql`deliveries.id IN (SELECT value FROM json_each(${JSON.stringify(items.map(({ id }) => id))}))
      AND deliveries.isUnconfirmed`
  const wrong = known.filter((item) => !isRight(item))
  if (wrong.length > 0)
    log.error('unconfirmed_ends_undone', { chainId, items: wrong.map(({ id }) => id) })
  await batch(db, {
    undone: changeDeliveries(db, 'drop_block', idsOf(wrong), now),
    confirmed: changeDeliveries(db, 'confirm_end', idsOf(known), now),
    comparison: wrong.some(({ state }) => state === 'failed')
      ? raw<never>(
          db,
        )`UPDATE networks SET comparedAt = NULL, comparedId = 0 WHERE chainId = ${chainId}`
      : undefined,
  })
  return {
    hasMore: loaded.unconfirmed.length === COMPARED_ITEMS && known.length === COMPARED_ITEMS,
  }
}

/** Whether an item has ended as the record of its key says. One that failed has an unused key. */
function isSoRecorded(
  item: Item,
  record: ObservedRecord | undefined,
  final: { number: number },
): boolean {
  if (!record || !isFinal(record, final)) return item.state === 'failed'
  const end = settle(item, record, null, null)
  if (item.state === 'failed') return end?.transition === 'fail'
  return end?.transition === (item.state === 'cancelled' ? 'cancel' : 'deliver')
}
