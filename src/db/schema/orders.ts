import { sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { listings, nfts } from './catalogue.ts'
import { id, reference, timestamp, timestamps } from './columns.ts'
import { users } from './users.ts'

export const orders = sqliteTable(
  'orders',
  {
    id: id(),
    buyerId: reference(() => users.id),
    /** No foreign key: to delete an address, SQLite would read all orders. */
    billingAddressId: integer().notNull(),
    paymentMethod: text().notNull(),
    provider: text().notNull(),
    /** Order number of the shop. */
    providerId: text(),
    payprovStxTransactionId: text(),
    payprovPciTransactionId: text(),
    payprovWebhookToken: text().notNull(),
    totalPriceCents: integer().notNull(),
    totalPriceCurrency: text().notNull(),
    totalPriceEth: text().notNull(),
    status: text(),
    feesCollectedAt: timestamp(),
    ...timestamps,
    ProductType: text().notNull(),
    /** Namespace of the token that placed the order. */
    namespace: text().notNull(),
  },
  (t) => [
    // The number first, because it is also looked up in all namespaces.
    uniqueIndex('orders_provider_id')
      .on(t.providerId, t.namespace)
      .where(sql`${t.providerId} IS NOT NULL`),
    // Every index ends with the id, which is SQLite's rowid.
    index('orders_buyer').on(t.buyerId),
  ],
)

export const orderItems = sqliteTable(
  'orderItems',
  {
    id: id(),
    orderId: reference(() => orders.id),
    nftId: reference(() => nfts.id),
    listingId: reference(() => listings.id),
    /** The seller of the listing when the order was placed. */
    sellerId: reference(() => users.id),
    quantity: integer().notNull(),
    priceCents: integer().notNull(),
    priceEths: text().notNull(),
    /** Wallet of the recipient; null while the buyer has none. */
    ethRecipient: text(),
    /** The chain of a recipient that is a contract; 0 for a wallet with a key. */
    recipientChainId: integer().notNull().default(0),
    priceCurrency: text().notNull(),
    paymentProvider: text(),
    ...timestamps,
    ProductType: text().notNull(),
  },
  (t) => [
    index('orderItems_order').on(t.orderId),
    index('orderItems_seller').on(t.sellerId, t.orderId),
    check('orderItems_quantity', sql`${t.quantity} > 0`),
  ],
)

/** The responses of `POST /api/externalOrders` with an `Idempotency-Key`. */
export const idempotencyKeys = sqliteTable(
  'idempotencyKeys',
  {
    /** Namespace of the token that sent the call. */
    namespace: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of the parsed request body, hex. */
    requestHash: text().notNull(),
    /** JSON of the plan (`orders/plan.ts`). */
    plan: text().notNull(),
    /** JSON of what the transaction added to the plan: ids, and the stock that was left. */
    result: text().notNull(),
    createdAt: timestamp().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.namespace, t.key] }),
    index('idempotencyKeys_age').on(t.createdAt),
  ],
)
