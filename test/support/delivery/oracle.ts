/** The oracle compares what the rows say with what the chain says. */
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import type { Chain } from '../chain/chain.ts'
import { type Row, rowsOf } from './engine.ts'
import { keyOfEvent, keyOfItem, type TransferEvent, transferEvents } from './events.ts'
import type { PaidItem } from './items.ts'

/** What was paid for. `id` is that of the order item and of its delivery. */
export type ExpectedItem = Pick<
  PaidItem,
  'id' | 'standard' | 'contract' | 'tokenId' | 'recipient' | 'quantity'
>

/** What is wrong with an item; null if nothing is. */
function complaintAbout(
  row: Row | undefined,
  item: ExpectedItem,
  deliveries: readonly TransferEvent[],
): string | null {
  const [delivery, ...others] = deliveries
  if (others.length > 0) return `was delivered ${deliveries.length} times`
  if (!row) return 'has no row'
  if (delivery && delivery.quantity !== item.quantity) return `got ${delivery.quantity} pieces`
  const { state, reasonCode, reason, txId } = row
  if (state === 'transferred') {
    if (!delivery) return 'is transferred, but was not delivered'
    return txId === delivery.transactionHash ? null : `has ${txId} as its transaction`
  }
  if (delivery) return `was delivered, but is ${state} (${reason})`
  if (state === 'awaiting_wallet') return null
  if (state === 'failed' || state === 'cancelled')
    return reasonCode ? null : `is ${state} without a reason`
  return `is stuck: ${state} (${reason})`
}

/**
 * Expects one transfer on the chain for each item that is transferred, with its quantity to its
 * wallet; none for the others, which failed or were cancelled, or wait for a wallet; and nothing else.
 * The items are all that were ever sold on this chain.
 */
export async function expectExactlyOnce(
  chain: Chain,
  items: readonly ExpectedItem[],
): Promise<void> {
  const [events, rows] = await Promise.all([transferEvents(chain), rowsOf(items)])
  const deliveries = Map.groupBy(events, keyOfEvent)
  const complaints = items.flatMap((item) => {
    const complaint = complaintAbout(rows.get(item.id), item, deliveries.get(keyOfItem(item)) ?? [])
    return complaint ? [`item ${item.id} (${item.standard}) ${complaint}`] : []
  })
  expect(complaints).toEqual([])
  const expected = new Set(items.map(keyOfItem))
  expect(events.filter((event) => !expected.has(keyOfEvent(event)))).toEqual([])
}

/** Returns the items of a chain that are still to be delivered, and its open transactions. */
export async function unfinished({ chainId }: Chain): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT 'item ' || id || ' ' || state || ' (' || coalesce(reason, '') || ')' AS text
     FROM deliveries WHERE chainId = ?1 AND state IN ('queued', 'in_flight')
     UNION ALL SELECT 'transaction ' || hash FROM transactions WHERE chainId = ?1 AND isOpen`,
  )
    .bind(chainId)
    .all<{ text: string }>()
  return results.map(({ text }) => text)
}
