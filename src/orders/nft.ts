/** NFTs and listings, as order items show them. Some fields are private: not for public endpoints. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { shownColumns } from '../db/columns.ts'
import { listings, listingTypes, nfts } from '../db/schema/catalogue.ts'
import {
  address,
  bool,
  count,
  currency,
  decimal,
  digits,
  id,
  model,
  money,
  orNull,
  text,
  time,
  timestamps,
} from '../http/fields.ts'

export const Nft = model('Nft', 'An NFT of the marketplace.', {
  id: id('Id of the NFT.'),
  amount: count('Number of pieces that were issued.'),
  availableAmount: count('Number of pieces left to sell. Ignored for an unlimited NFT.'),
  approved: bool('Whether the marketplace has approved the NFT.'),
  storageNetworkTx: orNull(text('Transaction that stored the files.')),
  chainTx: orNull(text('Transaction that minted the NFT.')),
  creatorPublicAddr: text('Wallet address of the creator.'),
  contractAddr: address('Address of the token contract.'),
  contractName: text('Name of the token contract.'),
  contractNetwork: text('Network of the token contract, by its name in the configuration.'),
  coverKey: orNull(text('Storage key of the cover picture.')),
  category: orNull(text('Category.')),
  secretPhrase: orNull(text('Phrase that unlocks the content. Null as `payload.secretPhrase` is.')),
  fee: orNull(text('Fee of secondary sales.')),
  feeRecipient: orNull(text('Wallet address that receives the fee.')),
  payload: z
    .record(z.string(), z.unknown())
    .describe(
      'Creation data, free form. `amountType` is `unique`, `limited` or `unlimited`: an unlimited NFT does not run out. `secretPhrase`, `downloadableAsset` and `audio` are null until the order item is `transferred`; then the buyer, the creator and master tokens see them.',
    ),
  price: money('Price of one piece'),
  priceEths: decimal('Price of one piece in ETH.'),
  priceCurrency: currency('Currency of `price`, ISO 4217.'),
  priceType: text('How the price is set, such as `FIXED`.'),
  downloadable: bool('Whether the buyer may download the files.'),
  title: text('Title.'),
  creatorId: id('User id of the creator.'),
  useCaseId: z.int().describe('Id of the use case.'),
  upgradeable: bool('Whether the NFT can be upgraded.'),
  tokenId: orNull(digits('Token id in the contract; null before it is minted.')),
  newTokenId: orNull(digits('Token id after an upgrade.')),
  oldTokenId: orNull(digits('Token id before an upgrade.')),
  status: text('`released` or `unlisted` if the NFT is on sale. Other values: it is not.'),
  releaseAt: time('Time of the release.'),
  biddingEnabled: bool('Whether bids are accepted.'),
  ...timestamps(),
  deletedAt: orNull(time('Time of deletion; null while the NFT exists.')),
  fractionalized: bool('Whether the NFT is split into fractions.'),
  redeemable: bool('Whether the NFT can be redeemed.'),
  qrcodePrintfileId: orNull(text('File id of the printable QR code.')),
  salesContractUrl: orNull(text('URL of the sales contract.')),
})

export const Listing = model('Listing', 'An offer of a seller to sell an NFT.', {
  id: id('Id of the listing.'),
  priceCents: money('Price of one piece'),
  amount: orNull(count('Most pieces of one order; null for no limit.')),
  priceEths: decimal('Price of one piece in ETH.'),
  priceWei: digits('Price of one piece in wei.'),
  activeTill: orNull(time('Time when the listing ends; null if it does not end.')),
  active: bool('Whether orders are accepted.'),
  type: z
    .enum(listingTypes)
    .describe('Kind of sale: `regular` for a fixed price, or `auction`.')
    .meta({ id: 'ListingType' }),
  txHash: orNull(text('Transaction that created the listing on the chain.')),
  priceCurrency: currency('Currency of `priceCents`, ISO 4217.'),
  sellerId: id('User id of the seller.'),
  nftId: id('Id of the NFT for sale.'),
  captureCronId: orNull(text('Id of the job that captures the payment of an auction.')),
  ...timestamps(),
})

export type Nft = z.infer<typeof Nft>
export type Listing = z.infer<typeof Listing>

export const nftColumns = shownColumns(nfts, Nft)
export const listingColumns = shownColumns(listings, Listing)

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
