import { type SQL, sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { boolean, idColumn, isOneOfSql, reference, timestamp, timestampColumns } from './columns.ts'

/** `users.roleId` of administrators, who may create and use master tokens. */
export const ADMINISTRATOR = 1

export const users = sqliteTable(
  'users',
  {
    id: idColumn(),
    /** The operator's own id, for users of the catalogue. See `catalogue/`. */
    externalId: text(),
    /** Whether the user may place orders with user tokens: an import or an administrator says it. */
    approved: boolean().notNull().default(false),
    /** Lower case; `''` if the user has none. */
    email: text().notNull().default(''),
    /** Checksummed (EIP-55); `''` if the user has no wallet. */
    ethereumPublicAddr: text().notNull().default(''),
    /**
     * The chain on which the contract at this address signed; 0 for a wallet with a key. Of a guest, the chain
     * of what was ordered for it: a key or a contract may prove it.
     */
    walletChainId: integer().notNull().default(0),
    /**
     * Whether the contract was not deployed when it signed last (EIP-6492): on that chain, its factory
     * makes one at this address that accepts the signature.
     */
    walletProvedByFactory: boolean().notNull().default(false),
    /** Whether a wallet was unlinked from it: the next one is not its first. */
    hadWallet: boolean().notNull().default(false),
    /**
     * Hash of the first identity that the user proved (`hashIdentity`). Never changes. Extended if
     * another user had the identity before, and has unlinked it.
     */
    identityHash: text().notNull(),
    name: text(),
    /** How the user signed up: `wallet` or `email`. */
    provider: text().notNull(),
    roleId: integer(),
    username: text(),
    /** Where a seller's listings are bought that have none of their own: see `catalogue/shop-url.ts`. */
    shopUrl: text(),
    /** What the browser, or the order of a guest, says: a guess. */
    locale: text().notNull().default('en'),
    /** The language that the person has chosen, as ISO 639-1; null without a choice. */
    language: text(),
    approvedAt: timestamp(),
    lastAccessAt: timestamp(),
    removedAt: timestamp(),
    ...timestampColumns,
    ipAddress: text().notNull().default(''),
    /** Key of the avatar in R2; null while the user has the default avatar. */
    avatarKey: text(),
  },
  (t) => [
    uniqueIndex('users_external').on(t.externalId).where(sql`${t.externalId} IS NOT NULL`),
    uniqueIndex('users_identity').on(t.identityHash),
    index('users_role').on(t.roleId).where(sql`${t.roleId} IS NOT NULL`),
    uniqueIndex('users_email').on(t.email).where(sql`${t.email} <> ''`),
    uniqueIndex('users_username')
      .on(sql`lower(${t.username})`)
      .where(sql`${t.username} IS NOT NULL`),
    uniqueIndex('users_wallet')
      .on(t.ethereumPublicAddr, t.walletChainId)
      .where(sql`${t.ethereumPublicAddr} <> ''`),
    // `isUnowned` in SQL.
    check(
      'users_wallet_owned',
      sql`${t.ethereumPublicAddr} NOT GLOB '0x000000000000000000000000000000000000????'`,
    ),
    check('users_wallet_factory', sql`NOT ${t.walletProvedByFactory} OR ${t.walletChainId} <> 0`),
  ],
)

/** Matches a user whom nothing but an order has named: nobody has proved the address. */
export const isGuestSql = (user: string): SQL => sql.raw(isGuestText(user))

/** The same for imports, whose statements are text. */
export const isGuestText = (user: string): string =>
  `(${user}.lastAccessAt IS NULL AND ${user}.externalId IS NULL AND ${user}.roleId IS NULL)`

/** The locale in which a user reads pages and mails. */
export const readLocaleSql = (user: string): SQL<string> =>
  sql`${sql.raw(`coalesce(${user}.language, ${user}.locale)`)}`

const tokenKinds = ['api', 'session'] as const
export const tokenRoles = ['user', 'master'] as const
/**
 * `write` includes reading. Of master tokens only: `metrics` reads the metrics of the instance, and
 * `orders` places and follows the orders of its namespace; neither does anything else.
 */
export const tokenScopes = ['read', 'write', 'metrics', 'orders'] as const

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
    /** Days before its end (30, then 7) for which its owner was told last. */
    warnedBefore: integer(),
    /** The browser of a session, such as `Firefox (Windows)`. */
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
    index('tokens_ends')
      .on(t.role, t.expiresAt)
      .where(sql`${t.kind} = 'api' AND ${t.revokedAt} IS NULL AND ${t.rolledAt} IS NULL`),
    check('tokens_kind', isOneOfSql(t.kind, tokenKinds)),
    check('tokens_role', isOneOfSql(t.role, tokenRoles)),
    check('tokens_scope', isOneOfSql(t.scope, tokenScopes)),
  ],
)

/** Nonces of EIP-4361 messages. A nonce is used once: using it deletes it. */
export const walletNonces = sqliteTable(
  'walletNonces',
  { nonce: text().primaryKey(), expiresAt: timestamp().notNull() },
  (t) => [index('walletNonces_expiry').on(t.expiresAt)],
)

/**
 * Links by which the phone of a signed-in user proves a wallet. A user has one: a new one ends the one before.
 * Only the SHA-256 of their secret is stored.
 */
export const phoneLinks = sqliteTable(
  'phoneLinks',
  {
    userId: integer()
      .primaryKey()
      .references(() => users.id),
    secretHash: text().notNull(),
    /** What was proved, as in `users`; null before. */
    wallet: text(),
    walletChainId: integer().notNull().default(0),
    walletProvedByFactory: boolean().notNull().default(false),
    expiresAt: timestamp().notNull(),
  },
  (t) => [
    uniqueIndex('phoneLinks_secret').on(t.secretHash),
    index('phoneLinks_expiry').on(t.expiresAt),
  ],
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
    id: idColumn(),
    kind: text({ enum: addressKinds }).notNull(),
    origin: text({ enum: addressOrigins }).notNull().default('request'),
    /** By which the order finds it whose transaction has added it: a UUID. Null for other addresses. */
    placementKey: text(),
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
    ...timestampColumns,
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
    index('addresses_deleted').on(t.deletedAt).where(sql`${t.deletedAt} IS NOT NULL`),
    uniqueIndex('addresses_default')
      .on(t.userId, t.kind)
      .where(sql`${t.isDefault} AND ${t.deletedAt} IS NULL`),
    check('addresses_kind', isOneOfSql(t.kind, addressKinds)),
    check('addresses_origin', isOneOfSql(t.origin, addressOrigins)),
  ],
)
