/**
 * All tables. Columns have the names of the fields in the API's JSON. Timestamps are ISO 8601 UTC
 * text with milliseconds, which sorts by time. Wei and ETH are decimal text, because D1 rounds
 * integers above 2^53. Money is an integer in cents.
 *
 * The triggers, and the view `guard` that stops a batch, are in `migrations/0001_triggers.sql`.
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

/** No AUTOINCREMENT: it costs a second write. Rows are never deleted, so ids are not reused. */
const id = () => integer().primaryKey()
const timestamp = () => text()
const boolean = () => integer({ mode: 'boolean' })
const reference = (column: () => AnySQLiteColumn) => integer().notNull().references(column)
const timestamps = { createdAt: timestamp().notNull(), updatedAt: timestamp().notNull() }
const oneOf = (column: AnySQLiteColumn, values: readonly string[]) =>
  sql`${column} IN (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`

/** `users.roleId` of administrators, who may create and use master tokens. */
export const ADMINISTRATOR = 1

export const users = sqliteTable(
  'users',
  {
    id: id(),
    approved: boolean().notNull().default(true),
    companyUser: boolean().notNull().default(false),
    /** Lower case; `''` if the user has none. */
    email: text().notNull().default(''),
    /** Checksummed (EIP-55); `''` if the user has no wallet. */
    ethereumPublicAddr: text().notNull().default(''),
    /** Hash of the first identity that the user proved (`hashIdentity`). Never changes. */
    identityHash: text().notNull(),
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
    ...timestamps,
    ipAddress: text().notNull().default(''),
    /** Key of the avatar in R2; null while the user has the default avatar. */
    avatarKey: text(),
  },
  (t) => [
    uniqueIndex('users_identity').on(t.identityHash),
    uniqueIndex('users_email').on(t.email).where(sql`${t.email} <> ''`),
    uniqueIndex('users_wallet').on(t.ethereumPublicAddr).where(sql`${t.ethereumPublicAddr} <> ''`),
  ],
)

const tokenKinds = ['api', 'session'] as const
export const tokenRoles = ['user', 'master'] as const

/** Claims of all issued tokens. The token itself is never stored. */
export const tokens = sqliteTable(
  'tokens',
  {
    /** Claim `jti`. */
    id: text().primaryKey(),
    userId: reference(() => users.id),
    kind: text({ enum: tokenKinds }).notNull(),
    role: text({ enum: tokenRoles }).notNull(),
    name: text().notNull(),
    /** Provider ids and idempotency keys are unique within it. See `identity/namespace.ts`. */
    namespace: text().notNull(),
    /** Header `kid`: the key that signed the token. */
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
    index('tokens_namespace')
      .on(t.namespace)
      .where(sql`${t.kind} = 'api' AND ${t.revokedAt} IS NULL`),
    check('tokens_kind', oneOf(t.kind, tokenKinds)),
    check('tokens_role', oneOf(t.role, tokenRoles)),
  ],
)

/** Nonces of EIP-4361 messages. A nonce is used once: using it deletes it. */
export const walletNonces = sqliteTable(
  'walletNonces',
  { nonce: text().primaryKey(), expiresAt: timestamp().notNull() },
  (t) => [index('walletNonces_expiry').on(t.expiresAt)],
)

/** Sign-in links sent by e-mail. Only the SHA-256 of their secret is stored. */
export const emailLinks = sqliteTable(
  'emailLinks',
  {
    secretHash: text().primaryKey(),
    email: text().notNull(),
    /** `users.identityHash` of a user who signs up with this link. SQL cannot compute it. */
    identityHash: text().notNull(),
    /** The signed-in user who adds this address; null for a sign-in. */
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
    userId: reference(() => users.id),
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
    ...timestamps,
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

/** `payload.amountType`: whether the number of pieces of an NFT is limited. */
export const amountTypes = ['unique', 'limited', 'unlimited'] as const

export const nfts = sqliteTable(
  'nfts',
  {
    id: id(),
    amount: integer().notNull(),
    /** Pieces left to sell. Does not change if `amountType` is `unlimited`. */
    availableAmount: integer().notNull(),
    approved: boolean().notNull().default(true),
    storageNetworkTx: text(),
    chainTx: text(),
    creatorPublicAddr: text().notNull(),
    contractAddr: text().notNull(),
    contractName: text().notNull(),
    /** A name in the NETWORKS configuration. */
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
    creatorId: reference(() => users.id),
    useCaseId: integer().notNull().default(1),
    upgradeable: boolean().notNull().default(false),
    /** uint256 as decimal text. */
    tokenId: text(),
    newTokenId: text(),
    oldTokenId: text(),
    /** `released` if the NFT is on sale. */
    status: text().notNull(),
    releaseAt: timestamp().notNull(),
    biddingEnabled: boolean().notNull().default(false),
    ...timestamps,
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

export const listingTypes = ['auction', 'regular'] as const

export const listings = sqliteTable(
  'listings',
  {
    id: id(),
    /** Cents. */
    priceCents: integer().notNull(),
    /** Most pieces of one order; null if only the stock limits it. */
    amount: integer(),
    priceEths: text().notNull(),
    priceWei: text().notNull(),
    activeTill: timestamp(),
    active: boolean().notNull(),
    type: text({ enum: listingTypes }).notNull(),
    txHash: text(),
    priceCurrency: text().notNull(),
    sellerId: reference(() => users.id),
    nftId: reference(() => nfts.id),
    captureCronId: text(),
    ...timestamps,
  },
  (t) => [
    check('listings_price', sql`${t.priceCents} >= 0`),
    check('listings_type', oneOf(t.type, listingTypes)),
  ],
)

export const orders = sqliteTable(
  'orders',
  {
    id: id(),
    buyerId: reference(() => users.id),
    billingAddressId: reference(() => addresses.id),
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
    uniqueIndex('orders_provider_id')
      .on(t.namespace, t.providerId)
      .where(sql`${t.providerId} IS NOT NULL`),
  ],
)

export const orderItems = sqliteTable(
  'orderItems',
  {
    id: id(),
    orderId: reference(() => orders.id),
    nftId: reference(() => nfts.id),
    listingId: reference(() => listings.id),
    quantity: integer().notNull(),
    priceCents: integer().notNull(),
    priceEths: text().notNull(),
    /** Wallet of the recipient; null while the buyer has none. */
    ethRecipient: text(),
    priceCurrency: text().notNull(),
    paymentProvider: text(),
    ...timestamps,
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
 * The transfer of each order item. The fields `status` and `txId` of an item and `failReason` of
 * an order are read from here.
 */
export const transfers = sqliteTable(
  'transfers',
  {
    /** Id of the order item. */
    id: integer()
      .primaryKey()
      .references(() => orderItems.id),
    status: text({ enum: transferStatuses }).notNull(),
    /** Number of the attempt: each retry by an operator starts a new one with a new nonce. */
    generation: integer().notNull().default(1),
    /** Why the transfer failed, waits, or needs an operator. */
    reason: text(),
    /** When the cron run announces the transfer again; null if there is nothing to do. */
    dueAt: timestamp(),
    /** The newest transaction; once one is mined, that one. */
    txId: text(),
    /** Number of changes. A consumer that read an older version changes nothing. */
    version: integer().notNull().default(0),
    /** The buyer whose wallet the transfer waits for. */
    awaits: integer().references(() => users.id),
    /** When an operator asked to cancel, with an empty transaction at the same nonce. */
    cancelRequestedAt: timestamp(),
    /** When the queue gave up on the message. The cron run then leaves it to an operator. */
    deadLetteredAt: timestamp(),
    ...timestamps,
  },
  (t) => [
    index('transfers_due').on(t.dueAt).where(sql`${t.dueAt} IS NOT NULL`),
    // Only states in which transfers stay, so that passing through the others writes no index.
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
 * All signed transactions, stored before they are broadcast. The migration creates the table
 * WITHOUT ROWID, which Drizzle cannot express: a row is then one write instead of two.
 */
export const transactions = sqliteTable(
  'transactions',
  {
    chainId: integer().notNull(),
    signer: text().notNull(),
    nonce: integer().notNull(),
    /** 0 for the first transaction of a nonce, then 1 more for each higher fee. */
    attempt: integer().notNull(),
    hash: text().notNull(),
    transferId: reference(() => transfers.id),
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
    // Prevents a second nonce for the same generation, which would begin at attempt 0 again.
    unique('transactions_generation').on(t.transferId, t.generation, t.attempt),
    check('transactions_kind', oneOf(t.kind, ['transfer', 'cancel'])),
  ],
)

/** The responses of `POST /api/externalOrders` with an `Idempotency-Key`. */
export const idempotencyKeys = sqliteTable(
  'idempotencyKeys',
  {
    /** Namespace of the token that sent the call. */
    namespace: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of the request body, hex. */
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

/** Numbers of NFTs that are released and not deleted, by amountType. Updated by triggers. */
export const nftCounts = sqliteTable('nftCounts', {
  /** `other` for a missing or unknown `amountType`. */
  amountType: text({ enum: [...amountTypes, 'other'] }).primaryKey(),
  nfts: integer().notNull(),
})

/** Creators of NFTs that are released and not deleted. Updated by triggers. */
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
