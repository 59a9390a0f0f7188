import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { boolean, idColumn, isOneOfSql, reference, timestamp, timestampColumns } from './columns.ts'
import { users } from './users.ts'

/** `payload.amountType`: whether the number of pieces of an NFT is limited. */
export const amountTypes = ['unique', 'limited', 'unlimited'] as const

/** How a paid order is fulfilled: the holder's token is transferred, or a new one is minted. */
export const fulfilments = ['transfer', 'mint'] as const

/**
 * Who may get a token. `verified`: only wallets that its contract knows, so a trial with another account
 * says nothing.
 */
export const recipients = ['anybody', 'verified'] as const

/** Who gets the content of an NFT: who has bought it, once it is delivered, or who holds the token now. */
export const contentReleases = ['delivered', 'holder'] as const

/** Statuses in which an NFT can be ordered. One that is unlisted is shown only to who names it. */
export const orderableStatuses: readonly string[] = ['released', 'unlisted']
/** Statuses of what is not for sale: not yet, or no more. */
export const otherStatuses = ['draft', 'withdrawn'] as const

export const nfts = sqliteTable(
  'nfts',
  {
    id: idColumn(),
    /** The operator's own id. */
    externalId: text().notNull().unique('nfts_external'),
    amount: integer().notNull(),
    /** Pieces left to sell. Does not change if `amountType` is `unlimited`. */
    availableAmount: integer().notNull(),
    approved: boolean().notNull().default(true),
    creatorPublicAddr: text().notNull(),
    contractAddr: text().notNull(),
    contractName: text().notNull(),
    /** A name in the NETWORKS configuration. */
    contractNetwork: text().notNull(),
    coverKey: text(),
    category: text(),
    /** Who gets what its content is; null if it has none. */
    contentRelease: text({ enum: contentReleases }),
    /** The phrase of the content, which is shown as its files are. */
    secretPhrase: text(),
    /** Whether each of its pieces has a code (`codes`), so that its stock follows from their number. */
    hasCodes: boolean().notNull().default(false),
    /** Files of its content whose bytes are not stored yet. Updated by triggers. */
    missingFiles: integer().notNull().default(0),
    /** Per cent, as decimal text. */
    fee: text(),
    feeRecipient: text(),
    /** What the creator says of it, with the `title`, `amountType` and `metadata` of the record. */
    payload: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    /** In minor units of the currency (ISO 4217). */
    price: integer().notNull(),
    priceEths: text().notNull(),
    priceCurrency: text().notNull(),
    downloadable: boolean().notNull().default(false),
    title: text().notNull(),
    creatorId: reference(() => users.id),
    upgradeable: boolean().notNull().default(false),
    /** uint256 as decimal text. */
    tokenId: text(),
    fulfilment: text({ enum: fulfilments }).notNull().default('transfer'),
    recipients: text({ enum: recipients }).notNull().default('anybody'),
    /** Whether the wallet of the seller holds the pieces, also where the network has a treasury. */
    heldBySeller: boolean().notNull().default(false),
    /** One of `orderableStatuses` if the NFT is on sale. */
    status: text().notNull(),
    releaseAt: timestamp().notNull(),
    ...timestampColumns,
    /**
     * When the catalogue changed it, it sold out or came back. Before lists have shown it, that is not
     * before `releaseAt`: it becomes visible then. Other sales only set `updatedAt`.
     */
    changedAt: timestamp().notNull(),
    /** Whether lists have shown it before the last import that changed it. */
    wasReleased: boolean().notNull().default(false),
    deletedAt: timestamp(),
    fractionalized: boolean().notNull().default(false),
    redeemable: boolean().notNull().default(false),
    salesContractUrl: text(),
    amountType: text({ enum: amountTypes }).generatedAlwaysAs(
      sql`json_extract(payload, '$.amountType')`,
      { mode: 'virtual' },
    ),
  },
  (t) => [
    index('nfts_token').on(t.contractNetwork, t.contractAddr, t.tokenId),
    index('nfts_released')
      .on(t.releaseAt)
      .where(sql`${t.status} = 'released' AND ${t.deletedAt} IS NULL`),
    index('nfts_creator')
      .on(t.creatorId, t.releaseAt)
      .where(sql`${t.status} = 'released' AND ${t.deletedAt} IS NULL`),
    index('nfts_own').on(t.creatorId, t.id),
    index('nfts_changed').on(t.changedAt),
    index('nfts_postponed').on(t.releaseAt).where(sql`${t.changedAt} < ${t.releaseAt}`),
    index('nfts_title').on(sql`${t.title} COLLATE NOCASE`),
    index('nfts_price')
      .on(sql`${t.priceCurrency} || printf('%016d', ${t.price})`)
      .where(sql`${t.status} = 'released' AND ${t.deletedAt} IS NULL`),
    check('nfts_stock', sql`${t.availableAmount} >= 0`),
    check('nfts_payload', sql`json_valid(${t.payload})`),
    check('nfts_fulfilment', isOneOfSql(t.fulfilment, fulfilments)),
    check('nfts_recipients', isOneOfSql(t.recipients, recipients)),
    check('nfts_content', isOneOfSql(t.contentRelease, contentReleases)),
  ],
)

/** Why an NFT that is on sale could not be delivered, as `reasonCodes` say it. */
export const saleObstacles = [
  'gas_limit_exceeded',
  'holder_has_no_token',
  'invalid_token_id',
  'mint_not_exact',
  'mint_refused',
  'seller_has_no_wallet',
  'token_moved_nothing',
  'token_not_deployed',
  'token_not_supported',
  'token_not_transferable',
] as const
export type SaleObstacle = (typeof saleObstacles)[number]

/** Obstacles of one piece. The others may be those of its contract or its seller. */
export const pieceObstacles: readonly SaleObstacle[] = ['holder_has_no_token', 'invalid_token_id']

/** What has found the obstacle of a listing: a trial, or a delivery that could not be made. */
export const obstacleFinders = ['trial', 'delivery'] as const

/** `checkAt` of what is tried once it was imported again, because trials do not see its obstacle. */
export const NEVER = '9999-12-31T23:59:59.999Z'

export const listingTypes = ['auction', 'regular'] as const

export const listings = sqliteTable(
  'listings',
  {
    id: idColumn(),
    /** The operator's own id. */
    externalId: text().notNull().unique('listings_external'),
    /** In minor units of the currency (ISO 4217). */
    priceCents: integer().notNull(),
    /** Most pieces of one order; null if only the stock limits it. */
    amount: integer(),
    priceEths: text().notNull(),
    priceWei: text().notNull(),
    activeTill: timestamp(),
    active: boolean().notNull(),
    type: text({ enum: listingTypes }).notNull(),
    priceCurrency: text().notNull(),
    sellerId: reference(() => users.id),
    nftId: reference(() => nfts.id),
    /** Where it is bought, if not at the `shopUrl` of its seller. */
    shopUrl: text(),
    /** Why nothing is sold of it; null if a piece could be delivered, or that is not known. */
    obstacle: text({ enum: saleObstacles }),
    obstacleSince: timestamp(),
    foundBy: text({ enum: obstacleFinders }),
    /** Whether another NFT of its contract and seller has the obstacle, and this one was not tried since. */
    isShared: boolean().notNull().default(false),
    /** Since when some nodes say that it can be delivered, and not all. */
    disputedSince: timestamp(),
    /** Nothing is sold before, so that it can be tried first. Null once nodes have told. */
    untriedUntil: timestamp(),
    /** When it is tried next whether a piece could be delivered. */
    checkAt: timestamp().notNull().default(''),
    ...timestampColumns,
  },
  (t) => [
    index('listings_seller').on(t.sellerId),
    index('listings_nft').on(t.nftId),
    index('listings_updated').on(t.updatedAt),
    index('listings_ends').on(t.activeTill).where(sql`${t.updatedAt} < ${t.activeTill}`),
    index('listings_due').on(sql`${t.untriedUntil} IS NULL`, t.checkAt).where(sql`${t.active}`),
    index('listings_obstacles').on(t.sellerId, t.isShared).where(sql`${t.obstacle} IS NOT NULL`),
    index('listings_stopped').on(t.obstacleSince).where(sql`${t.obstacle} IS NOT NULL`),
    index('listings_held').on(t.untriedUntil).where(sql`${t.updatedAt} < ${t.untriedUntil}`),
    check('listings_price', sql`${t.priceCents} >= 0`),
    check('listings_type', isOneOfSql(t.type, listingTypes)),
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
    /** `users.identityHash`, `listings.priceWei`, or the network of an NFT if it is not configured. */
    derived: text(),
    /** JSON: the words of its title or names, for `words`; null for a listing. */
    words: text(),
    /** What was stored when somebody was shown the change, '' for nothing; null if nobody was. */
    shown: text(),
  },
  (t) => [
    primaryKey({ columns: [t.importId, t.line] }),
    index('catalogueLines_record').on(t.importId, t.type, t.externalId),
  ],
)

const subjectKinds = ['nft', 'user'] as const
export type SubjectKind = (typeof subjectKinds)[number]

/**
 * The words of the titles of NFTs and of the names of users, as `wordsOf` in `db/words.ts` folds them. Written in
 * the transaction that writes the title or the name. WITHOUT ROWID.
 */
export const words = sqliteTable(
  'words',
  {
    kind: text({ enum: subjectKinds }).notNull(),
    word: text().notNull(),
    /** No foreign key: the id of an NFT or of a user. */
    subjectId: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.word, t.subjectId] }),
    index('words_subject').on(t.kind, t.subjectId, t.word),
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
