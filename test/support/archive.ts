/** Old orders whose delivery has ended, and calls that archive them. */
import { eq } from 'drizzle-orm'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orderItems, orders } from '../../src/db/schema/orders.ts'
import type { PlacedOrder } from '../../src/orders/answer.ts'
import { call } from './api.ts'
import { aTransaction, db } from './makers.ts'

/** When the orders were placed that `ended` changes. */
const PLACED_AT = '2025-06-01T10:00:00.000Z'
/** A day after that. */
export const BEFORE = '2025-07-01'

type Delivery = Partial<typeof deliveries.$inferInsert>

export const transferred: Delivery = { state: 'transferred' }
export const cancelled: Delivery = { state: 'failed', wish: 'cancel', reason: 'cancelled' }

/** Makes orders old, and ends the delivery of each in a transaction of its own. */
export async function end(
  placed: readonly PlacedOrder[],
  delivery: Delivery = transferred,
): Promise<void> {
  const old = { createdAt: PLACED_AT, updatedAt: PLACED_AT }
  for (const { id, orderItems: items } of placed) {
    const itemId = items[0]?.id ?? 0
    const transaction = await aTransaction({ items: [itemId], createdAt: PLACED_AT })
    const ended = { transactionId: transaction.id, dueAt: null, awaits: null, ...delivery }
    await db.batch([
      db.update(orders).set(old).where(eq(orders.id, id)),
      db.update(orderItems).set(old).where(eq(orderItems.id, itemId)),
      db
        .update(deliveries)
        .set({ ...old, updatedAt: '2025-06-01T10:07:00.000Z', ...ended })
        .where(eq(deliveries.id, itemId)),
    ])
  }
}

type Archived = { archived: number; nextCursor: string | null }

/** Archives until nothing is left, and returns how many orders. */
export async function archive(token: string, before = BEFORE): Promise<number> {
  let count = 0
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor; isFirst = false) {
    const json = { before, ...(cursor && { cursor }) }
    const response = await call('POST', '/api/admin/archive', { token, json })
    const answer: Archived = await response.json()
    if (response.status !== 200) throw new Error(JSON.stringify(answer))
    count += answer.archived
    cursor = answer.nextCursor
  }
  return count
}
