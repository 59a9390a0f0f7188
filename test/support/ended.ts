/** Old orders whose delivery has ended. */
import { eq } from 'drizzle-orm'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orders } from '../../src/db/schema/orders.ts'
import { explain } from '../../src/delivery/reasons.ts'
import type { PlacedOrder } from '../../src/orders/reading/schema.ts'
import { aTransaction, db } from './makers.ts'

/** When the orders were placed that `ended` changes. */
const PLACED_AT = '2025-06-01T10:00:00.000Z'

type Delivery = Partial<typeof deliveries.$inferInsert>

const transferred: Delivery = { state: 'transferred' }
export const cancelled: Delivery = {
  state: 'cancelled',
  requestedAction: 'cancel',
  ...explain('cancelled'),
}

/** Makes orders old, and ends the delivery of each in a transaction of its own. */
export async function end(
  placed: readonly PlacedOrder[],
  delivery: Delivery = transferred,
): Promise<void> {
  for (const { id, orderItems: items } of placed) {
    const itemId = items[0]?.id ?? 0
    const transaction = await aTransaction({ items: [itemId], createdAt: PLACED_AT })
    const ended = { transactionId: transaction.id, dueAt: null, awaits: null, ...delivery }
    await db.batch([
      db.update(orders).set({ createdAt: PLACED_AT }).where(eq(orders.id, id)),
      db
        .update(deliveries)
        .set({ createdAt: PLACED_AT, updatedAt: '2025-06-01T10:07:00.000Z', ...ended })
        .where(eq(deliveries.id, itemId)),
    ])
  }
}
