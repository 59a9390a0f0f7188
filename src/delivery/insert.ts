/** Inserts the deliveries of new orders. */
import { sql } from 'drizzle-orm'
import { prepared } from '../db/batch.ts'

/** `rows`: JSON, the first values of each delivery by the `payprovWebhookToken` of its order. */
type NewDeliveries = {
  rows: string
  now: string
  /** The user whose token placed the orders; null for a master token. */
  placedBy: number | null
  namespace: string
}

/** Their first states come from the plan. `appendFirstEvents` tells them. */
export const insertDeliveries = prepared((db, { rows, now, placedBy, namespace }: NewDeliveries) =>
  db.all<never>(sql`INSERT INTO deliveries (id, "key", chainId, state, dueAt, queuedAt,
        failingSince, reasonCode, awaits, placedBy, placer, createdAt, updatedAt)
      SELECT i.id, value ->> 'key', value ->> 'chainId', value ->> 'state', value ->> 'dueAt',
        value ->> 'queuedAt', value ->> 'failingSince', value ->> 'reasonCode',
        iif(value ->> 'state' = 'awaiting_wallet', o.buyerId, NULL), ${placedBy},
        coalesce('user:' || CAST(${placedBy} AS INTEGER), ${namespace}), ${now}, ${now}
      FROM json_each(${rows})
        CROSS JOIN orders o ON o.id = (SELECT id FROM orders
          WHERE payprovWebhookToken = json_each.key ORDER BY id DESC LIMIT 1)
        CROSS JOIN orderItems i ON i.orderId = o.id
      ORDER BY json_each.id`),
)
