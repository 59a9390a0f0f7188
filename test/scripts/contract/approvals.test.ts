import { getAddress } from 'viem'
import { beforeEach, expect, it } from 'vitest'
import { localAccount } from '../../../scripts/chain/accounts.ts'
import { startAnvil } from '../../../scripts/chain/anvil.ts'
import { deployCollectibles } from '../../../scripts/chain/collectibles.ts'
import { findHoldings, findMissingApprovals } from '../../../scripts/contract/approvals.ts'
import type { Network } from '../../../scripts/contract/networks.ts'
import { createNode } from '../../../scripts/contract/node.ts'
import type { SqliteDatabase } from '../../../scripts/database/remote.ts'
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
    ...{ releaseAt: PAST, ...timestamps, ...nft },
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

it('finds the holders without approval, also of tokens that cannot be asked', async () => {
  const anvil = await startAnvil({ port: 0 })
  try {
    const [seller, stranger] = [localAccount(2), localAccount(3).address]
    const operator = localAccount(4).address
    const options = { seller, operator, uniques: 0, editions: [] }
    const { erc721, erc1155 } = await deployCollectibles(anvil.url, options)
    const approved = [erc721, erc1155, getAddress(erc721).toLowerCase()].map((token) => ({
      token,
      holder: seller.address,
    }))
    const missing = [
      { token: erc1155, holder: stranger },
      { token: stranger, holder: seller.address },
      { token: operator, holder: seller.address },
      { token: '0x12', holder: seller.address },
    ]
    const node = createNode([anvil.url])
    expect(await findMissingApprovals(node, operator, [...approved, ...missing])).toEqual(missing)
  } finally {
    await anvil.stop()
  }
})

it('does not take a node that fails for a missing approval', async () => {
  const token = localAccount(2).address
  const asked = findMissingApprovals(createNode(network.rpcUrls), token, [{ token, holder: token }])
  await expect(asked).rejects.toThrow('Reading the approvals failed: HTTP request failed.')
})
