import { expect } from 'vitest'
import type { Chain } from '../chain/chain.ts'
import { rowsOf } from './engine.ts'
import { deliveriesOf, transferEvents } from './events.ts'
import type { PaidItem } from './items.ts'

/** Expects that each item is `transferred`, and that the chain has one transfer or mint of it. */
export async function expectDelivered(chain: Chain, items: readonly PaidItem[]) {
  const [events, rows] = [await transferEvents(chain), await rowsOf(items)]
  for (const item of items) {
    const [event, ...others] = deliveriesOf(item, events)
    expect(event).toMatchObject({ quantity: item.quantity })
    expect(others).toEqual([])
    const txId = event?.transactionHash
    const transferred = { state: 'transferred', reason: null, txId, dueAt: null }
    expect(rows.get(item.id)).toMatchObject(transferred)
  }
}
