/** NFTs and listings, as order items show them. Some fields are private: not for public endpoints. */
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
  docs,
  id,
  money,
  orNull,
  text,
  time,
  timestamps,
} from '../http/fields.ts'

export const Nft = z
  .object({
    id: id(docs('Id of the NFT.')),
    amount: count(docs('Number of pieces that were issued.')),
    availableAmount: count(docs('Number of pieces left to sell. Ignored for an unlimited NFT.')),
    approved: bool(docs('Whether the marketplace has approved the NFT.')),
    storageNetworkTx: orNull(text(docs('Transaction that stored the files.'))),
    chainTx: orNull(text(docs('Transaction that minted the NFT.'))),
    creatorPublicAddr: text(docs('Wallet address of the creator.')),
    contractAddr: address(docs('Address of the token contract.')),
    contractName: text(docs('Name of the token contract.')),
    contractNetwork: text(docs('Network of the token contract, by its name in the configuration.')),
    coverKey: orNull(text(docs('Storage key of the cover picture.'))),
    category: orNull(text(docs('Category.'))),
    secretPhrase: orNull(text(docs('Phrase that unlocks the content.'))),
    fee: orNull(text(docs('Fee of secondary sales.'))),
    feeRecipient: orNull(text(docs('Wallet address that receives the fee.'))),
    payload: z
      .record(z.string(), z.unknown())
      .describe(
        'Creation data, free form. `amountType` is `unique`, `limited` or `unlimited`: an unlimited NFT does not run out.',
      ),
    price: money(docs('Price of one piece')),
    priceEths: decimal(docs('Price of one piece in ETH.')),
    priceCurrency: currency(docs('Currency of `price`, ISO 4217.')),
    priceType: text(docs('How the price is set, such as `FIXED`.')),
    downloadable: bool(docs('Whether the buyer may download the files.')),
    title: text(docs('Title.')),
    creatorId: id(docs('User id of the creator.')),
    useCaseId: z.int().describe(docs('Id of the use case.')),
    upgradeable: bool(docs('Whether the NFT can be upgraded.')),
    tokenId: orNull(digits(docs('Token id in the contract; null before it is minted.'))),
    newTokenId: orNull(digits(docs('Token id after an upgrade.'))),
    oldTokenId: orNull(digits(docs('Token id before an upgrade.'))),
    status: text(docs('`released` or `unlisted` if the NFT is on sale. Other values: it is not.')),
    releaseAt: time(docs('Time of the release.')),
    biddingEnabled: bool(docs('Whether bids are accepted.')),
    ...timestamps(),
    deletedAt: orNull(time(docs('Time of deletion; null while the NFT exists.'))),
    fractionalized: bool(docs('Whether the NFT is split into fractions.')),
    redeemable: bool(docs('Whether the NFT can be redeemed.')),
    qrcodePrintfileId: orNull(text(docs('File id of the printable QR code.'))),
    salesContractUrl: orNull(text(docs('URL of the sales contract.'))),
  })
  .meta({ id: 'Nft', description: docs('An NFT of the marketplace.') })

export const Listing = z
  .object({
    id: id(docs('Id of the listing.')),
    priceCents: money(docs('Price of one piece')),
    amount: orNull(count(docs('Most pieces of one order; null for no limit.'))),
    priceEths: decimal(docs('Price of one piece in ETH.')),
    priceWei: digits(docs('Price of one piece in wei.')),
    activeTill: orNull(time(docs('Time when the listing ends; null if it does not end.'))),
    active: bool(docs('Whether orders are accepted.')),
    type: z
      .enum(listingTypes)
      .describe(docs('Kind of sale: `regular` for a fixed price, or `auction`.'))
      .meta({ id: 'ListingType' }),
    txHash: orNull(text(docs('Transaction that created the listing on the chain.'))),
    priceCurrency: currency(docs('Currency of `priceCents`, ISO 4217.')),
    sellerId: id(docs('User id of the seller.')),
    nftId: id(docs('Id of the NFT for sale.')),
    captureCronId: orNull(text(docs('Id of the job that captures the payment of an auction.'))),
    ...timestamps(),
  })
  .meta({ id: 'Listing', description: docs('An offer of a seller to sell an NFT.') })

export type Nft = z.infer<typeof Nft>
export type Listing = z.infer<typeof Listing>

export const nftColumns = shownColumns(nfts, Nft)
export const listingColumns = shownColumns(listings, Listing)

/** Whether orders do not reduce the stock of the NFT. */
export const isUnlimited = ({ payload }: Nft): boolean => payload.amountType === 'unlimited'
