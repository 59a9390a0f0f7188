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
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

/**
 * No AUTOINCREMENT: it costs a second write. The row with the highest id is never deleted, so ids
 * are not reused.
 */
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
    /** The operator's own id, for users of the catalogue. See `catalogue/`. */
    externalId: text(),
    approved: boolean().notNull().default(true),
    companyUser: boolean().notNull().default(false),
    /** Lower case; `''` if the user has none. */
    email: text().notNull().default(''),
    /** Checksummed (EIP-55); `''` if the user has no wallet. */
    ethereumPublicAddr: text().notNull().default(''),
    /** The chain on which the contract at this address signed; 0 for a wallet with a key. */
    walletChainId: integer().notNull().default(0),
    /**
     * Hash of the first identity that the user proved (`hashIdentity`). Never changes. Extended if
     * another user had the identity before, and has unlinked it.
     */
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
    uniqueIndex('users_external').on(t.externalId).where(sql`${t.externalId} IS NOT NULL`),
    uniqueIndex('users_identity').on(t.identityHash),
    uniqueIndex('users_email').on(t.email).where(sql`${t.email} <> ''`),
    uniqueIndex('users_username')
      .on(sql`lower(${t.username})`)
      .where(sql`${t.username} IS NOT NULL`),
    uniqueIndex('users_wallet')
      .on(t.ethereumPublicAddr, t.walletChainId)
      .where(sql`${t.ethereumPublicAddr} <> ''`),
  ],
)

const tokenKinds = ['api', 'session'] as const
export const tokenRoles = ['user', 'master'] as const
/** `write` includes reading. `metrics` reads the metrics of the instance, and nothing else. */
export const tokenScopes = ['read', 'write', 'metrics'] as const

/** Claims of all issued tokens. The token itself is never stored. */
export const tokens = sqliteTable(
  'tokens',
  {
    /** Claim `jti`. */
    id: text().primaryKey(),
    userId: reference(() => users.id),
    kind: text({ enum: tokenKinds }).notNull(),
    role: text({ enum: tokenRoles }).notNull(),
    scope: text({ enum: tokenScopes }).notNull().default('write'),
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
    /** When a successor was made under the same name. The token works for 24 hours more. */
    rolledAt: timestamp(),
    /** The browser of a session, such as `Firefox on Windows`. */
    browser: text(),
    /** The country from which a session was started, ISO 3166-1 alpha-2. */
    country: text(),
  },
  (t) => [
    index('tokens_user').on(t.userId),
    index('tokens_ended').on(
      sql`CASE WHEN ${t.revokedAt} IS NULL THEN ${t.expiresAt} ELSE ${t.revokedAt} END`,
    ),
    index('tokens_rolled')
      .on(t.rolledAt)
      .where(sql`${t.rolledAt} IS NOT NULL AND ${t.revokedAt} IS NULL`),
    index('tokens_live').on(t.createdAt, t.id).where(sql`${t.revokedAt} IS NULL`),
    index('tokens_namespace')
      .on(t.namespace)
      .where(sql`${t.kind} = 'api' AND ${t.revokedAt} IS NULL AND ${t.rolledAt} IS NULL`),
    check('tokens_kind', oneOf(t.kind, tokenKinds)),
    check('tokens_role', oneOf(t.role, tokenRoles)),
    check('tokens_scope', oneOf(t.scope, tokenScopes)),
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
    /** The address without its plus tag: where mails to it arrive. */
    mailbox: text().notNull(),
    /** Who asked for the link, as rate limits count clients. */
    client: text().notNull(),
    /** `users.identityHash` of a user who signs up with this link. SQL cannot compute it. */
    identityHash: text().notNull(),
    /** The signed-in user who adds this address; null for a sign-in. */
    userId: integer().references(() => users.id),
    redirect: text(),
    createdAt: timestamp().notNull(),
    /** The time of creation for a link that a newer one has replaced. */
    expiresAt: timestamp().notNull(),
  },
  (t) => [
    index('emailLinks_age').on(t.createdAt),
    index('emailLinks_mailbox').on(t.mailbox, t.createdAt),
    index('emailLinks_user').on(t.userId, t.createdAt).where(sql`${t.userId} IS NOT NULL`),
  ],
)

export const addressKinds = ['delivery', 'billing'] as const

/**
 * `request`: added by the user or with a master token. `order`: from an order of a master token; in
 * the user's lists as well, but not counted. `seller_order`: from an order of a seller's token; kept
 * for that order, and in no list.
 */
const addressOrigins = ['request', 'order', 'seller_order'] as const

export const addresses = sqliteTable(
  'addresses',
  {
    id: id(),
    kind: text({ enum: addressKinds }).notNull(),
    origin: text({ enum: addressOrigins }).notNull().default('request'),
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
    index('addresses_live')
      .on(t.userId, t.kind, t.id)
      .where(sql`${t.deletedAt} IS NULL AND ${t.origin} <> 'seller_order'`),
    index('addresses_counted')
      .on(t.userId, t.kind)
      .where(sql`${t.deletedAt} IS NULL AND ${t.origin} = 'request'`),
    // Those that `addresses_live` does not have.
    index('addresses_hidden')
      .on(t.userId)
      .where(sql`${t.deletedAt} IS NOT NULL OR ${t.origin} = 'seller_order'`),
    uniqueIndex('addresses_default')
      .on(t.userId, t.kind)
      .where(sql`${t.isDefault} AND ${t.deletedAt} IS NULL`),
    check('addresses_kind', oneOf(t.kind, addressKinds)),
    check('addresses_origin', oneOf(t.origin, addressOrigins)),
  ],
)

/** `payload.amountType`: whether the number of pieces of an NFT is limited. */
export const amountTypes = ['unique', 'limited', 'unlimited'] as const

export const nfts = sqliteTable(
  'nfts',
  {
    id: id(),
    /** The operator's own id. */
    externalId: text().notNull().unique('nfts_external'),
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
    index('nfts_token').on(t.contractAddr, t.tokenId, t.contractNetwork),
    index('nfts_released')
      .on(t.releaseAt)
      .where(sql`${t.status} = 'released' AND ${t.deletedAt} IS NULL`),
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
    /** The operator's own id. */
    externalId: text().notNull().unique('listings_external'),
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
    index('listings_seller').on(t.sellerId).where(sql`${t.active}`),
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

export const deliveryStates = [
  'awaiting_wallet',
  'queued',
  'in_flight',
  'transferred',
  'failed',
] as const

/**
 * The delivery of each order item. The fields `status` and `txId` of an item and `failReason` of an
 * order are read from here.
 */
export const deliveries = sqliteTable(
  'deliveries',
  {
    /** Id of the order item. */
    id: integer()
      .primaryKey()
      .references(() => orderItems.id),
    /** The delivery key, hex. The Delivery contract uses it at most once. */
    key: text().notNull().unique('deliveries_key'),
    /** The chain of the NFT when the order was placed; null if its network was not configured. */
    chainId: integer(),
    /** The Delivery contract of the newest transaction; null before the first. */
    contract: text(),
    state: text({ enum: deliveryStates }).notNull(),
    wish: text({ enum: ['deliver', 'cancel'] })
      .notNull()
      .default('deliver'),
    /** Number of changes. A run that read an older version changes nothing. */
    version: integer().notNull().default(0),
    /**
     * The newest transaction that carries the item. No foreign key: to delete a transaction, SQLite
     * would read all deliveries.
     */
    transactionId: integer(),
    /** Since when the item cannot be delivered; null if nothing is known against it. */
    failingSince: timestamp(),
    /** The transactions in which the transfer failed. */
    tries: integer().notNull().default(0),
    /** Why the item failed, or what it waits for. */
    reason: text(),
    /** When the item is looked at next; null if nothing is to be done or a transaction carries it. */
    dueAt: timestamp(),
    /** The buyer whose wallet the item waits for. */
    awaits: integer().references(() => users.id),
    /** The user whose user token placed the order; null for a master token. */
    placedBy: integer().references(() => users.id),
    ...timestamps,
  },
  (t) => [
    index('deliveries_due').on(t.chainId, t.dueAt).where(sql`${t.dueAt} IS NOT NULL`),
    // Only states in which items stay, so that passing through the others writes no index.
    index('deliveries_waiting')
      .on(t.state, t.id)
      .where(sql`${t.state} IN ('awaiting_wallet', 'failed')`),
    index('deliveries_compared')
      .on(t.chainId, t.id)
      .where(sql`${t.state} IN ('awaiting_wallet', 'failed')`),
    // Counts what a user's tokens have under way. Going from one of the states to another writes nothing.
    index('deliveries_open')
      .on(t.placedBy)
      .where(
        sql`${t.placedBy} IS NOT NULL AND ${t.state} IN ('awaiting_wallet', 'queued', 'in_flight')`,
      ),
    // Counts what failed and was not cancelled, by reason.
    index('deliveries_failed')
      .on(t.reason)
      .where(sql`${t.state} = 'failed' AND ${t.wish} = 'deliver'`),
    index('deliveries_awaits').on(t.awaits).where(sql`${t.awaits} IS NOT NULL`),
    check('deliveries_state', oneOf(t.state, deliveryStates)),
    check('deliveries_wish', oneOf(t.wish, ['deliver', 'cancel'])),
    check('deliveries_awaits', sql`(${t.state} = 'awaiting_wallet') = (${t.awaits} IS NOT NULL)`),
  ],
)

/** Calls of a Delivery contract. Stored before they are broadcast. */
export const transactions = sqliteTable(
  'transactions',
  {
    id: id(),
    chainId: integer().notNull(),
    /** The Delivery contract that is called. */
    contract: text().notNull(),
    signer: text().notNull(),
    nonce: integer().notNull(),
    /** JSON: the ids of the items, in the order of the call. */
    items: text({ mode: 'json' }).$type<number[]>().notNull(),
    /** The newest hash; once one is mined, that one. */
    hash: text().notNull(),
    /** JSON: the other hashes: those with lower fees and, once such a one is mined, the newest. */
    replaced: text({ mode: 'json' }).$type<string[]>().notNull(),
    /** The newest signed bytes, hex; null once the transaction is closed. */
    raw: text(),
    gas: text().notNull(),
    maxFeePerGas: text().notNull(),
    maxPriorityFeePerGas: text().notNull(),
    /** The last block time at which the call has an effect, in seconds since 1970. */
    deadline: integer().notNull(),
    /** The newest block when the newest bytes were signed. */
    signedAtBlock: integer().notNull(),
    /** When the newest bytes were signed. */
    signedAt: timestamp().notNull(),
    /** The block that has the transaction; null while none is known. */
    block: integer(),
    blockHash: text(),
    /** The newest block when the nonce was first seen used by another transaction. */
    nonceUsedAt: integer(),
    /** Whether the transaction may still be mined or dropped by a reorganization. */
    isOpen: boolean().notNull(),
    ...timestamps,
  },
  (t) => [
    uniqueIndex('transactions_open').on(t.chainId, t.signer, t.nonce).where(sql`${t.isOpen}`),
    index('transactions_block').on(t.chainId, t.block).where(sql`${t.block} IS NOT NULL`),
    index('transactions_hash').on(t.hash),
    // Their bytes may still wait at a node, so a new transaction at the nonce has to outbid them.
    index('transactions_unmined')
      .on(t.chainId, t.signer, t.nonce)
      .where(sql`NOT ${t.isOpen} AND ${t.block} IS NULL`),
  ],
)

/** One row for each chain: who works on it, when to look next, and what is settled. */
export const networks = sqliteTable('networks', {
  chainId: integer().primaryKey(),
  /** Id of the run that works on the chain; null once it has released the lease. */
  lease: text(),
  /** The run may be taken for dead after this time. */
  leaseUntil: timestamp().notNull(),
  /** When the next run is needed; null if nothing is under way. */
  wakeAt: timestamp(),
  /** The highest block in which something was settled. */
  settledBlock: integer(),
  settledHash: text(),
  /** The last item whose key was compared with the chain, of those that failed or wait. */
  comparedId: integer().notNull().default(0),
  /** When all of them were compared. */
  comparedAt: timestamp(),
})

/** What the cron run last saw of each configured chain. */
export const networkChecks = sqliteTable('networkChecks', {
  chainId: integer().primaryKey(),
  /** When a node last answered; of the first check, if none ever did. */
  checkedAt: timestamp().notNull(),
  /** Why no node can be used since then; null if one answered. */
  problem: text(),
  headNumber: integer(),
  headAt: timestamp(),
  /** Wei for a unit of gas: base fee and tip. */
  gasPrice: text(),
  isPaused: boolean(),
  isRetired: boolean(),
  /** JSON: the signers. See `operations/networks.ts`. */
  signers: text({ mode: 'json' }).$type<
    {
      address: string
      /** Wei. */
      balance: string
      /** Items that the balance pays for at the present price of gas. */
      deliveries: number
      /** Items that the contract still accepts today; null if the signer is no relayer. */
      allowance: number | null
    }[]
  >(),
})

/** One row: the last cron run. */
export const cronRuns = sqliteTable('cronRuns', {
  id: integer().primaryKey(),
  startedAt: timestamp().notNull(),
  finishedAt: timestamp(),
  /** JSON: the names of the jobs that failed. */
  failedJobs: text({ mode: 'json' }).$type<string[]>().notNull(),
})

/** Alarms that last. A row is deleted when its alarm is over. */
export const alarms = sqliteTable('alarms', {
  /** Name and subject, as in `signer_low:31337:0x…`. */
  key: text().primaryKey(),
  name: text().notNull(),
  /** A sentence with the numbers. */
  detail: text().notNull(),
  raisedAt: timestamp().notNull(),
  /** When the log and the webhooks last told of it. */
  notifiedAt: timestamp().notNull(),
})

/** Orders by the hour in which they were placed, and what has become of them. See `operations/hours.ts`. */
export const hourlyOrders = sqliteTable(
  'hourlyOrders',
  {
    /** Begin of the hour. */
    hour: timestamp().primaryKey(),
    /** The first and the last delivery. Their ids have no gaps. */
    firstId: integer().notNull(),
    lastId: integer().notNull(),
    transferred: integer().notNull(),
    /** Failed and not cancelled. The cancelled ones are in no column. */
    failed: integer().notNull(),
    awaitingWallet: integer().notNull(),
    /** Queued or in flight. */
    underWay: integer().notNull(),
    /** Milliseconds from the order to the end of the delivery, of those transferred. */
    p50: integer(),
    p95: integer(),
    updatedAt: timestamp().notNull(),
  },
  (t) => [
    index('hourlyOrders_open')
      .on(t.updatedAt)
      .where(sql`${t.failed} + ${t.awaitingWallet} + ${t.underWay} > 0`),
  ],
)

/** What administrators did. Never deleted. No personal data but the id of the administrator. */
export const auditLog = sqliteTable(
  'auditLog',
  {
    id: id(),
    at: timestamp().notNull(),
    /** The administrator. */
    userId: reference(() => users.id),
    /** Name of the API token; null for a session. */
    tokenName: text(),
    /** As in `transfer.retry`. */
    action: text().notNull(),
    /** What it was done to, as in `7`; null if `details` says it. */
    subject: text(),
    /** JSON. */
    details: text({ mode: 'json' }).$type<Record<string, unknown>>(),
  },
  (t) => [index('auditLog_subject').on(t.subject), index('auditLog_user').on(t.userId)],
)

export const webhookEvents = [
  'order.created',
  'order.awaiting_wallet',
  'order.delivered',
  'order.failed',
  'webhook.test',
  'alarm.raised',
  'alarm.cleared',
] as const
export type WebhookEvent = (typeof webhookEvents)[number]

export const disabledReasons = ['failing', 'gone', 'owner'] as const

/** Where events are sent. */
export const webhookEndpoints = sqliteTable(
  'webhookEndpoints',
  {
    /** UUID. */
    id: text().primaryKey(),
    userId: reference(() => users.id),
    /** `user`: orders that the user bought or sold. `master`: all, while the user is administrator. */
    role: text({ enum: tokenRoles }).notNull(),
    url: text().notNull(),
    /** JSON: the events to send. */
    events: text({ mode: 'json' }).$type<WebhookEvent[]>().notNull(),
    /** Random. The secret is computed from it, and never stored. See `webhooks/secret.ts`. */
    secretId: text().notNull(),
    /** The one before the last rotation, which signs as well until the time beside it. */
    previousSecretId: text(),
    previousSecretUntil: timestamp(),
    /** When the first attempt failed after the last one that succeeded. */
    failingSince: timestamp(),
    /** When the owner was told that it will be disabled. */
    warnedAt: timestamp(),
    /** A consumer sends to it until then at the latest; null if none does. */
    sendingUntil: timestamp(),
    disabledAt: timestamp(),
    /** `failing` for five days; `gone`: it answered 410; `owner`: by its owner. */
    disabledReason: text({ enum: disabledReasons }),
    ...timestamps,
  },
  (t) => [
    index('webhookEndpoints_user').on(t.userId),
    index('webhookEndpoints_disabled').on(t.disabledReason).where(sql`${t.disabledAt} IS NOT NULL`),
    index('webhookEndpoints_master').on(t.id).where(sql`${t.role} = 'master'`),
    index('webhookEndpoints_failing')
      .on(t.failingSince)
      .where(sql`${t.failingSince} IS NOT NULL AND ${t.disabledAt} IS NULL`),
    check('webhookEndpoints_role', oneOf(t.role, tokenRoles)),
    check(
      'webhookEndpoints_disabled',
      sql`(${t.disabledAt} IS NULL) = (${t.disabledReason} IS NULL)`,
    ),
  ],
)

export const webhookStates = ['pending', 'delivered', 'failed'] as const

/** The outbox: one row for each event and endpoint. Triggers write those of orders. */
export const webhookMessages = sqliteTable(
  'webhookMessages',
  {
    /** `msg_` and 32 hexadecimal digits: the header `webhook-id` of every attempt. */
    id: text().primaryKey(),
    endpointId: text().notNull(),
    type: text({ enum: webhookEvents }).notNull(),
    /** Of events of orders. */
    orderId: integer(),
    /** JSON: the body, which never changes. */
    payload: text().notNull(),
    state: text({ enum: webhookStates }).notNull(),
    /** Attempts since it was created, sent again or replayed. */
    attempts: integer().notNull().default(0),
    /** When it is sent next; null if it is not pending. */
    dueAt: timestamp(),
    ...timestamps,
  },
  (t) => [
    index('webhookMessages_due').on(t.dueAt, t.endpointId).where(sql`${t.dueAt} IS NOT NULL`),
    // So that what waits for one endpoint does not slow down another.
    index('webhookMessages_pending').on(t.endpointId, t.dueAt).where(sql`${t.dueAt} IS NOT NULL`),
    index('webhookMessages_endpoint').on(t.endpointId, t.createdAt),
    index('webhookMessages_order').on(t.orderId).where(sql`${t.orderId} IS NOT NULL`),
    index('webhookMessages_age').on(t.createdAt),
    check('webhookMessages_state', oneOf(t.state, webhookStates)),
    check('webhookMessages_due', sql`(${t.state} = 'pending') = (${t.dueAt} IS NOT NULL)`),
  ],
)

/** What the receivers answered. */
export const webhookAttempts = sqliteTable(
  'webhookAttempts',
  {
    id: id(),
    messageId: text().notNull(),
    at: timestamp().notNull(),
    /** Milliseconds. */
    duration: integer().notNull(),
    /** Of the response; null if there was none. */
    status: integer(),
    /** Why it counts as failed; null for a success. */
    error: text(),
  },
  (t) => [index('webhookAttempts_message').on(t.messageId)],
)

/** How the items of archived orders have ended. */
export const archivedStatuses = ['transferred', 'failed'] as const

/**
 * Finished orders whose items, deliveries and transactions were moved to R2. Their rows in `orders`
 * stay, and with them the uniqueness of order numbers. See `orders/archive.ts`.
 */
export const archivedOrders = sqliteTable(
  'archivedOrders',
  {
    /** Id of the order. */
    id: integer()
      .primaryKey()
      .references(() => orders.id),
    itemId: integer().notNull(),
    /** The delivery key, hex. */
    key: text().notNull().unique('archivedOrders_key'),
    nftId: reference(() => nfts.id),
    listingId: reference(() => listings.id),
    sellerId: reference(() => users.id),
    status: text({ enum: archivedStatuses }).notNull(),
    /** Wallet of the recipient. Not in the line, so that no personal data is in R2. */
    ethRecipient: text(),
    /** Where the line is: the key of an object in R2, and bytes in it. */
    file: text().notNull(),
    offset: integer().notNull(),
    length: integer().notNull(),
  },
  (t) => [
    uniqueIndex('archivedOrders_item').on(t.itemId),
    index('archivedOrders_seller').on(t.sellerId, t.id),
    index('archivedOrders_status').on(t.status, t.itemId),
    check('archivedOrders_status', oneOf(t.status, archivedStatuses)),
  ],
)

/** One row: what must not change while the instance lives. */
export const instance = sqliteTable('instance', {
  id: integer().primaryKey(),
  /** SHA-256 of DELIVERY_KEY_SECRET, hex. With another secret, other keys would be made. */
  deliverySecretHash: text().notNull(),
})

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

export const catalogueTypes = ['user', 'nft', 'listing'] as const
export type CatalogueType = (typeof catalogueTypes)[number]

/** Imports of catalogues whose lines are sent in several calls. Deleted after a day. */
export const catalogueImports = sqliteTable(
  'catalogueImports',
  {
    /** A UUID that the client has chosen. */
    id: text().primaryKey(),
    /** The last line that was staged, from 1. */
    lines: integer().notNull(),
    /** JSON: how many records were created, updated and unchanged; null before the commit. */
    result: text(),
    /** First line and SHA-256 of the body of the call that committed. Only it is answered again. */
    callHash: text(),
    createdAt: timestamp().notNull(),
  },
  (t) => [index('catalogueImports_age').on(t.createdAt)],
)

/** Records that wait for the commit of their import. */
export const catalogueLines = sqliteTable(
  'catalogueLines',
  {
    importId: text().notNull(),
    /** From 1. */
    line: integer().notNull(),
    type: text({ enum: catalogueTypes }),
    externalId: text(),
    /** JSON as `export` writes it; null for a line that has problems. */
    record: text(),
    /** What SQL cannot compute: `users.identityHash` or `listings.priceWei`. */
    derived: text(),
  },
  (t) => [
    primaryKey({ columns: [t.importId, t.line] }),
    index('catalogueLines_record').on(t.importId, t.type, t.externalId),
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
