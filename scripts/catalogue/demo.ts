/**
 * The demo catalogue. Scripts and the README rely on its ids. NFTs are on the network `localhost`,
 * and wallets are accounts of anvil.
 */
import type { listings, nfts } from '../../src/db/schema/catalogue.ts'
import type { addresses, users } from '../../src/db/schema/users.ts'
import { ADMINISTRATOR } from '../../src/db/schema/users.ts'
import { hashIdentity } from '../../src/identity/namespace.ts'
import { localAccount } from '../chain/accounts.ts'
import type { Collectibles } from '../chain/collectibles.ts'
import { waves } from './demo-art.ts'

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
  ],
}

const RELEASED = '2026-01-15T12:00:00.000Z'
export const timestamps = {
  createdAt: '2026-01-01T12:00:00.000Z',
  updatedAt: '2026-01-01T12:00:00.000Z',
}
/** At 2,000 EUR for one ether. */
export const TEN_EUROS = {
  priceCents: 1000,
  priceCurrency: 'EUR',
  priceEths: '0.005',
  priceWei: '5000000000000000',
}

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

const collectible = {
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

function demoNfts({ erc721, erc1155 }: Collectibles): (typeof nfts.$inferInsert)[] {
  const edition = (id: number, title: string, amountType: string, amount = 1_000_000) => ({
    ...collectible,
    id,
    externalId: `nft-${id}`,
    title,
    amount,
    availableAmount: amount,
    contractAddr: erc1155,
    contractName: 'Edition',
    tokenId: String(id),
    payload: { title, amountType },
  })
  return [
    {
      ...collectible,
      id: 1,
      externalId: 'nft-1',
      title: 'The only one',
      amount: 1,
      availableAmount: 1,
      contractAddr: erc721,
      contractName: 'Collectible',
      tokenId: '0',
      payload: {
        title: 'The only one',
        amountType: 'unique',
        metadata: {
          name: 'The only one',
          description: 'There is one piece of it.\n\nWho buys it owns it alone.',
          image: waves([20, 30, 90], [250, 190, 120], 2),
          attributes: [
            { trait_type: 'Colour', value: 'Night blue' },
            { trait_type: 'Waves', value: 2 },
          ],
        },
      },
      price: 100_000,
      priceEths: '0.5',
    },
    edition(2, 'One of a million', 'limited'),
    {
      ...edition(3, 'As many as you like', 'unlimited'),
      fulfilment: 'mint',
      payload: {
        title: 'As many as you like',
        amountType: 'unlimited',
        metadata: {
          name: 'As many as you like',
          description: 'Each piece is minted when it is bought.',
          image: waves([120, 20, 70], [160, 230, 210], 3),
          attributes: [{ trait_type: 'Colour', value: 'Mint' }],
        },
      },
    },
    { ...edition(4, 'Not yet', 'limited', 1_000), status: 'draft' },
  ]
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
  {
    ...forSale,
    ...listing(1),
    nftId: 1,
    amount: 1,
    priceCents: 100_000,
    priceEths: '0.5',
    priceWei: '500000000000000000',
  },
  ...[2, 3, 4].map((id) => ({ ...forSale, ...listing(id), nftId: id })),
  { ...forSale, ...listing(5), nftId: 2, active: false },
  { ...forSale, ...listing(6), nftId: 2, activeTill: '2026-02-01T12:00:00.000Z' },
]

/** Returns the rows of the catalogue, with NFTs of these contracts. */
export const demoCatalogue = (contracts: Collectibles) => ({
  users: demoUsers,
  addresses: demoAddresses,
  nfts: demoNfts(contracts),
  listings: demoListings,
})
