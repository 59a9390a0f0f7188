/**
 * Writes the orders of one call in one transaction. Each statement takes its rows from JSON, so
 * their number is constant, and D1's limit of 100 values a statement is none.
 *
 * The ids that one INSERT gives are consecutive and in the order of the JSON, so rows that belong
 * together find each other by their distance from the newest id.
 */
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Database, violates } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { addresses, orderItems, orders, transfers } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { writeAs } from '../identity/caller.ts'
import { shown } from './answer.ts'
import type { Sale } from './check.ts'
import type { Draft, Outcome } from './draft.ts'
import { answerText, forget, type Repeatable } from './repeat.ts'

/** After how many milliseconds the sweep looks at a transfer whose message was lost. */
const SWEPT_AFTER = 60_000

class LostRace extends Error {}

/** What another call may have taken first: stock, a `providerId` or an `Idempotency-Key`. */
const contested = [
  'nfts_stock',
  'orders.placedBy, orders.providerId',
  'idempotencyKeys.userId, idempotencyKeys.key',
]

/**
 * Gives null, with nothing written, when another call came in between the reading of the facts
 * and this. Throws `unauthenticated`.
 */
export async function writeOrders(
  db: Database,
  caller: Caller,
  sales: readonly Sale[],
  draft: Draft,
  call: Repeatable | null,
  now: Date,
): Promise<Outcome | null> {
  const at = now.toISOString()
  const dueAt = new Date(now.getTime() + SWEPT_AFTER).toISOString()
  const many = draft.orders.length
  const added = sales.flatMap(addressOf)
  const nftIds = JSON.stringify(draft.nfts.map(({ id }) => id))
  try {
    const answers = await writeAs(
      db,
      caller,
      [{ when: hasChanged(sales, caller, at), because: () => new LostRace() }],
      [
        ...(added.length > 0 ? [addAddresses(db, { rows: JSON.stringify(added), at })] : []),
        takeStock(db, { rows: JSON.stringify(sales.map(taken)), at }),
        addOrders(db, {
          rows: JSON.stringify(draft.orders.map(({ order, billing }) => ({ ...order, billing }))),
          placedBy: caller.userId,
          added: added.length,
        }),
        addItems(db, { rows: JSON.stringify(draft.orders.map(({ item }) => item)), many }),
        addTransfers(db, {
          rows: JSON.stringify(
            draft.orders.map(({ order, item }) => (item.ethRecipient ? null : order.buyerId)),
          ),
          many,
          at,
          dueAt,
        }),
        ...(call
          ? [forget(db, call, now), keep(db, { ...call, answer: answerText(draft), nftIds, at })]
          : [outcome(db, { nftIds })]),
      ],
    )
    const [row] = answers.flat()
    if (!row) throw new Error('the transaction gave no outcome')
    return JSON.parse(row.outcome)
  } catch (error) {
    if (error instanceof LostRace || contested.some((name) => violates(error, name))) return null
    throw error
  }
}

/** Whether something that was checked, or that goes into the answer, is not so any more. */
function hasChanged(sales: readonly Sale[], caller: Caller, at: string): SQL {
  const expected = sales.map(({ nft, listing, buyer, newBillingAddress }) => [
    listing.id,
    nft.id,
    listing.priceCents,
    listing.priceWei,
    listing.priceCurrency,
    buyer.id,
    buyer.wallet,
    newBillingAddress ? null : buyer.billingAddressId,
  ])
  return sql`(SELECT count(*) FROM json_each(${JSON.stringify(expected)}) AS sale
    JOIN listings ON listings.id = sale.value ->> 0 AND listings.nftId = sale.value ->> 1
      AND listings.priceCents = sale.value ->> 2 AND listings.priceWei = sale.value ->> 3
      AND listings.priceCurrency = sale.value ->> 4
      AND listings.active AND (listings.activeTill IS NULL OR listings.activeTill > ${at})
      AND (${caller.role} = 'master' OR listings.sellerId = ${caller.userId})
    JOIN nfts ON nfts.id = listings.nftId AND nfts.status = 'released' AND nfts.deletedAt IS NULL
    JOIN users ON users.id = sale.value ->> 5 AND users.ethereumPublicAddr = sale.value ->> 6
      AND users.removedAt IS NULL
    LEFT JOIN addresses ON addresses.id = sale.value ->> 7
    WHERE sale.value ->> 7 IS NULL OR addresses.deletedAt IS NULL) < ${sales.length}`
}

const addressOf = ({ buyer, newBillingAddress }: Sale) =>
  newBillingAddress ? [{ userId: buyer.id, ...newBillingAddress }] : []

const taken = ({ nft, quantity }: Sale) => [nft.id, quantity]

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

const addAddresses = prepared((db, at: Rows<{ at: string }>) =>
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
const takeStock = prepared((db, at: Rows<{ at: string }>) =>
  db.all<Last>(sql`UPDATE nfts SET availableAmount = availableAmount - sold.quantity, updatedAt = ${at.at}
    FROM (SELECT value ->> 0 AS nftId, sum(value ->> 1) AS quantity
      FROM json_each(${at.rows}) GROUP BY 1) AS sold
    WHERE nfts.id = sold.nftId AND nfts.amountType IS NOT 'unlimited'`),
)

const { id: _orderId, billingAddressId, ...orderColumns } = shown.order
const { id: _itemId, orderId, ...itemColumns } = shown.orderItem

const addOrders = prepared((db, at: Rows<{ placedBy: number; added: number }>) =>
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

const addItems = prepared((db, at: Rows<{ many: number }>) =>
  db.all<Last>(
    insert(
      orderItems,
      Object.keys(itemColumns),
      { orderId: sql`(SELECT max(id) FROM orders) - ${at.many} + 1 + json_each.key` },
      at.rows,
    ),
  ),
)

const addTransfers = prepared((db, at: Rows<{ many: number; at: string; dueAt: string }>) =>
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

const outcome = prepared((db, at: Placeholders<{ nftIds: string }>) =>
  db.all<Last>(sql`SELECT ${outcomeOf(at.nftIds)} AS outcome`),
)

type Keep = Repeatable & { answer: string; nftIds: string; at: string }

/** The outcome, kept with the answer for the next call with this key. */
const keep = prepared((db, at: Placeholders<Keep>) =>
  db.all<Last>(sql`INSERT INTO "idempotencyKeys"
    (userId, "key", requestHash, answer, outcome, createdAt)
    VALUES (${at.userId}, ${at.key}, ${at.requestHash}, ${at.answer},
      ${outcomeOf(at.nftIds)}, ${at.at})
    RETURNING outcome`),
)
