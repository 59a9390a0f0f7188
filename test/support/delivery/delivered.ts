import { expect } from 'vitest'
import type { Chain } from '../chain/chain.ts'
import { rowsOf } from './engine.ts'
import { deliveriesOf, transferEvents } from './events.ts'
import type { PaidItem } from './items.ts'

/** Expects that each item is `transferred`, and that the chain has one transfer of it. */
export async function expectDelivered(chain: Chain, items: readonly PaidItem[]) {
  const [events, rows] = [await transferEvents(chain), await rowsOf(items)]
  expect(items.map(({ id }) => rows.get(id))).toMatchObject(
    items.map(() => ({ state: 'transferred', reason: null })),
  )
  for (const item of items)
    expect(deliveriesOf(item, events)).toMatchObject([{ quantity: item.quantity }])
}
