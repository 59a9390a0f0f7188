import { beforeEach, expect, it } from 'vitest'
import { localAccount } from '../../../scripts/local/chain/accounts.ts'
import { findHoldings, findTokensForSale } from '../../../scripts/operate/contract/for-sale.ts'
import type { Network } from '../../../scripts/operate/contract/networks.ts'
import type { SqliteDatabase } from '../../../scripts/operate/database/remote.ts'
import { listings, nfts } from '../../../src/db/schema/catalogue.ts'
import { users } from '../../../src/db/schema/users.ts'
import { aDatabase, withDrizzle } from '../../support/sqlite.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const PAST = '2026-02-01T12:00:00.000Z'
const timestamps = { createdAt: PAST, updatedAt: PAST }
const network: Network = {
  name: 'localhost',
  chainId: 31337,
  rpcUrls: ['http://127.0.0.1:1'],
  delivery: undefined,
}

let db: SqliteDatabase
let count = 0

beforeEach(() => {
  db = withDrizzle(aDatabase())
})

type Offer = {
  token: string
  wallet?: string
  listing?: Partial<typeof listings.$inferInsert>
  nft?: Partial<typeof nfts.$inferInsert>
}

/** Stores a listing of a new NFT, sold by a new user. */
async function anOffer({ token, wallet = `0x${++count}`, listing, nft }: Offer): Promise<string> {
  const id = ++count
  const price = { priceCents: 1, priceEths: '1', priceCurrency: 'EUR' }
  await db.insert(users).values({
    id,
    provider: 'wallet',
    ethereumPublicAddr: wallet,
    identityHash: String(id),
    ...timestamps,
  })
  await db.insert(nfts).values({
    ...{ id, externalId: `${id}`, amount: 1, availableAmount: 1, creatorPublicAddr: wallet },
    contractAddr: token,
    ...{ contractName: 'NFT', contractNetwork: network.name, payload: {}, title: 'NFT' },
    ...{ price: 1, priceEths: '1', priceCurrency: 'EUR', creatorId: id, status: 'released' },
    ...{ releaseAt: PAST, changedAt: PAST, ...timestamps, ...nft },
  })
  await db.insert(listings).values({
    ...{
      externalId: `${id}`,
      sellerId: id,
      nftId: id,
      active: true,
      type: 'regular',
      priceWei: '1',
    },
    ...{ ...price, ...timestamps, ...listing },
  })
  return wallet
}

it('finds the sellers of listings that can be bought', async () => {
  const holder = await anOffer({ token: '0xa' })
  const later = await anOffer({ token: '0xb', listing: { activeTill: '2026-03-02T12:00:00.000Z' } })
  await anOffer({ token: '0xc', listing: { active: false } })
  await anOffer({ token: '0xc', listing: { activeTill: PAST } })
  await anOffer({ token: '0xc', nft: { status: 'draft' } })
  await anOffer({ token: '0xc', nft: { deletedAt: PAST } })
  await anOffer({ token: '0xc', nft: { contractNetwork: 'other' } })
  await anOffer({ token: '0xc', wallet: '' })
  await anOffer({ token: '0xc', nft: { fulfilment: 'mint' } })
  expect(await findHoldings(db, network, NOW)).toEqual([
    { token: '0xa', holder },
    { token: '0xb', holder: later },
  ])
})

it('takes the treasury for the holder of all tokens if there is one', async () => {
  const treasury = localAccount(7).address
  await anOffer({ token: '0xa' })
  await anOffer({ token: '0xa' })
  await anOffer({ token: '0xb', wallet: '' })
  expect(await findHoldings(db, { ...network, treasury }, NOW)).toEqual([
    { token: '0xa', holder: treasury },
    { token: '0xb', holder: treasury },
  ])
})

it('finds the token contracts of these listings, each once for transfers and once for mints', async () => {
  await anOffer({ token: '0xa', nft: { tokenId: '1' } })
  await anOffer({ token: '0xa', nft: { tokenId: '2' } })
  await anOffer({ token: '0xa', nft: { tokenId: '3', fulfilment: 'mint' } })
  await anOffer({ token: '0xb', nft: { tokenId: '4', availableAmount: 0 } })
  await anOffer({ token: '0xb', nft: { status: 'draft' } })
  expect(await findTokensForSale(db, network, NOW)).toEqual([
    { token: '0xa', tokenId: '3', fulfilment: 'mint' },
    { token: '0xa', tokenId: '2', fulfilment: 'transfer' },
  ])
})
