/** NFTs, listings, creators and numbers, as everybody sees them. */
import * as z from 'zod'
import { amountTypes, listingTypes, saleObstacles } from '../db/schema/catalogue.ts'
import * as f from '../http/fields.ts'
import { catalogueLimits } from '../http/limits.ts'

const { always, bool, count, id, orNull, positive, text, time } = f

const PublicUser = z
  .object({
    id: id('User id.'),
    name: orNull(text('Name.')),
    username: orNull(text('User name.')),
    avatarUrl: z.url().describe('URL of the avatar.'),
  })
  .meta({ id: 'PublicUser', description: 'What everybody sees of a user.' })

const externalId = text('The id that the operator gave it.')
const nftFields = {
  id: id('Id of the NFT.'),
  externalId,
  title: text('Title.'),
  description: orNull(
    text(`At most ${catalogueLimits.description.max} characters; null without one.`),
  ),
  imageUrl: orNull(z.url().describe('URL of the cover; null without one.')),
  network: text('Name of the network.'),
  contract: f.address('Address of the token contract.'),
  tokenId: orNull(f.digits('Token id in the contract; null before it is minted.')),
  amountType: orNull(always('Whether the number of pieces is limited.', ...amountTypes)),
  listed: bool(
    'Whether lists show it. False if it is unlisted, and sold only to who names it, was withdrawn ' +
      'or postponed: take it off a copy of the catalogue.',
  ),
  creator: PublicUser.describe('The creator.'),
}

/** The codes of orders that nobody can place now. */
const reasons = [
  'nft_not_released',
  'listing_not_found',
  'listing_inactive',
  'listing_ended',
  'listing_is_auction',
  'quantity_above_limit',
  'sold_out',
  ...saleObstacles,
] as const
const stockFields = {
  available: orNull(count('Pieces left, without those in reservations; null for no limit.')),
  sellable: bool('Whether a piece can be ordered now.'),
  notSellableReason: orNull(z.enum(reasons).describe('The code of an order; null if sellable.')),
}

export const PublicNft = z
  .object({
    ...nftFields,
    ...stockFields,
    updatedAt: time('Time of the release or the last change; also when it sold out or came back.'),
  })
  .meta({
    id: 'PublicNft',
    description: 'A released NFT, sellable if one of its listings is.',
  })

export const PublicListing = z
  .object({
    id: id('Id of the listing.'),
    externalId,
    nft: z.object(nftFields).meta({ id: 'ListedNft', description: 'The NFT of a listing.' }),
    seller: PublicUser.describe('The seller.'),
    priceCents: f.money('Price of one piece'),
    priceCurrency: f.currency('Currency of `priceCents`, ISO 4217.'),
    priceEths: f.decimal('Price of one piece in ETH.'),
    ...stockFields,
    maxPerOrder: orNull(count('Most pieces of one order; null if only `available` limits it.')),
    type: always('A fixed price, or an auction, which takes no orders.', ...listingTypes),
    active: bool('Whether the listing is switched on. It may have ended.'),
    activeTill: orNull(time('Time when the listing ends; null if it does not end.')),
    updatedAt: time('Time of the last change, or `updatedAt` of the NFT if that is later.'),
  })
  .meta({ id: 'PublicListing', description: 'An offer to sell a released NFT.' })

const Stats = z
  .object({
    nfts: z
      .object({
        total: count('All NFTs.'),
        unique: count('NFTs with one piece.'),
        rare: count('NFTs with a limited number of pieces.'),
        unlimited: count('NFTs without a limit.'),
      })
      .describe('Numbers of NFTs that are released and not deleted.'),
  })
  .meta({ id: 'Stats', description: 'Statistics of the marketplace.' })

const Creator = PublicUser.extend({
  nfts: positive('Number of NFTs that are released and not deleted.'),
  latestReleaseAt: time('Time of the latest release.'),
}).meta({ id: 'Creator', description: 'A user who has released NFTs.' })

export const Creators = z
  .object({
    creators: z.array(Creator).describe('Creators, the latest release first.'),
    stats: Stats.describe('The same numbers as `GET /api/public/stats`.'),
  })
  .meta({ id: 'Creators', description: 'The creators with the latest releases.' })

const nextCursor = orNull(text('The next `cursor`; null on the last page.'))
const page = { description: 'A page.' }
const named = { description: 'In the order of the path.' }

export const PublicListings = z
  .object({ listings: z.array(PublicListing).describe('What was found.') })
  .meta({ id: 'PublicListings', ...named })
export const PublicListingsPage = PublicListings.extend({ nextCursor }).meta({
  id: 'PublicListingsPage',
  ...page,
})
export const PublicNfts = z
  .object({ nfts: z.array(PublicNft).describe('What was found.') })
  .meta({ id: 'PublicNfts', ...named })
export const PublicNftsPage = PublicNfts.extend({ nextCursor }).meta({
  id: 'PublicNftsPage',
  ...page,
})

export const StatsAnswer = z
  .object({ stats: Stats })
  .meta({ id: 'StatsAnswer', description: 'The numbers.' })
