/**
 * The demo catalogue. Scripts and the README rely on its ids. NFTs are on the network `localhost`,
 * and wallets are accounts of anvil. Pictures are the files of `pictures/`.
 */
import type { listings, nfts } from '../../../src/db/schema/catalogue.ts'
import type { addresses, users } from '../../../src/db/schema/users.ts'
import { ADMINISTRATOR } from '../../../src/db/schema/users.ts'
import { hashIdentity } from '../../../src/identity/namespace.ts'
import { localAccount } from '../chain/accounts.ts'
import type { Collectibles } from '../chain/collectibles.ts'
import galleryNfts from './gallery.json' with { type: 'json' }

type GalleryNft = Omit<(typeof galleryNfts)[number], 'token' | 'amountType'> & {
  /** Default: `limited`. */
  amountType?: 'unlimited'
  /** `held`: the seller has the pieces. `mint`: each piece is minted when it is bought. */
  token: 'held' | 'mint' | 'not minted yet' | 'without id'
}

/**
 * What makes the demo look like a marketplace. The last two are in no public list, because they cannot
 * be delivered: demo-orders.ts orders them to show what happens then.
 */
const gallery = galleryNfts as readonly GalleryNft[]

/** The relayer. It is not the wallet of a user. */
export const transferSigner = localAccount(0)
/** Owns the Delivery contract. First deploys it, so that its address on a new chain is always the same. */
export const deliveryOwner = localAccount(5)
/** User 2. Holds every token until it is sold; those of NFT 3 are minted then. */
export const seller = localAccount(2)

/** The tokens to mint. The ERC-721 token gets the id 0. */
export const supply = {
  uniques: 1,
  editions: [
    { id: 2n, amount: 1_000_000n },
    { id: 4n, amount: 1_000n },
    ...gallery
      .filter(({ token }) => token === 'held')
      .map(({ id, amount }) => ({ id: BigInt(id), amount: BigInt(amount) })),
  ],
}

const RELEASED = '2026-01-15T12:00:00.000Z'
export const timestamps = {
  createdAt: '2026-01-01T12:00:00.000Z',
  updatedAt: '2026-01-01T12:00:00.000Z',
}
/** Returns a price at 2,000 EUR for one ether. */
const priceOf = (euros: number) => ({
  priceCents: euros * 100,
  priceCurrency: 'EUR',
  priceEths: String(euros / 2000),
  priceWei: String(BigInt(euros) * 500_000_000_000_000n),
})
const TEN_EUROS = priceOf(10)

function withWallet(account: number) {
  const { address } = localAccount(account)
  return {
    provider: 'wallet',
    ethereumPublicAddr: address,
    identityHash: hashIdentity('wallet', address),
    approvedAt: timestamps.createdAt,
    ...timestamps,
  }
}

const withEmail = (email: string) => ({
  provider: 'email',
  email,
  identityHash: hashIdentity('email', email),
  ...timestamps,
})

const demoUsers: (typeof users.$inferInsert)[] = [
  {
    id: 1,
    name: 'Ada Administrator',
    email: 'ada@example.com',
    roleId: ADMINISTRATOR,
    ...withWallet(1),
  },
  { id: 2, name: 'Cleo Creator', username: 'cleo', email: 'cleo@example.com', ...withWallet(2) },
  { id: 3, name: 'Bo Buyer', email: 'bo@example.com', ...withWallet(3) },
  { id: 4, name: 'Bea Buyer', email: 'bea@example.com', ...withWallet(4) },
  { id: 5, name: 'Emil Mail', ...withEmail('emil@example.com') },
  { id: 6, name: 'Ines Okafor', username: 'ines', email: 'ines@example.com', ...withWallet(6) },
  { id: 7, name: 'Tomas Lind', username: 'tomas', email: 'tomas@example.com', ...withWallet(7) },
]

const demoAddresses: (typeof addresses.$inferInsert)[] = [
  {
    id: 1,
    kind: 'billing',
    userId: 3,
    street: 'Torstraße 1',
    postal: '10119',
    city: 'Berlin',
    country: 'DE',
    ...timestamps,
  },
]

type NewNft = typeof nfts.$inferInsert

/** What the NFTs of the demo have in common. */
export const collectible = {
  creatorId: 2,
  creatorPublicAddr: seller.address,
  contractNetwork: 'localhost',
  price: TEN_EUROS.priceCents,
  priceEths: TEN_EUROS.priceEths,
  priceCurrency: TEN_EUROS.priceCurrency,
  status: 'released',
  releaseAt: RELEASED,
  ...timestamps,
  changedAt: timestamps.updatedAt,
}

type Metadata = { description: string; attributes?: { trait_type: string; value: unknown }[] }

/** What the catalogue says of an NFT. Without metadata, nothing is shown but its title. */
const payloadOf = (title: string, amountType: string, metadata?: Metadata) => ({
  title,
  amountType,
  ...(metadata && { metadata: { name: title, ...metadata } }),
})

function demoNfts({ erc721, erc1155 }: Collectibles): NewNft[] {
  const edition = (id: number, title: string, amount: number) => ({
    ...collectible,
    id,
    externalId: `nft-${id}`,
    title,
    amount,
    availableAmount: amount,
    contractAddr: erc1155,
    contractName: 'Edition',
    tokenId: String(id),
  })
  return [
    {
      ...edition(1, 'The only one', 1),
      contractAddr: erc721,
      contractName: 'Collectible',
      tokenId: '0',
      payload: payloadOf('The only one', 'unique', {
        description: 'There is one piece of it.\n\nWho buys it owns it alone.',
        attributes: [
          { trait_type: 'Colour', value: 'Night blue' },
          { trait_type: 'Waves', value: 9 },
        ],
      }),
      price: 100_000,
      priceEths: '0.5',
    },
    {
      ...edition(2, 'One of a million', 1_000_000),
      payload: payloadOf('One of a million', 'limited', {
        description: 'A hundred dots, of which one is yours.',
      }),
    },
    {
      ...edition(3, 'As many as you like', 1_000_000),
      fulfilment: 'mint',
      payload: payloadOf('As many as you like', 'unlimited', {
        description: 'Each piece is minted when it is bought.',
        attributes: [{ trait_type: 'Colour', value: 'Mint' }],
      }),
    },
    {
      ...edition(4, 'Not yet', 1_000),
      payload: payloadOf('Not yet', 'limited'),
      status: 'draft',
    },
    ...gallery.map((nft) => ({
      ...edition(nft.id, nft.title, nft.amount),
      ...galleryColumns(nft),
    })),
  ]
}

/** Returns in which columns an NFT of the gallery differs from other editions. */
function galleryColumns(nft: GalleryNft) {
  const { id, creator, title, description, amountType = 'limited', medium } = nft
  const { priceCents, priceEths } = priceOf(nft.euros)
  return {
    creatorId: creator,
    creatorPublicAddr: localAccount(creator).address,
    price: priceCents,
    priceEths,
    fulfilment: nft.token === 'mint' ? ('mint' as const) : ('transfer' as const),
    tokenId: nft.token === 'without id' ? null : String(id),
    status: nft.isUnlisted ? 'unlisted' : 'released',
    // One a day, the newest first.
    releaseAt: new Date(Date.UTC(2026, 1, 25 - id, 12)).toISOString(),
    payload: payloadOf(title, amountType, {
      description,
      attributes: [{ trait_type: 'Medium', value: medium }],
    }),
  }
}

export const forSale = {
  sellerId: 2,
  active: true,
  type: 'regular',
  ...TEN_EUROS,
  ...timestamps,
} as const

const listing = (id: number) => ({ id, externalId: `listing-${id}` })

const demoListings: (typeof listings.$inferInsert)[] = [
  { ...forSale, ...listing(1), ...priceOf(1000), nftId: 1, amount: 1 },
  ...[2, 3, 4].map((id) => ({ ...forSale, ...listing(id), nftId: id })),
  { ...forSale, ...listing(5), nftId: 2, active: false },
  { ...forSale, ...listing(6), nftId: 2, activeTill: '2026-02-01T12:00:00.000Z' },
  ...gallery.map(({ id, seller, euros, isUnlisted }) => ({
    ...forSale,
    ...listing(id + 2),
    ...priceOf(euros),
    nftId: id,
    sellerId: seller,
    // Never tried: they are sold although they cannot be delivered.
    ...(isUnlisted && { checkAt: '9999' }),
  })),
]

/** Returns the rows of the catalogue, with NFTs of these contracts. */
export const demoCatalogue = (contracts: Collectibles) => ({
  users: demoUsers,
  addresses: demoAddresses,
  nfts: demoNfts(contracts),
  listings: demoListings,
})
