/** NFTs and listings, as order items show them. Some fields are private: not for public endpoints. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { type RowOf, shownColumns } from '../../db/columns.ts'
import { listings, listingTypes, nfts } from '../../db/schema/catalogue.ts'
import * as f from '../../http/fields.ts'
import { filesSql, toDownloadableAsset } from './files.ts'

/** A field of the contract that is the same for all. */
const always = <T extends string | number | boolean | null>(shown: string, value: T) =>
  z.literal(value).describe(`Always ${shown}.`)

const nftFields = {
  id: f.id('Id of the NFT.'),
  amount: f.count('Number of pieces that were issued.'),
  availableAmount: f.count('Number of pieces left to sell. Ignored for an unlimited NFT.'),
  approved: f.bool('Whether the marketplace has approved the NFT.'),
  storageNetworkTx: always('null', null),
  chainTx: always('null', null),
  creatorPublicAddr: f.text('Wallet address of the creator.'),
  contractAddr: f.address('Address of the token contract.'),
  contractName: f.text('Name of the token contract.'),
  contractNetwork: f.text('Network of the token contract, by its name in the configuration.'),
  coverKey: f.orNull(f.text('Storage key of the cover picture.')),
  category: f.orNull(f.text('Category.')),
  secretPhrase: f.orNull(
    f.text('Phrase that unlocks the content. Null as `payload.secretPhrase` is.'),
  ),
  fee: f.orNull(f.decimal('Fee of secondary sales, in per cent.')),
  feeRecipient: f.orNull(f.text('Wallet address that receives the fee.')),
  payload: z
    .record(z.string(), z.unknown())
    .describe(
      'Creation data, free form. `amountType` is `unique`, `limited` or `unlimited`: an unlimited NFT does not run out. `secretPhrase`, `downloadableAsset` and `audio` are null until the order item is `transferred`; then the buyer, the creator and master tokens see them.',
    ),
  price: f.money('Price of one piece'),
  priceEths: f.decimal('Price of one piece in ETH.'),
  priceCurrency: f.currency('Currency of `price`, ISO 4217.'),
  priceType: always('`FIXED`', 'FIXED'),
  downloadable: f.bool('Whether the buyer may download the files.'),
  title: f.text('Title.'),
  creatorId: f.id('User id of the creator.'),
  useCaseId: always('1', 1),
  upgradeable: f.bool('Whether the NFT can be upgraded.'),
  tokenId: f.orNull(f.digits('Token id in the contract; null before it is minted.')),
  newTokenId: always('null', null),
  oldTokenId: always('null', null),
  status: f.text('`released` or `unlisted` if the NFT is on sale. Other values: it is not.'),
  releaseAt: f.time('Time of the release.'),
  biddingEnabled: always('false', false),
  ...f.timestamps(),
  deletedAt: f.orNull(f.time('Time of deletion; null while the NFT exists.')),
  fractionalized: f.bool('Whether the NFT is split into fractions.'),
  redeemable: f.bool('Whether the NFT can be redeemed.'),
  qrcodePrintfileId: always('null', null),
  salesContractUrl: f.orNull(f.text('URL of the sales contract.')),
}

const listingFields = {
  id: f.id('Id of the listing.'),
  priceCents: f.money('Price of one piece'),
  amount: f.orNull(f.count('Most pieces of one order; null for no limit.')),
  priceEths: f.decimal('Price of one piece in ETH.'),
  priceWei: f.digits('Price of one piece in wei.'),
  activeTill: f.orNull(f.time('Time when the listing ends; null if it does not end.')),
  active: f.bool('Whether orders are accepted.'),
  type: z
    .enum(listingTypes)
    .describe('Kind of sale: `regular` for a fixed price, or `auction`.')
    .meta({ id: 'ListingType' }),
  txHash: always('null', null),
  priceCurrency: f.currency('Currency of `priceCents`, ISO 4217.'),
  sellerId: f.id('User id of the seller.'),
  nftId: f.id('Id of the NFT for sale.'),
  captureCronId: always('null', null),
  ...f.timestamps(),
}

export const Nft = f.model('Nft', 'An NFT of the marketplace.', () => nftFields)
export const Listing = f.model(
  'Listing',
  'An offer of a seller to sell an NFT.',
  () => listingFields,
)
export type Nft = z.infer<typeof Nft>
export type Listing = z.infer<typeof Listing>

export const nftColumns = shownColumns(nfts, { shape: nftFields })
export const listingColumns = shownColumns(listings, { shape: listingFields })

export type NftRow = RowOf<typeof nftColumns>
export type ListingRow = RowOf<typeof listingColumns>

/** The columns of an NFT of an order that is read, with its holder and its content. */
export const readNftColumns = {
  ...nftColumns,
  heldBySeller: nfts.heldBySeller,
  contentRelease: nfts.contentRelease,
  hasCodes: nfts.hasCodes,
  files: filesSql(sql`${nfts.id}`),
}
export type ReadNftRow = RowOf<typeof readNftColumns>

/** What every NFT and every listing show alike. */
const nftConstants = {
  storageNetworkTx: null,
  chainTx: null,
  priceType: 'FIXED',
  useCaseId: 1,
  newTokenId: null,
  oldTokenId: null,
  biddingEnabled: false,
  qrcodePrintfileId: null,
} as const
const listingConstants = { txHash: null, captureCronId: null } as const

export const toOrderedListing = (row: ListingRow): Listing => ({ ...row, ...listingConstants })

/** The keys of `payload` that hold what a buyer pays for. */
const secretKeys = ['secretPhrase', 'downloadableAsset', 'audio']

/** Returns an NFT without what its delivery gives the buyer. */
export const withoutSecrets = ({ payload, ...nft }: NftRow): Nft => ({
  ...nft,
  ...nftConstants,
  secretPhrase: null,
  payload: Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [key, secretKeys.includes(key) ? null : value]),
  ),
})

/** Returns an NFT with what its delivery gives the buyer. */
export const withSecrets = ({
  heldBySeller,
  contentRelease,
  hasCodes,
  files,
  payload,
  ...nft
}: ReadNftRow): Nft => {
  const downloadableAsset = toDownloadableAsset(nft.id, files)
  return {
    ...nft,
    ...nftConstants,
    payload: downloadableAsset.length > 0 ? { ...payload, downloadableAsset } : payload,
  }
}

/** SQL of the pieces of an NFT that reservations hold at a time. Only they can be ordered with them. */
export const heldQuantity = (nftId: SQL, now: SQL | string): SQL<number> =>
  sql`coalesce((SELECT sum(quantity) FROM heldPieces WHERE nftId = ${nftId} AND expiresAt > ${now}), 0)`
