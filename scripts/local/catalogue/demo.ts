/**
 * The demo catalogue. Scripts and the README rely on its ids. NFTs are on the network `localhost`,
 * and wallets are accounts of anvil. Pictures are the files of `pictures/`.
 */
import { createHash } from 'node:crypto'
import type { listings } from '../../../src/db/schema/catalogue.ts'
import type { contentFiles } from '../../../src/db/schema/content.ts'
import type { proposals } from '../../../src/db/schema/creators.ts'
import type { addresses, users } from '../../../src/db/schema/users.ts'
import { ADMINISTRATOR } from '../../../src/db/schema/users.ts'
import { hashIdentity } from '../../../src/identity/namespace.ts'
import { localAccount } from '../chain/accounts.ts'
import type { Collectibles } from '../chain/collectibles.ts'
/**
 * The NFTs. `token`: `unique` is of the ERC-721 contract. The seller has the pieces that are `held`, and
 * each piece of a `mint` is minted when it is bought. The last two are in no public list, because they
 * cannot be delivered: demo-orders.ts orders them to show what happens then.
 */
import demoNfts from './nfts.json' with { type: 'json' }
import { aTone } from './tone.ts'

/** The relayer. It is not the wallet of a user. */
export const transferSigner = localAccount(0)
/** Owns the Delivery contract. First deploys it, so that its address on a new chain is always the same. */
export const deliveryOwner = localAccount(5)
/** User 2. Holds every token until it is sold; those of NFT 3 are minted then. */
export const seller = localAccount(2)

/** The tokens to mint. The ERC-721 token gets the id 0. */
export const supply = {
  uniques: 1,
  editions: demoNfts
    .filter(({ token }) => token === 'held')
    .map(({ id, amount }) => ({ id: BigInt(id), amount: BigInt(amount) })),
}

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
    approved: true,
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
  {
    id: 2,
    name: 'Cleo Creator',
    username: 'cleo',
    email: 'cleo@example.com',
    shopUrl: 'https://shop.example.com/buy/{externalId}',
    ...withWallet(2),
  },
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

/** What the NFTs of the demo have in common. */
export const collectible = {
  creatorId: 2,
  creatorPublicAddr: seller.address,
  contractNetwork: 'localhost',
  price: TEN_EUROS.priceCents,
  priceEths: TEN_EUROS.priceEths,
  priceCurrency: TEN_EUROS.priceCurrency,
  status: 'released',
  releaseAt: '2026-01-15T12:00:00.000Z',
  ...timestamps,
  changedAt: timestamps.updatedAt,
}

/** The audio files, which are tones, and who gets them. */
const recordings = [
  { nftId: 5, release: 'delivered', name: 'harbour-at-four.wav', hertz: 220 },
  { nftId: 6, release: 'holder', name: 'paper-mountains.wav', hertz: 330 },
] as const

/** Rows with what is stored under their keys. */
const demoFiles = recordings.map(({ nftId, name, hertz }) => {
  const content = aTone(hertz)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const row: typeof contentFiles.$inferInsert = {
    key: sha256.slice(0, 32),
    ...{ nftId, name, place: 0, type: 'audio/wav', bytes: content.length, sha256 },
    ...{ state: 'stored', changedAt: timestamps.updatedAt },
  }
  return { row, content }
})

const nftRows = ({ erc721, erc1155 }: Collectibles) =>
  demoNfts.map(({ seller: _, creator, euros, amountType, token, metadata, ...nft }) => {
    const { priceCents, priceEths } = priceOf(euros)
    const isUnique = token === 'unique'
    return {
      ...collectible,
      ...nft,
      externalId: `nft-${nft.id}`,
      creatorId: creator,
      creatorPublicAddr: localAccount(creator).address,
      availableAmount: nft.amount,
      price: priceCents,
      priceEths,
      contractAddr: isUnique ? erc721 : erc1155,
      contractName: isUnique ? 'Collectible' : 'Edition',
      tokenId: token === 'without id' ? null : isUnique ? '0' : String(nft.id),
      contentRelease: recordings.find(({ nftId }) => nftId === nft.id)?.release ?? null,
      fulfilment: token === 'mint' ? ('mint' as const) : ('transfer' as const),
      // Without metadata, nothing is shown but the title.
      payload: {
        title: nft.title,
        amountType,
        ...(metadata && { metadata: { name: nft.title, ...metadata } }),
      },
    }
  })

export const forSale = {
  sellerId: 2,
  active: true,
  type: 'regular',
  ...TEN_EUROS,
  ...timestamps,
} as const

type NewListing = Omit<typeof listings.$inferInsert, 'externalId'>

const demoListings = demoNfts
  .map(
    ({ id, seller, euros, token, status }): NewListing => ({
      ...forSale,
      ...priceOf(euros),
      nftId: id,
      sellerId: seller,
      ...(token === 'unique' && { amount: 1 }),
      // Never tried: they are sold although they cannot be delivered.
      ...(status === 'unlisted' && { checkAt: '9999' }),
    }),
  )
  // Listings 5 and 6.
  .toSpliced(
    4,
    0,
    { ...forSale, nftId: 2, active: false },
    { ...forSale, nftId: 2, activeTill: '2026-02-01T12:00:00.000Z' },
  )
  .map((row, i) => ({ ...row, id: i + 1, externalId: `listing-${i + 1}` }))

/** What waits to be approved. */
const demoProposals: (typeof proposals.$inferInsert)[] = [
  {
    ...{ kind: 'nft', subjectId: 4, userId: 2, state: 'in_review', fields: '{}' },
    version: '4a7d1c52-0c3e-4f0b-9a55-6b1f2f6c8e04',
    // What waits for days raises an alarm.
    submittedAt: new Date().toISOString(),
  },
]

/** Returns the rows of the catalogue, with NFTs of these contracts. */
export const demoCatalogue = (contracts: Collectibles) => ({
  users: demoUsers,
  addresses: demoAddresses,
  nfts: nftRows(contracts),
  listings: demoListings,
  files: demoFiles,
  proposals: demoProposals,
})
