/** NFTs and listings, as order items show them. Some fields are private: not for public endpoints. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { shownColumns } from '../../db/columns.ts'
import { listings, listingTypes, nfts } from '../../db/schema/catalogue.ts'
import * as f from '../../http/fields.ts'

const nftFields = {
  id: f.id('Id of the NFT.'),
  amount: f.count('Number of pieces that were issued.'),
  availableAmount: f.count('Number of pieces left to sell. Ignored for an unlimited NFT.'),
  approved: f.bool('Whether the marketplace has approved the NFT.'),
  storageNetworkTx: f.orNull(f.text('Transaction that stored the files.')),
  chainTx: f.orNull(f.text('Transaction that minted the NFT.')),
  creatorPublicAddr: f.text('Wallet address of the creator.'),
  contractAddr: f.address('Address of the token contract.'),
  contractName: f.text('Name of the token contract.'),
  contractNetwork: f.text('Network of the token contract, by its name in the configuration.'),
  coverKey: f.orNull(f.text('Storage key of the cover picture.')),
  category: f.orNull(f.text('Category.')),
  secretPhrase: f.orNull(
    f.text('Phrase that unlocks the content. Null as `payload.secretPhrase` is.'),
  ),
  fee: f.orNull(f.text('Fee of secondary sales.')),
  feeRecipient: f.orNull(f.text('Wallet address that receives the fee.')),
  payload: z
    .record(z.string(), z.unknown())
    .describe(
      'Creation data, free form. `amountType` is `unique`, `limited` or `unlimited`: an unlimited NFT does not run out. `secretPhrase`, `downloadableAsset` and `audio` are null until the order item is `transferred`; then the buyer, the creator and master tokens see them.',
    ),
  price: f.money('Price of one piece'),
  priceEths: f.decimal('Price of one piece in ETH.'),
  priceCurrency: f.currency('Currency of `price`, ISO 4217.'),
  priceType: f.text('How the price is set, such as `FIXED`.'),
  downloadable: f.bool('Whether the buyer may download the files.'),
  title: f.text('Title.'),
  creatorId: f.id('User id of the creator.'),
  useCaseId: z.int().describe('Id of the use case.'),
  upgradeable: f.bool('Whether the NFT can be upgraded.'),
  tokenId: f.orNull(f.digits('Token id in the contract; null before it is minted.')),
  newTokenId: f.orNull(f.digits('Token id after an upgrade.')),
  oldTokenId: f.orNull(f.digits('Token id before an upgrade.')),
  status: f.text('`released` or `unlisted` if the NFT is on sale. Other values: it is not.'),
  releaseAt: f.time('Time of the release.'),
  biddingEnabled: f.bool('Whether bids are accepted.'),
  ...f.timestamps(),
  deletedAt: f.orNull(f.time('Time of deletion; null while the NFT exists.')),
  fractionalized: f.bool('Whether the NFT is split into fractions.'),
  redeemable: f.bool('Whether the NFT can be redeemed.'),
  qrcodePrintfileId: f.orNull(f.text('File id of the printable QR code.')),
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
  txHash: f.orNull(f.text('Transaction that created the listing on the chain.')),
  priceCurrency: f.currency('Currency of `priceCents`, ISO 4217.'),
  sellerId: f.id('User id of the seller.'),
  nftId: f.id('Id of the NFT for sale.'),
  captureCronId: f.orNull(f.text('Id of the job that captures the payment of an auction.')),
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

/** The keys of `payload` that hold what a buyer pays for. */
const secretKeys = ['secretPhrase', 'downloadableAsset', 'audio']

/** Returns the NFT without what its delivery gives the buyer. */
export const withoutSecrets = ({ payload, ...nft }: Nft): Nft => ({
  ...nft,
  secretPhrase: null,
  payload: Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [key, secretKeys.includes(key) ? null : value]),
  ),
})

/** SQL of the pieces of an NFT that reservations hold at a time. Only they can be ordered with them. */
export const heldQuantity = (nftId: SQL, now: SQL | string): SQL<number> =>
  sql`coalesce((SELECT sum(quantity) FROM heldPieces WHERE nftId = ${nftId} AND expiresAt > ${now}), 0)`
