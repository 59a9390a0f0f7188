/**
 * Every table. Columns carry the names that the API's JSON uses (contract, "Resources and their
 * fields"), so a row is an answer without renaming. Timestamps are ISO 8601 UTC text with
 * milliseconds, which sorts as time does; wei and ETH are decimal text, because D1 rounds
 * integers above 2^53; money is an integer of minor units (cents).
 *
 * Triggers, and the view `guard` that lets a batch refuse itself, are SQL of their own in
 * `migrations/0001_triggers.sql`.
 */
import { sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

/** Rows are never deleted, so SQLite gives each id once, also without AUTOINCREMENT's second write. */
const id = () => integer().primaryKey()
const timestamp = () => text()
const boolean = () => integer({ mode: 'boolean' })
const changes = { createdAt: timestamp().notNull(), updatedAt: timestamp().notNull() }
const oneOf = (column: AnySQLiteColumn, values: readonly string[]) =>
  sql`${column} IN (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`

/** `users.roleId` of those who may make and use master tokens. */
export const ADMINISTRATOR = 1

export const users = sqliteTable(
  'users',
  {
    id: id(),
    approved: boolean().notNull().default(true),
    companyUser: boolean().notNull().default(false),
    /** Lower case; `''` for a user who never gave one. */
    email: text().notNull().default(''),
    /** EIP-55 spelling; `''` for a user without a wallet. */
    ethereumPublicAddr: text().notNull().default(''),
    name: text(),
    /** How the user signed up: `wallet` or `email`. */
    provider: text().notNull(),
    chatServiceId: text(),
    roleId: integer(),
    username: text(),
    viewMode: text().notNull().default('default'),
    paymentConnectId: text(),
    payprovExternalId: text(),
    onrampId: text(),
    newsletterAgreement: boolean().notNull().default(false),
    locale: text().notNull().default('en'),
    approvedAt: timestamp(),
    lastAccessAt: timestamp(),
    onboardedAt: timestamp(),
    removedAt: timestamp(),
    ...changes,
    ipAddress: text().notNull().default(''),
    /** Key of the picture in R2; null while the user has the generated one. */
    avatarKey: text(),
  },
  (t) => [
    uniqueIndex('users_email').on(t.email).where(sql`${t.email} <> ''`),
    uniqueIndex('users_wallet').on(t.ethereumPublicAddr).where(sql`${t.ethereumPublicAddr} <> ''`),
  ],
)

export const tokenKinds = ['api', 'session'] as const
export const tokenRoles = ['user', 'master'] as const

/** Claims of every token that was issued; the token itself is never stored. */
export const tokens = sqliteTable(
  'tokens',
  {
    /** Claim `jti`. */
    id: text().primaryKey(),
    userId: integer()
      .notNull()
      .references(() => users.id),
    kind: text({ enum: tokenKinds }).notNull(),
    role: text({ enum: tokenRoles }).notNull(),
    name: text().notNull(),
    /** Header `kid`: the key that signed it. */
    keyId: text().notNull(),
    /** Claim `iat`, to the second. */
    createdAt: timestamp().notNull(),
    /** Claim `exp`, to the second. */
    expiresAt: timestamp().notNull(),
    lastUsedAt: timestamp(),
    revokedAt: timestamp(),
  },
  (t) => [
    index('tokens_user').on(t.userId),
    index('tokens_live').on(t.createdAt, t.id).where(sql`${t.revokedAt} IS NULL`),
    check('tokens_kind', oneOf(t.kind, tokenKinds)),
    check('tokens_role', oneOf(t.role, tokenRoles)),
  ],
)

/** Single-use nonces of EIP-4361 messages; consumed by deleting them. */
export const walletNonces = sqliteTable(
  'walletNonces',
  { nonce: text().primaryKey(), expiresAt: timestamp().notNull() },
  (t) => [index('walletNonces_expiry').on(t.expiresAt)],
)

/** Sign-in links sent by e-mail, known only by the SHA-256 of their secret. */
export const emailLinks = sqliteTable(
  'emailLinks',
  {
    secretHash: text().primaryKey(),
    email: text().notNull(),
    /** The signed-in user who wants this address as well; null for a sign-in. */
    userId: integer().references(() => users.id),
    redirect: text(),
    expiresAt: timestamp().notNull(),
  },
  (t) => [index('emailLinks_expiry').on(t.expiresAt)],
)

export const addressKinds = ['delivery', 'billing'] as const

export const addresses = sqliteTable(
  'addresses',
  {
    id: id(),
    kind: text({ enum: addressKinds }).notNull(),
    userId: integer()
      .notNull()
      .references(() => users.id),
    name: text(),
    street: text(),
    postal: text(),
    city: text(),
    country: text(),
    companyName: text(),
    taxId: text(),
    email: text(),
    mobilePhone: text(),
    isDefault: boolean().notNull().default(false),
    ...changes,
    deletedAt: timestamp(),
  },
  (t) => [
    index('addresses_live').on(t.userId, t.kind, t.id).where(sql`${t.deletedAt} IS NULL`),
    uniqueIndex('addresses_default')
      .on(t.userId, t.kind)
      .where(sql`${t.isDefault} AND ${t.deletedAt} IS NULL`),
    check('addresses_kind', oneOf(t.kind, addressKinds)),
  ],
)

/** `payload.amountType`: how many pieces there are of an NFT. */
export const amountTypes = ['unique', 'limited', 'unlimited'] as const

export const nfts = sqliteTable(
  'nfts',
  {
    id: id(),
    amount: integer().notNull(),
    /** What is left to sell; not counted down when `amountType` is `unlimited`. */
    availableAmount: integer().notNull(),
    approved: boolean().notNull().default(true),
    storageNetworkTx: text(),
    chainTx: text(),
    creatorPublicAddr: text().notNull(),
    contractAddr: text().notNull(),
    contractName: text().notNull(),
    /** A name of the NETWORKS configuration. */
    contractNetwork: text().notNull(),
    coverKey: text(),
    category: text(),
    secretPhrase: text(),
    fee: text(),
    feeRecipient: text(),
    payload: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    /** Cents. */
    price: integer().notNull(),
    priceEths: text().notNull(),
    priceCurrency: text().notNull(),
    priceType: text().notNull().default('FIXED'),
    downloadable: boolean().notNull().default(false),
    title: text().notNull(),
    creatorId: integer()
      .notNull()
      .references(() => users.id),
    useCaseId: integer().notNull().default(1),
    upgradeable: boolean().notNull().default(false),
    /** uint256 as decimal text. */
    tokenId: text(),
    newTokenId: text(),
    oldTokenId: text(),
    /** `released` is on sale. */
    status: text().notNull(),
    releaseAt: timestamp().notNull(),
    biddingEnabled: boolean().notNull().default(false),
    ...changes,
    deletedAt: timestamp(),
    fractionalized: boolean().notNull().default(false),
    redeemable: boolean().notNull().default(false),
    qrcodePrintfileId: text(),
    salesContractUrl: text(),
    amountType: text({ enum: amountTypes }).generatedAlwaysAs(
      sql`json_extract(payload, '$.amountType')`,
      { mode: 'virtual' },
    ),
  },
  (t) => [
    index('nfts_creator')
      .on(t.creatorId, t.releaseAt)
      .where(sql`${t.status} = 'released' AND ${t.deletedAt} IS NULL`),
    check('nfts_stock', sql`${t.availableAmount} >= 0`),
    check('nfts_payload', sql`json_valid(${t.payload})`),
  ],
)

export const listings = sqliteTable(
  'listings',
  {
    id: id(),
    /** Cents. */
    priceCents: integer().notNull(),
    /** The most pieces one order may take; null for no limit but the stock. */
    amount: integer(),
    priceEths: text().notNull(),
    priceWei: text().notNull(),
    activeTill: timestamp(),
    active: boolean().notNull(),
    type: text({ enum: ['auction', 'regular'] }).notNull(),
    txHash: text(),
    priceCurrency: text().notNull(),
    sellerId: integer()
      .notNull()
      .references(() => users.id),
    nftId: integer()
      .notNull()
      .references(() => nfts.id),
    captureCronId: text(),
    ...changes,
  },
  (t) => [
    check('listings_price', sql`${t.priceCents} >= 0`),
    check('listings_type', oneOf(t.type, ['auction', 'regular'])),
  ],
)

export const orders = sqliteTable(
  'orders',
  {
    id: id(),
    buyerId: integer()
      .notNull()
      .references(() => users.id),
    billingAddressId: integer()
      .notNull()
      .references(() => addresses.id),
    paymentMethod: text().notNull(),
    provider: text().notNull(),
    /** The shop's own order number. */
    providerId: text(),
    payprovStxTransactionId: text(),
    payprovPciTransactionId: text(),
    payprovWebhookToken: text().notNull(),
    totalPriceCents: integer().notNull(),
    totalPriceCurrency: text().notNull(),
    totalPriceEth: text().notNull(),
    status: text(),
    feesCollectedAt: timestamp(),
    ...changes,
    ProductType: text().notNull(),
    /** The user whose token placed the order: `providerId` is unique to each of them. */
    placedBy: integer()
      .notNull()
      .references(() => users.id),
  },
  (t) => [
    uniqueIndex('orders_provider_id')
      .on(t.placedBy, t.providerId)
      .where(sql`${t.providerId} IS NOT NULL`),
  ],
)

export const orderItems = sqliteTable(
  'orderItems',
  {
    id: id(),
    orderId: integer()
      .notNull()
      .references(() => orders.id),
    nftId: integer()
      .notNull()
      .references(() => nfts.id),
    listingId: integer()
      .notNull()
      .references(() => listings.id),
    quantity: integer().notNull(),
    priceCents: integer().notNull(),
    priceEths: text().notNull(),
    /** The wallet that the NFT goes to; null while the buyer has none. */
    ethRecipient: text(),
    priceCurrency: text().notNull(),
    paymentProvider: text(),
    ...changes,
    ProductType: text().notNull(),
  },
  (t) => [
    index('orderItems_order').on(t.orderId),
    check('orderItems_quantity', sql`${t.quantity} > 0`),
  ],
)

export const transferStatuses = [
  'awaiting_wallet',
  'queued',
  'signed',
  'sent',
  'mined',
  'transferred',
  'failed',
  'review',
] as const

/**
 * One row for each order item: how far its NFT is on the way to the buyer. What the item shows of
 * it (`status`, `txId`) and the order (`failReason`) is read off this row, not stored again.
 */
export const transfers = sqliteTable(
  'transfers',
  {
    /** The id of its order item. */
    id: integer()
      .primaryKey()
      .references(() => orderItems.id),
    status: text({ enum: transferStatuses }).notNull(),
    /** Counts the operator's retries; each generation has a nonce of its own. */
    generation: integer().notNull().default(1),
    /** Why it failed, waits or needs the operator. */
    reason: text(),
    /** When the sweep is to look at it if nothing else has; null when there is nothing to do. */
    dueAt: timestamp(),
    /** The transaction that counts: the newest while it is on its way, in the end the mined one. */
    txId: text(),
    /** Counts the changes: whoever decided on an older row changes nothing. */
    version: integer().notNull().default(0),
    /** The buyer for whose wallet it waits. */
    awaits: integer().references(() => users.id),
    /** The operator asked for the no-op at the same nonce. */
    cancelRequestedAt: timestamp(),
    /** The queue gave up on its message; the sweep leaves it to the operator. */
    deadLetteredAt: timestamp(),
    ...changes,
  },
  (t) => [
    index('transfers_due').on(t.dueAt).where(sql`${t.dueAt} IS NOT NULL`),
    // Of the states in which transfers stay: passing through the others costs no index.
    index('transfers_attention')
      .on(t.status, t.id)
      .where(sql`${t.status} IN ('awaiting_wallet', 'failed', 'review')`),
    index('transfers_awaits').on(t.awaits).where(sql`${t.awaits} IS NOT NULL`),
    index('transfers_dead').on(t.id).where(sql`${t.deadLetteredAt} IS NOT NULL`),
    check('transfers_status', oneOf(t.status, transferStatuses)),
    check('transfers_awaits', sql`(${t.status} = 'awaiting_wallet') = (${t.awaits} IS NOT NULL)`),
  ],
)

/**
 * Every transaction that was ever signed, stored before it is broadcast. The migration makes it
 * WITHOUT ROWID, which Drizzle cannot say: a row is written once, and not for its key again.
 */
export const transactions = sqliteTable(
  'transactions',
  {
    chainId: integer().notNull(),
    signer: text().notNull(),
    nonce: integer().notNull(),
    /** 0 for the first at its nonce, then one more for each bump of the fee. */
    attempt: integer().notNull(),
    hash: text().notNull(),
    transferId: integer()
      .notNull()
      .references(() => transfers.id),
    generation: integer().notNull(),
    kind: text({ enum: ['transfer', 'cancel'] }).notNull(),
    /** The signed bytes, hex. */
    raw: text().notNull(),
    gas: text().notNull(),
    maxFeePerGas: text().notNull(),
    maxPriorityFeePerGas: text().notNull(),
    createdAt: timestamp().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.chainId, t.signer, t.nonce, t.attempt] }),
    // A second nonce for the same generation would begin at attempt 0 again.
    unique('transactions_generation').on(t.transferId, t.generation, t.attempt),
    check('transactions_kind', oneOf(t.kind, ['transfer', 'cancel'])),
  ],
)

/** The answers of `POST /api/externalOrders` that may be asked for again. */
export const idempotencyKeys = sqliteTable(
  'idempotencyKeys',
  {
    userId: integer()
      .notNull()
      .references(() => users.id),
    key: text().notNull(),
    /** SHA-256 of the request's body. */
    requestHash: text().notNull(),
    /** JSON of the answer, without what only the transaction knew. */
    answer: text().notNull(),
    /** JSON of what the transaction knew: the ids it gave, and the stock it left. */
    outcome: text().notNull(),
    createdAt: timestamp().notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.key] }), index('idempotencyKeys_age').on(t.createdAt)],
)

/** How many NFTs are released and not deleted, by amountType; kept by triggers. */
export const nftCounts = sqliteTable('nftCounts', {
  /** `other` for those that have none or one that is not known. */
  amountType: text({ enum: [...amountTypes, 'other'] }).primaryKey(),
  nfts: integer().notNull(),
})

/** The creators of NFTs that are released and not deleted; kept by triggers. */
export const creators = sqliteTable(
  'creators',
  {
    userId: integer()
      .primaryKey()
      .references(() => users.id),
    nfts: integer().notNull(),
    latestReleaseAt: timestamp().notNull(),
  },
  (t) => [
    index('creators_latest').on(sql`${t.latestReleaseAt} DESC`, t.userId).where(sql`${t.nfts} > 0`),
  ],
)
