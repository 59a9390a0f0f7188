/**
 * What the statements of an import share. The aliases are those of the tables: `r` for the staged
 * lines of the import, `u` for users, `n` for NFTs, `l` for listings.
 */
import { sql } from 'drizzle-orm'
import { orderableStatuses } from '../db/schema/catalogue.ts'
import { contentRecord } from './content.ts'

/** The lines of an import and the present time, as the table `r`, for the statement that follows. */
export const withLines = (importId: string, now = '') => sql`WITH r AS NOT MATERIALIZED
  (SELECT *, ${now} AS now FROM catalogueLines WHERE importId = ${importId})`

/** Whether orders are taken of the listing `l` of the NFT `n`, as far as no obstacle says. `time`: SQL. */
export const isForSale = (time: string) => `(l.active AND coalesce(l.activeTill > ${time}, 1)
  AND n.status IN ('${orderableStatuses.join(`', '`)}') AND n.deletedAt IS NULL
  AND (n.amountType IS 'unlimited' OR n.availableAmount > 0))`

/** A field of the record, such as `metadata.name`. */
export const value = (field: string) => `(r.record ->> '$.${field}')`

/**
 * The lines with the users that they match: `u` by the id of the record, `m` by its e-mail address,
 * `w` by its wallet. `p` is the first of them.
 */
export const matchedUsers = `r LEFT JOIN users u ON u.externalId = r.externalId
  LEFT JOIN users m ON m.email = ${value('email')} AND m.email <> ''
  LEFT JOIN users w ON w.ethereumPublicAddr = ${value('ethereumPublicAddr')}
    AND w.ethereumPublicAddr <> '' AND w.walletChainId = ${value('walletChainId')}
  LEFT JOIN users p ON p.id = coalesce(u.id, m.id, w.id)`

/** Fields that stand in parentheses, because D1 limits the depth of an expression to 100. */
const GROUP_SIZE = 8

/** Concatenates SQL that returns JSON into an object. D1 limits the arguments of `json_object`. */
export function jsonObject(fields: Record<string, string>): string {
  const parts = Object.entries(fields).map(([key, json]) => `'"${key}":' || ${json}`)
  const groups = parts.flatMap((_, i) =>
    i % GROUP_SIZE === 0 ? `(${parts.slice(i, i + GROUP_SIZE).join(` || ',' || `)})` : [],
  )
  return `'{' || ${groups.join(` || ',' || `)} || '}'`
}

const flags = (columns: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(columns).map(([key, column]) => [key, `iif(${column}, 'true', 'false')`]),
  )

export const quoted = (columns: Record<string, string>) =>
  Object.fromEntries(Object.entries(columns).map(([key, column]) => [key, `json_quote(${column})`]))

/**
 * The id by which records refer to a user. Users who have signed up have one, too. The time of the
 * sign-up follows if another user has that id, as from an imported export of another instance.
 */
export const userReference = (table: string) =>
  `coalesce(${table}.externalId, 'user-' || ${table}.id || iif(
    EXISTS (SELECT 1 FROM users other WHERE other.externalId = 'user-' || ${table}.id),
    '-' || unixepoch(${table}.createdAt), ''))`

/** The record of the NFT `n` with the creator `u`. */
export const nftRecord = (releaseAt = 'n.releaseAt') =>
  jsonObject({
    ...quoted({
      type: `'nft'`,
      id: 'n.externalId',
      creator: userReference('u'),
      network: 'n.contractNetwork',
      contract: 'n.contractAddr',
      contractName: 'n.contractName',
      tokenId: 'n.tokenId',
      amountType: 'n.amountType',
      amount: 'iif(n.hasCodes, NULL, n.amount)',
      fulfilment: 'n.fulfilment',
      recipients: 'n.recipients',
      status: 'n.status',
      releaseAt,
      priceCents: 'n.price',
      priceEths: 'n.priceEths',
      priceCurrency: 'n.priceCurrency',
      coverKey: 'n.coverKey',
      category: 'n.category',
      fee: 'n.fee',
      feeRecipient: 'n.feeRecipient',
      salesContractUrl: 'n.salesContractUrl',
    }),
    ...flags({
      heldBySeller: 'n.heldBySeller',
      downloadable: 'n.downloadable',
      redeemable: 'n.redeemable',
      upgradeable: 'n.upgradeable',
      fractionalized: 'n.fractionalized',
    }),
    content: contentRecord,
    payload: `json_remove(n.payload, '$.title', '$.amountType', '$.metadata')`,
    metadata: `coalesce(n.payload -> 'metadata', json_object('name', n.title))`,
  })

/**
 * The record of `n` for a staged line of it. A line without `releaseAt` keeps the stored time, so both
 * compare as equal.
 */
export const storedNft = nftRecord(`iif(${value('releaseAt')} IS NULL, NULL, n.releaseAt)`)

/** The record of the listing `l` of the NFT `n` with the seller `u`. */
export const listingRecord = jsonObject({
  ...quoted({
    type: `'listing'`,
    id: 'l.externalId',
    nft: 'n.externalId',
    seller: userReference('u'),
    saleType: 'l.type',
    priceCents: 'l.priceCents',
    priceEths: 'l.priceEths',
    priceCurrency: 'l.priceCurrency',
    amount: 'l.amount',
  }),
  ...flags({ active: 'l.active' }),
  ...quoted({ activeTill: 'l.activeTill', shopUrl: 'l.shopUrl' }),
})
