/**
 * The statements that write the orders of one call. Each takes its rows from one JSON array, so
 * their number is constant and D1's limit of 100 bound values does not matter. A row is an array
 * of the values that differ, because extracting values from JSON is what costs most.
 *
 * SQLite assigns consecutive ids in the order of the JSON array. So the id of row i of n is
 * `max(id) - n + 1 + i`.
 */
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database, Statement } from '../db/client.ts'
import { type Placeholders, prepared, preparedCondition } from '../db/prepared.ts'
import { deliveries } from '../db/schema/delivery.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import { addresses } from '../db/schema/users.ts'
import { NOT_CONFIGURED } from '../delivery/engine/moves.ts'
import type { Caller } from '../http/context.ts'
import { itemConstants, orderConstants, type Plan } from './plan.ts'

type Values = {
  /** JSON: an array of rows. */
  rows: string
  now: string
  namespace: string
  /** `addresses.origin` of new billing addresses. */
  origin: 'order' | 'seller_order'
  /** `deliveries.placedBy`. */
  placedBy: number | null
  orderCount: number
  newAddressCount: number
}

/**
 * Prepares the INSERT of JSON rows. Their values fill `columns`; `others` are the expressions of
 * the other columns.
 */
const insertRows = (
  table: SQLiteTable,
  columns: readonly string[],
  others: (values: Placeholders<Values>) => Record<string, SQL | Placeholder>,
) =>
  prepared((db, values: Placeholders<Values>) => {
    const expressions = others(values)
    const names = [...columns, ...Object.keys(expressions)].map((name) => sql.identifier(name))
    const selected = [
      ...columns.map((_, i) => sql.raw(`value ->> ${i}`)),
      ...Object.values(expressions),
    ]
    return db.all<never>(sql`INSERT INTO ${table} (${sql.join(names, sql`, `)})
      SELECT ${sql.join(selected, sql`, `)} FROM json_each(${values.rows}) ORDER BY json_each.key`)
  })

const timestamps = ({ now }: Placeholders<Values>) => ({ createdAt: now, updatedAt: now })

const asExpressions = (constants: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, sql`${value}`]))

const addressColumns = [
  'userId',
  'city',
  'country',
  'postal',
  'street',
  'companyName',
  'taxId',
] as const

const insertAddresses = insertRows(addresses, addressColumns, (values) => ({
  kind: sql`'billing'`,
  origin: values.origin,
  ...timestamps(values),
}))

/** The CHECK `nfts_stock` fails if there are not enough pieces. */
const reduceStock = prepared((db, { rows, now }: Placeholders<Values>) =>
  db.all<never>(sql`UPDATE nfts SET availableAmount = availableAmount - sold.quantity, updatedAt = ${now}
    FROM (SELECT value ->> 0 AS nftId, sum(value ->> 1) AS quantity
      FROM json_each(${rows}) GROUP BY 1) AS sold
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

/** After the columns, a row has the id of the billing address, or null and the index of a new one. */
const billingId = sql.raw(`value ->> ${orderColumns.length}`)
const newAddressIndex = sql.raw(`value ->> ${orderColumns.length + 1}`)

const insertOrders = insertRows(orders, orderColumns, (values) => ({
  ...asExpressions(orderConstants),
  ...timestamps(values),
  namespace: values.namespace,
  billingAddressId: sql`coalesce(${billingId},
    (SELECT max(id) FROM addresses) - ${values.newAddressCount} + 1 + ${newAddressIndex})`,
}))

const itemColumns = [
  'nftId',
  'listingId',
  'quantity',
  'priceCents',
  'priceEths',
  'ethRecipient',
  'priceCurrency',
] as const

const insertItems = insertRows(
  orderItems,
  [...itemColumns, 'recipientChainId', 'sellerId'],
  (values) => ({
    ...asExpressions(itemConstants),
    ...timestamps(values),
    orderId: sql`(SELECT max(id) FROM orders) - ${values.orderCount} + 1 + json_each.key`,
  }),
)

/** `awaits` is the buyer whose wallet the item waits for, or null if the buyer has a wallet. */
const insertDeliveries = insertRows(
  deliveries,
  ['key', 'chainId', 'awaits', 'state'],
  (values) => ({
    id: sql`(SELECT max(id) FROM "orderItems") - ${values.orderCount} + 1 + json_each.key`,
    dueAt: sql`iif(value ->> 3 = 'queued', ${values.now}, NULL)`,
    reason: sql`iif(value ->> 3 = 'failed', ${NOT_CONFIGURED}, NULL)`,
    placedBy: values.placedBy,
    ...timestamps(values),
  }),
)

/**
 * Stores which DELIVERY_KEY_SECRET made the keys of this instance. Another one would make another
 * key for the same order number, and deliver it twice.
 */
export const storeSecretHash = prepared((db, { hash }: Placeholders<{ hash: string }>) =>
  db.all<never>(sql`INSERT INTO instance (id, deliverySecretHash)
    SELECT 1, ${hash} WHERE NOT EXISTS (SELECT 1 FROM instance)`),
)

export const hasOtherSecret = preparedCondition(
  (_, { hash }: Placeholders<{ hash: string }>) =>
    sql`EXISTS (SELECT 1 FROM instance WHERE deliverySecretHash <> ${hash})`,
)

/** Returns the statements that write the orders of a plan, to run in one transaction. */
export function insertPlan(
  db: Database,
  plan: Plan,
  caller: Caller,
  values: Pick<Values, 'now' | 'namespace'>,
): Statement[] {
  const withRows = (rows: readonly unknown[]): Values => ({
    ...values,
    origin: caller.role === 'master' ? 'order' : 'seller_order',
    placedBy: caller.role === 'master' ? null : caller.userId,
    rows: JSON.stringify(rows),
    orderCount: plan.orders.length,
    newAddressCount: plan.newAddresses.length,
  })
  const addressRows = plan.newAddresses.map((row) => addressColumns.map((name) => row[name]))
  const orderRows = plan.orders.map(({ order, billing }) => [
    ...orderColumns.map((name) => order[name]),
    ...('id' in billing ? [billing.id] : [null, billing.newAddress]),
  ])
  const itemRows = plan.orders.map(({ item, recipientChainId, sellerId }) => [
    ...itemColumns.map((name) => item[name]),
    recipientChainId,
    sellerId,
  ])
  const deliveryRows = plan.orders.map(({ order, item, delivery: { key, chainId } }) =>
    item.ethRecipient
      ? [key, chainId, null, chainId === null ? 'failed' : 'queued']
      : [key, chainId, order.buyerId, 'awaiting_wallet'],
  )
  return [
    ...(addressRows.length > 0 ? [insertAddresses(db, withRows(addressRows))] : []),
    reduceStock(db, withRows(plan.orders.map(({ item }) => [item.nftId, item.quantity]))),
    insertOrders(db, withRows(orderRows)),
    insertItems(db, withRows(itemRows)),
    insertDeliveries(db, withRows(deliveryRows)),
  ]
}

/** JSON of a `WriteResult`, once the rows of the plan are inserted. */
export const writeResultJson = (nftIds: Placeholder) => sql`json_object(
  'lastOrderId', (SELECT max(id) FROM orders),
  'lastItemId', (SELECT max(id) FROM "orderItems"),
  'lastAddressId', (SELECT max(id) FROM addresses),
  'available', (SELECT json_group_object(id, availableAmount) FROM nfts
    WHERE id IN (SELECT value FROM json_each(${nftIds}))))`

export const nftIdsOf = ({ nfts }: Plan) => JSON.stringify(nfts.map(({ id }) => id))

type Written = {
  /** JSON of a `WriteResult`. */
  result: string
  /** JSON: the endpoints that have to be told of the orders. */
  endpointIds: string
}

export const selectWritten = prepared(
  (db, { nftIds, orderCount }: Placeholders<{ nftIds: string; orderCount: number }>) =>
    db.all<Written>(sql`SELECT ${writeResultJson(nftIds)} AS result,
      (SELECT json_group_array(DISTINCT endpointId)
        FROM webhookMessages INDEXED BY webhookMessages_order
        WHERE orderId > (SELECT max(id) FROM orders) - ${orderCount} AND dueAt IS NOT NULL)
      AS endpointIds`),
)

type Expected = { rows: string; count: number; role: string; userId: number; now: string }

const isOutdated = preparedCondition(
  (_, { rows, count, role, userId, now }: Placeholders<Expected>) =>
    sql`(SELECT count(*) FROM json_each(${rows}) AS expected
    JOIN listings ON listings.id = value ->> 0 AND listings.nftId = value ->> 1
      AND listings.priceCents = value ->> 2 AND listings.priceWei = value ->> 3
      AND listings.priceCurrency = value ->> 4
      AND listings.active AND (listings.activeTill IS NULL OR listings.activeTill > ${now})
      AND (${role} = 'master' OR listings.sellerId = ${userId})
    JOIN nfts ON nfts.id = listings.nftId AND nfts.status = 'released' AND nfts.deletedAt IS NULL
    JOIN users ON users.id = value ->> 5 AND users.ethereumPublicAddr = value ->> 6
      AND users.walletChainId = value ->> 8 AND users.removedAt IS NULL
    LEFT JOIN addresses ON addresses.id = value ->> 7
    WHERE value ->> 7 IS NULL OR addresses.deletedAt IS NULL) < ${count}`,
)

/** Whether something that was checked, or that the response shows, has changed since it was read. */
export function hasChanged(plan: Plan, { role, userId }: Caller, now: string) {
  const weiOf = new Map(plan.listings.map(({ id, priceWei }) => [id, priceWei]))
  const rows = plan.orders.map(({ order, item, billing, recipientChainId }) => [
    item.listingId,
    item.nftId,
    item.priceCents,
    weiOf.get(item.listingId),
    item.priceCurrency,
    order.buyerId,
    item.ethRecipient ?? '',
    'id' in billing ? billing.id : null,
    recipientChainId,
  ])
  return isOutdated({ rows: JSON.stringify(rows), count: rows.length, role, userId, now })
}
