/** NFTs, listings, creators and numbers, as everybody sees them. */
import * as z from 'zod'
import { amountTypes, listingTypes, saleObstacles } from '../db/schema/catalogue.ts'
import * as f from '../http/fields.ts'
import { catalogueLimits } from '../limits.ts'

const { always, bool, count, id, model, object, orNull, positive, text, time } = f

const userFields = () => ({
  id: id('User id.'),
  name: orNull(text('Name.')),
  username: orNull(text('User name.')),
  avatarUrl: z.url().describe('URL of the avatar.'),
})
const PublicUser = model('PublicUser', 'What everybody sees of a user.', userFields)

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
  'content_missing',
  'listing_not_found',
  'listing_inactive',
  'listing_ended',
  'listing_is_auction',
  'listing_not_checked',
  'quantity_above_limit',
  'sold_out',
  ...saleObstacles,
] as const
const stockFields = {
  available: orNull(count('Pieces left, without those in reservations; null for no limit.')),
  sellable: bool('Whether a piece can be ordered now.'),
  notSellableReason: orNull(z.enum(reasons).describe('The code of an order; null if sellable.')),
}

export const PublicNft = model(
  'PublicNft',
  'A released NFT, sellable if one of its listings is.',
  () => ({
    ...nftFields,
    ...stockFields,
    updatedAt: time('Time of the release or the last change; also when it sold out or came back.'),
  }),
)

export const PublicListing = model('PublicListing', 'An offer to sell a released NFT.', () => ({
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
  shopUrl: orNull(
    z
      .url()
      .describe('Where a person can buy it; null if that is not known, or it is not sellable.'),
  ),
  updatedAt: time('Time of the last change, or `updatedAt` of the NFT if that is later.'),
}))

const Stats = model('Stats', 'Statistics of the marketplace.', () => ({
  nfts: object('Numbers of NFTs that are released and not deleted.', {
    total: count('All NFTs.'),
    unique: count('NFTs with one piece.'),
    rare: count('NFTs with a limited number of pieces.'),
    unlimited: count('NFTs without a limit.'),
  }),
}))

const Creator = model('Creator', 'A user who has released NFTs.', () => ({
  ...userFields(),
  nfts: positive('Number of NFTs that are released and not deleted.'),
  latestReleaseAt: time('Time of the latest release.'),
}))

export const Creators = model('Creators', 'The creators with the latest releases.', () => ({
  creators: z.array(Creator).describe('Creators, the latest release first.'),
  stats: Stats.describe('The same numbers as `GET /api/public/stats`.'),
}))

const nextCursor = orNull(text('The next `cursor`; null on the last page.'))
const listings = z.array(PublicListing).describe('What was found.')
const nfts = z.array(PublicNft).describe('What was found.')

export const PublicListingsPage = model('PublicListingsPage', 'A page.', () => ({
  listings,
  nextCursor,
}))
export const PublicNftsPage = model('PublicNftsPage', 'A page.', () => ({ nfts, nextCursor }))
export const PublicListings = model('PublicListings', 'In the order of the path.', () => ({
  listings,
}))
export const PublicNfts = model('PublicNfts', 'In the order of the path.', () => ({ nfts }))

export const StatsAnswer = model('StatsAnswer', 'The numbers.', () => ({ stats: Stats }))
