import { beforeEach, expect, it } from 'vitest'
import { findSamples } from '../../../scripts/operate/contract/for-sale.ts'
import type { SqliteDatabase } from '../../../scripts/operate/database/remote.ts'
import { listings, nfts } from '../../../src/db/schema/catalogue.ts'
import { users } from '../../../src/db/schema/users.ts'
import { aDatabase, withDrizzle } from '../../support/sqlite.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const PAST = '2026-02-01T12:00:00.000Z'
const timestamps = { createdAt: PAST, updatedAt: PAST }
const network = { name: 'localhost' }

let db: SqliteDatabase
let count = 0

beforeEach(() => {
  db = withDrizzle(aDatabase())
})

type Offer = {
  token: string
  listing?: Partial<typeof listings.$inferInsert>
  nft?: Partial<typeof nfts.$inferInsert>
}

/** Stores a listing of a new NFT, sold by a new user, whose id it returns. */
async function anOffer({ token, listing, nft }: Offer): Promise<number> {
  const id = ++count
  const price = { priceCents: 1, priceEths: '1', priceCurrency: 'EUR' }
  const user = { id, provider: 'wallet', identityHash: String(id), ...timestamps }
  await db.insert(users).values({ ...user, ethereumPublicAddr: `0x${id}` })
  await db.insert(nfts).values({
    ...{ id, externalId: `${id}`, amount: 1, availableAmount: 1, creatorPublicAddr: '' },
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
  return id
}

it('finds an NFT of each token contract, holder and kind of delivery that can be bought', async () => {
  const sellerId = await anOffer({ token: '0xa', nft: { tokenId: '1' } })
  await anOffer({ token: '0xa', nft: { tokenId: '10' }, listing: { sellerId } })
  await anOffer({ token: '0xa', nft: { tokenId: '9' }, listing: { sellerId } })
  const mint = { tokenId: '3', fulfilment: 'mint' } as const
  await anOffer({ token: '0xa', nft: mint, listing: { sellerId } })
  const later = { activeTill: '2026-03-02T12:00:00.000Z' }
  const other = await anOffer({ token: '0xb', nft: { tokenId: '4' }, listing: later })
  await anOffer({ token: '0xc', listing: { active: false } })
  await anOffer({ token: '0xc', listing: { activeTill: PAST } })
  await anOffer({ token: '0xc', nft: { status: 'draft' } })
  await anOffer({ token: '0xc', nft: { deletedAt: PAST } })
  await anOffer({ token: '0xc', nft: { contractNetwork: 'other' } })
  await anOffer({ token: '0xc', nft: { availableAmount: 0 } })
  await anOffer({ token: '0xc', nft: { tokenId: '5', recipients: 'verified' } })
  const own = { tokenId: '2', heldBySeller: true }
  await anOffer({ token: '0xa', nft: own, listing: { sellerId } })
  const seller = `0x${sellerId}`
  const sample = { network: 'localhost', contract: '0xa', heldBySeller: false, seller }
  expect(await findSamples(db, network, NOW)).toEqual([
    { ...sample, tokenId: '3', fulfilment: 'mint' },
    { ...sample, tokenId: '10', fulfilment: 'transfer' },
    { ...sample, ...own, fulfilment: 'transfer' },
    { ...sample, contract: '0xb', seller: `0x${other}`, tokenId: '4', fulfilment: 'transfer' },
  ])
})
