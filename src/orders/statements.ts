/**
 * The statements that write the orders of one call. Each takes its rows from JSON, so their number
 * is constant, and D1's limit of 100 values a statement is none.
 *
 * The ids that one INSERT gives are consecutive and in the order of the JSON, so rows that belong
 * together find each other by their distance from the newest id.
 */
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { addresses, orderItems, orders, transfers } from '../db/schema.ts'
import { type Draft, ofEveryItem, ofEveryOrder } from './draft.ts'
import type { Repeatable } from './repeat.ts'

/** Of all statements, the last alone gives a row. */
type Last = { outcome: string }

/** `INSERT` of rows that are given as an array of arrays: their first values are those of `given`. */
function insert(
  table: SQLiteTable,
  given: readonly string[],
  computed: Record<string, SQL | Placeholder>,
  rows: Placeholder,
): SQL {
  const names = [...given, ...Object.keys(computed)].map((name) => sql.identifier(name))
  const values = [...given.map((_, i) => sql.raw(`value ->> ${i}`)), ...Object.values(computed)]
  return sql`INSERT INTO ${table} (${sql.join(names, sql`, `)})
    SELECT ${sql.join(values, sql`, `)} FROM json_each(${rows}) ORDER BY json_each.key`
}

/** What the rows have in common is not told by each: to take a value out of JSON costs the most. */
const constants = (values: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, sql`${value}`]))

type Rows<Others> = Placeholders<Others & { rows: string }>

const addressColumns = ['userId', 'city', 'country', 'postal', 'street'] as const

const insertAddresses = prepared((db, at: Rows<{ at: string }>) =>
  db.all<Last>(
    insert(
      addresses,
      addressColumns,
      { kind: sql`'billing'`, createdAt: at.at, updatedAt: at.at },
      at.rows,
    ),
  ),
)

/** Billing addresses. */
export const addAddresses = (
  db: Database,
  added: readonly Record<(typeof addressColumns)[number], unknown>[],
  at: string,
) =>
  insertAddresses(db, {
    rows: JSON.stringify(added.map((address) => addressColumns.map((name) => address[name]))),
    at,
  })

/** The check `nfts_stock` refuses to take more than there is. */
export const takeStock = prepared((db, at: Rows<{ at: string }>) =>
  db.all<Last>(sql`UPDATE nfts SET availableAmount = availableAmount - sold.quantity, updatedAt = ${at.at}
    FROM (SELECT value ->> 0 AS nftId, sum(value ->> 1) AS quantity
      FROM json_each(${at.rows}) GROUP BY 1) AS sold
    WHERE nfts.id = sold.nftId AND nfts.amountType IS NOT 'unlimited'`),
)

const orderColumns = [
  'buyerId',
  'providerId',
  'payprovWebhookToken',
  'totalPriceCents',
  'totalPriceCurrency',
  'totalPriceEth',
] as const

/** Beyond the columns: the id of the billing address, or its place among those that are added. */
const insertOrders = prepared((db, at: Rows<{ at: string; placedBy: number; added: number }>) =>
  db.all<Last>(
    insert(
      orders,
      orderColumns,
      {
        ...constants(ofEveryOrder),
        createdAt: at.at,
        updatedAt: at.at,
        placedBy: at.placedBy,
        billingAddressId: sql`coalesce(value ->> ${sql.raw(String(orderColumns.length))},
          (SELECT max(id) FROM addresses) - ${at.added} + 1 +
            (value ->> ${sql.raw(String(orderColumns.length + 1))}))`,
      },
      at.rows,
    ),
  ),
)

export const addOrders = (
  db: Database,
  drafted: Draft['orders'],
  values: { at: string; placedBy: number; added: number },
) => {
  const rows = drafted.map(({ order, billing }) => [
    ...orderColumns.map((name) => order[name]),
    ...('id' in billing ? [billing.id] : [null, billing.added]),
  ])
  return insertOrders(db, { ...values, rows: JSON.stringify(rows) })
}

const itemColumns = [
  'nftId',
  'listingId',
  'quantity',
  'priceCents',
  'priceEths',
  'ethRecipient',
  'priceCurrency',
] as const

const insertItems = prepared((db, at: Rows<{ many: number; at: string }>) =>
  db.all<Last>(
    insert(
      orderItems,
      itemColumns,
      {
        ...constants(ofEveryItem),
        createdAt: at.at,
        updatedAt: at.at,
        orderId: sql`(SELECT max(id) FROM orders) - ${at.many} + 1 + json_each.key`,
      },
      at.rows,
    ),
  ),
)

export const addItems = (db: Database, drafted: Draft['orders'], at: string) =>
  insertItems(db, {
    rows: JSON.stringify(drafted.map(({ item }) => itemColumns.map((name) => item[name]))),
    many: drafted.length,
    at,
  })

const insertTransfers = prepared((db, at: Rows<{ many: number; at: string; dueAt: string }>) =>
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

/** Whoever has no wallet is awaited. */
export const addTransfers = (
  db: Database,
  drafted: Draft['orders'],
  values: { at: string; dueAt: string },
) =>
  insertTransfers(db, {
    ...values,
    rows: JSON.stringify(
      drafted.map(({ order, item }) => (item.ethRecipient ? null : order.buyerId)),
    ),
    many: drafted.length,
  })

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
