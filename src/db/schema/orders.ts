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
import { idColumn, reference, timestamp } from './columns.ts'
import { users } from './users.ts'

/** `grossCents` includes taxes and is what was left of the price after discounts. */
export type Paid = {
  grossCents: number
  taxCents: number | null
  discountCents: number | null
  currency: string
  invoiceNumber: string | null
}

/** What every order shows alike is not stored: see `orders/reading/order.ts`. */
export const orders = sqliteTable(
  'orders',
  {
    id: idColumn(),
    buyerId: reference(() => users.id),
    /** No foreign key: to delete an address, SQLite would read all orders. */
    billingAddressId: integer().notNull(),
    /** Order number of the shop. */
    providerId: text(),
    /** Random. The transaction that places the order finds it by this: see `orders/placing/write.ts`. */
    payprovWebhookToken: text().notNull(),
    /** Random, 32 hexadecimal digits: who knows it sees what was bought (`pages/claim/`). */
    claimSecret: text().notNull(),
    /** Where the link of the order leads, on this site. */
    claimPath: text().generatedAlwaysAs(sql`'/claim/' || id || '?secret=' || claimSecret`, {
      mode: 'virtual',
    }),
    totalPriceCents: integer().notNull(),
    totalPriceCurrency: text().notNull(),
    totalPriceEth: text().notNull(),
    createdAt: timestamp().notNull(),
    /** Of the token that placed the order: `namespace` in `auth/sources.ts`. */
    namespace: text().notNull(),
    /** `source` in `auth/sources.ts`: the namespace without the hash of its user. */
    source: text().generatedAlwaysAs(
      sql`iif(namespace GLOB 'master:*', namespace, 'user:' || substr(namespace, 6 + instr(substr(namespace, 6), ':')))`,
      { mode: 'virtual' },
    ),
    /** JSON: the shop's own texts by name; null if it gave none. */
    custom: text({ mode: 'json' }).$type<Record<string, string>>(),
    /** JSON: what the customer has really paid; null if the shop has not told. */
    paid: text({ mode: 'json' }).$type<Paid>(),
  },
  (t) => [
    // The number first, because it is also looked up in all namespaces.
    uniqueIndex('orders_provider_id')
      .on(t.providerId, t.namespace)
      .where(sql`${t.providerId} IS NOT NULL`),
    // Every index ends with the id, which is SQLite's rowid.
    index('orders_buyer').on(t.buyerId),
    index('orders_source').on(t.source),
    // Turns times into a range of ids, for lists.
    index('orders_created').on(t.createdAt),
  ],
)

/** Whom buyers ask about the orders of a master token: an administrator says it. */
export const shops = sqliteTable('shops', {
  /** Namespace of the orders: `auth/sources.ts`. */
  namespace: text().primaryKey(),
  name: text().notNull(),
  email: text().notNull(),
  url: text(),
  updatedAt: timestamp().notNull(),
})

export const orderItems = sqliteTable(
  'orderItems',
  {
    id: idColumn(),
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
  },
  (t) => [
    index('orderItems_order').on(t.orderId),
    index('orderItems_seller').on(t.sellerId, t.orderId),
    check('orderItems_quantity', sql`${t.quantity} > 0`),
  ],
)

/**
 * Calls with an `Idempotency-Key` that have placed orders or reserved. WITHOUT ROWID, and by day, so
 * that storing one writes one row, and those of a day are found and deleted without an index.
 */
export const idempotencyKeys = sqliteTable(
  'idempotencyKeys',
  {
    /** Day (UTC) of the call, as `2026-01-31`. */
    day: text().notNull(),
    /** Namespace of the token that sent the call. */
    namespace: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of what was parsed of the call, hex (`orders/placing/idempotency.ts`). */
    requestHash: text().notNull(),
    /** JSON: the ids of the orders, or the reservations as the answer shows them. */
    result: text().notNull(),
    createdAt: timestamp().notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.namespace, t.key] })],
)

/**
 * Pieces and prices that are held while a customer pays. A row is deleted when it becomes an order,
 * is released, or some time after it has expired.
 */
export const reservations = sqliteTable(
  'reservations',
  {
    /** A UUID. */
    id: text().primaryKey(),
    /** Namespace of the token that made it. */
    namespace: text().notNull(),
    /** The user whose user token made it; null for a master token. */
    placedBy: integer().references(() => users.id),
    /** No foreign keys: an import that writes NFTs and listings would read all reservations. */
    nftId: integer().notNull(),
    listingId: integer().notNull(),
    quantity: integer().notNull(),
    /** Minor units of the currency (ISO 4217). */
    priceCents: integer().notNull(),
    priceEths: text().notNull(),
    priceWei: text().notNull(),
    priceCurrency: text().notNull(),
    /** A multiple of 10 seconds. Nothing is held from this time on. */
    expiresAt: timestamp().notNull(),
    createdAt: timestamp().notNull(),
  },
  (t) => [
    index('reservations_expiry').on(t.expiresAt),
    index('reservations_user').on(t.placedBy, t.expiresAt).where(sql`${t.placedBy} IS NOT NULL`),
    check('reservations_quantity', sql`${t.quantity} > 0`),
  ],
)

/**
 * The pieces of an NFT whose reservations expire at a time: at most 181 rows of an NFT are live,
 * however many reservations there are. Updated by triggers.
 */
export const heldPieces = sqliteTable(
  'heldPieces',
  {
    nftId: integer().notNull(),
    expiresAt: timestamp().notNull(),
    quantity: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.nftId, t.expiresAt] }),
    index('heldPieces_expiry').on(t.expiresAt),
    check('heldPieces_quantity', sql`${t.quantity} >= 0`),
  ],
)
