/**
 * The statements that write the orders of one call. Each takes its rows from JSON, so their number
 * is constant, and D1's limit of 100 values a statement is none.
 *
 * The ids that one INSERT gives are consecutive and in the order of the JSON, so rows that belong
 * together find each other by their distance from the newest id.
 */
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { addresses, orderItems, orders, transfers } from '../db/schema.ts'
import { shown } from './answer.ts'
import type { Repeatable } from './repeat.ts'

/** Of all statements, the last alone gives a row. */
type Last = { outcome: string }

/** `INSERT` of the columns that the rows of JSON have, and of those that are computed. */
function insert(
  table: SQLiteTable,
  given: readonly string[],
  computed: Record<string, SQL | Placeholder>,
  rows: Placeholder,
): SQL {
  const names = [...given, ...Object.keys(computed)].map((name) => sql.identifier(name))
  const values = [
    ...given.map((name) => sql.raw(`value ->> '${name}'`)),
    ...Object.values(computed),
  ]
  return sql`INSERT INTO ${table} (${sql.join(names, sql`, `)})
    SELECT ${sql.join(values, sql`, `)} FROM json_each(${rows}) ORDER BY json_each.key`
}

type Rows<Others> = Placeholders<Others & { rows: string }>

export const addAddresses = prepared((db, at: Rows<{ at: string }>) =>
  db.all<Last>(
    insert(
      addresses,
      ['userId', 'city', 'country', 'postal', 'street'],
      { kind: sql`'billing'`, createdAt: at.at, updatedAt: at.at },
      at.rows,
    ),
  ),
)

/** The check `nfts_stock` refuses to take more than there is. */
export const takeStock = prepared((db, at: Rows<{ at: string }>) =>
  db.all<Last>(sql`UPDATE nfts SET availableAmount = availableAmount - sold.quantity, updatedAt = ${at.at}
    FROM (SELECT value ->> 0 AS nftId, sum(value ->> 1) AS quantity
      FROM json_each(${at.rows}) GROUP BY 1) AS sold
    WHERE nfts.id = sold.nftId AND nfts.amountType IS NOT 'unlimited'`),
)

const { id: _orderId, billingAddressId, ...orderColumns } = shown.order
const { id: _itemId, orderId, ...itemColumns } = shown.orderItem

export const addOrders = prepared((db, at: Rows<{ placedBy: number; added: number }>) =>
  db.all<Last>(
    insert(
      orders,
      Object.keys(orderColumns),
      {
        placedBy: at.placedBy,
        billingAddressId: sql`coalesce(value ->> '$.billing.id',
          (SELECT max(id) FROM addresses) - ${at.added} + 1 + (value ->> '$.billing.added'))`,
      },
      at.rows,
    ),
  ),
)

export const addItems = prepared((db, at: Rows<{ many: number }>) =>
  db.all<Last>(
    insert(
      orderItems,
      Object.keys(itemColumns),
      { orderId: sql`(SELECT max(id) FROM orders) - ${at.many} + 1 + json_each.key` },
      at.rows,
    ),
  ),
)

export const addTransfers = prepared((db, at: Rows<{ many: number; at: string; dueAt: string }>) =>
  db.all<Last>(
    insert(
      transfers,
      [],
      {
        id: sql`(SELECT max(id) FROM "orderItems") - ${at.many} + 1 + json_each.key`,
        status: sql`iif(value IS NULL, 'queued', 'awaiting_wallet')`,
        awaits: sql`value`,
        dueAt: sql`iif(value IS NULL, ${at.dueAt}, NULL)`,
        createdAt: at.at,
        updatedAt: at.at,
      },
      at.rows,
    ),
  ),
)

/** JSON of an `Outcome`, once all the rest is written. */
const outcomeOf = (nftIds: Placeholder) => sql`json_object(
  'lastOrderId', (SELECT max(id) FROM orders),
  'lastItemId', (SELECT max(id) FROM "orderItems"),
  'lastAddressId', (SELECT max(id) FROM addresses),
  'available', (SELECT json_group_object(id, availableAmount) FROM nfts
    WHERE id IN (SELECT value FROM json_each(${nftIds}))))`

/** For a call that nobody can repeat. */
export const outcome = prepared((db, at: Placeholders<{ nftIds: string }>) =>
  db.all<Last>(sql`SELECT ${outcomeOf(at.nftIds)} AS outcome`),
)

type Keep = Repeatable & { answer: string; nftIds: string; at: string }

/** The outcome, kept with the answer for the next call with this key. */
export const keep = prepared((db, at: Placeholders<Keep>) =>
  db.all<Last>(sql`INSERT INTO "idempotencyKeys"
    (userId, "key", requestHash, answer, outcome, createdAt)
    VALUES (${at.userId}, ${at.key}, ${at.requestHash}, ${at.answer},
      ${outcomeOf(at.nftIds)}, ${at.at})
    RETURNING outcome`),
)
