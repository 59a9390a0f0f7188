/**
 * The demo catalogue. Its ids are fixed: scripts and the README rely on them. Everything is on
 * the network `localhost`, and wallets are anvil's own accounts.
 */
import type { addresses, listings, nfts, users } from '../../src/db/schema.ts'
import { ADMINISTRATOR } from '../../src/db/schema.ts'
import { localAccount } from '../chain/accounts.ts'
import type { Collectibles } from '../chain/collectibles.ts'

/** Signs the marketplace's transfers; no user's wallet. */
export const transferSigner = localAccount(0)
/** User 2: holds every token until it is sold. */
export const seller = localAccount(2)

/** What is minted. The one ERC-721 token gets the id 0. */
export const supply = {
  uniques: 1,
  editions: [
    { id: 2n, amount: 1_000_000n },
    { id: 3n, amount: 10n ** 15n },
    { id: 4n, amount: 1_000n },
  ],
}

const RELEASED = '2026-01-15T12:00:00.000Z'
const changes = { createdAt: '2026-01-01T12:00:00.000Z', updatedAt: '2026-01-01T12:00:00.000Z' }
/** 1,000 cents at 2,000 EUR for an ether. */
const TEN_EUROS = {
  priceCents: 1000,
  priceCurrency: 'EUR',
  priceEths: '0.005',
  priceWei: '5000000000000000',
}

const byWallet = (account: number) => ({
  provider: 'wallet',
  ethereumPublicAddr: localAccount(account).address,
  approvedAt: changes.createdAt,
  ...changes,
})

const demoUsers: (typeof users.$inferInsert)[] = [
  {
    id: 1,
    name: 'Ada Administrator',
    email: 'ada@example.com',
    roleId: ADMINISTRATOR,
    ...byWallet(1),
  },
  {
    id: 2,
    name: 'Cleo Creator',
    username: 'cleo',
    email: 'cleo@example.com',
    ...byWallet(2),
  },
  { id: 3, name: 'Bo Buyer', email: 'bo@example.com', ...byWallet(3) },
  { id: 4, name: 'Bea Buyer', email: 'bea@example.com', ...byWallet(4) },
  { id: 5, name: 'Emil Mail', email: 'emil@example.com', provider: 'email', ...changes },
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
    ...changes,
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
  ...changes,
}

const demoNfts = ({ erc721, erc1155 }: Collectibles): (typeof nfts.$inferInsert)[] => [
  {
    ...collectible,
    id: 1,
    title: 'The only one',
    amount: 1,
    availableAmount: 1,
    contractAddr: erc721,
    contractName: 'Collectible',
    tokenId: '0',
    payload: { title: 'The only one', amountType: 'unique' },
    price: 100_000,
    priceEths: '0.5',
  },
  {
    ...collectible,
    id: 2,
    title: 'One of a million',
    amount: 1_000_000,
    availableAmount: 1_000_000,
    contractAddr: erc1155,
    contractName: 'Edition',
    tokenId: '2',
    payload: { title: 'One of a million', amountType: 'limited' },
  },
  {
    ...collectible,
    id: 3,
    title: 'As many as you like',
    amount: 1_000_000,
    availableAmount: 1_000_000,
    contractAddr: erc1155,
    contractName: 'Edition',
    tokenId: '3',
    payload: { title: 'As many as you like', amountType: 'unlimited' },
  },
  {
    ...collectible,
    id: 4,
    title: 'Not yet',
    amount: 1_000,
    availableAmount: 1_000,
    contractAddr: erc1155,
    contractName: 'Edition',
    tokenId: '4',
    payload: { title: 'Not yet', amountType: 'limited' },
    status: 'draft',
  },
]

const forSale = { sellerId: 2, active: true, type: 'regular', ...TEN_EUROS, ...changes } as const

const demoListings: (typeof listings.$inferInsert)[] = [
  {
    ...forSale,
    id: 1,
    nftId: 1,
    amount: 1,
    priceCents: 100_000,
    priceEths: '0.5',
    priceWei: '500000000000000000',
  },
  { ...forSale, id: 2, nftId: 2 },
  { ...forSale, id: 3, nftId: 3 },
  { ...forSale, id: 4, nftId: 4 },
  { ...forSale, id: 5, nftId: 2, active: false },
  { ...forSale, id: 6, nftId: 2, activeTill: '2026-02-01T12:00:00.000Z' },
]

/** The rows, with the NFTs in the contracts that the chain has. */
export const demoCatalogue = (contracts: Collectibles) => ({
  users: demoUsers,
  addresses: demoAddresses,
  nfts: demoNfts(contracts),
  listings: demoListings,
})
