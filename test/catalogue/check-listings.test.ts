import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { checkListings } from '../../src/catalogue/due.ts'
import { connect } from '../../src/db/client.ts'
import { listings } from '../../src/db/schema/catalogue.ts'
import { rules } from '../../src/delivery/reasons.ts'
import { readSettings } from '../../src/env.ts'
import { aShop, place, placeError } from '../orders/shop.ts'
import { answerOf, call } from '../support/api.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { type NetworkSettings, networksOf } from '../support/delivery/engine.ts'
import { sellerOn } from '../support/delivery/items.ts'
import { aListing, anNft, aUser, findRow } from '../support/makers.ts'

const MINUTE = 60_000
const NOW = Date.parse('2026-06-01T12:00:00.000Z')

/** Runs the job, so many minutes after noon. */
const check = (chain: Chain, minutes = 0, settings: NetworkSettings = {}) => {
  const NETWORKS = networksOf([chain], settings)
  return checkListings(
    connect(env.DB),
    readSettings({ ...env, NETWORKS } as never),
    new Date(NOW + minutes * MINUTE),
  )
}

/** Tries no listing of another test. */
const forgetOthers = () => env.DB.prepare(`UPDATE listings SET checkAt = '9999'`).run()

type Values = Parameters<typeof anNft>[1]

/** Lists what the seller of the chain has. */
async function sell(chain: Chain, contractAddr: string, values: Values = {}) {
  const seller = await sellerOn(chain)
  const nft = await anNft(seller, {
    ...{ contractNetwork: chain.name, contractAddr, tokenId: '0', ...values },
  })
  return aListing(nft)
}

const codeOf = async ({ id }: { id: number }) => (await findRow(listings, id))?.obstacle

const mint = { fulfilment: 'mint' } as const

it('takes off sale what cannot be delivered, with the code of the delivery', async () => {
  await forgetOthers()
  const chain = await aChain({ erc721: 2, erc1155: 1, mints: true })
  await chain.erc721AsSeller('safeTransferFrom', chain.seller, chain.owner, 1n)
  const token = (name: Parameters<typeof chain.aPeculiarToken>[0]) => chain.aPeculiarToken(name)
  const noWallet = await aListing(
    await anNft(await aUser({ ethereumPublicAddr: '' }), {
      contractNetwork: chain.name,
      contractAddr: chain.contracts.erc721,
    }),
  )
  const expected = [
    [await sell(chain, chain.contracts.erc721), null],
    [await sell(chain, chain.contracts.erc1155, { tokenId: '1' }), null],
    [await sell(chain, chain.mintable.erc721, { ...mint, tokenId: '9' }), null],
    [await sell(chain, chain.contracts.erc721, { tokenId: '1' }), 'holder_has_no_token'],
    [await sell(chain, await token('SoulboundToken')), 'token_not_transferable'],
    [await sell(chain, await token('OriginToken')), 'token_not_transferable'],
    [await sell(chain, await token('ExpensiveToken')), 'gas_limit_exceeded'],
    [await sell(chain, await token('SilentToken')), 'token_not_supported'],
    [await sell(chain, await token('QuantityToken'), { ...mint, tokenId: '3' }), 'mint_not_exact'],
    [await sell(chain, await token('SoulboundToken'), mint), 'mint_refused'],
    [await sell(chain, await chain.aMaliciousToken({})), 'token_moved_nothing'],
    [await sell(chain, `0x${'c0'.repeat(20)}`), 'token_not_deployed'],
    [await sell(chain, chain.contracts.erc721, { tokenId: null }), 'invalid_token_id'],
    [noWallet, 'seller_has_no_wallet'],
  ] as const
  await check(chain)
  const found = await Promise.all(expected.map(async ([listing]) => await codeOf(listing)))
  expect(found).toEqual(expected.map(([, code]) => code))
})

it('refuses orders of it, says so in public lists, and sells it again once it can be delivered', async () => {
  await forgetOthers()
  const chain = await aChain({ erc1155: 1 })
  const listing = await sell(chain, chain.contracts.erc1155, { tokenId: '1' })
  await chain.erc1155AsSeller('pause')
  await check(chain)
  const { token, input } = await aShop()
  const inputs = [{ ...input, listingId: listing.id, nftId: listing.nftId }]
  const shown = async () => {
    const read = call('GET', `/api/public/listings/${listing.id}`)
    return (await answerOf<{ listings: object[] }>(read)).listings[0]
  }
  const code = 'token_not_transferable'
  expect(await placeError(token, inputs)).toMatchObject({
    status: 400,
    code,
    error: `orders[0].listingId: listing ${listing.id}: ${rules.token_not_transferable.sentence}`,
  })
  expect(await shown()).toMatchObject({ sellable: false, notSellableReason: code })

  await chain.erc1155AsSeller('unpause')
  await check(chain, 14)
  expect(await shown()).toMatchObject({ sellable: false })
  await check(chain, 15)
  expect(await shown()).toMatchObject({ sellable: true, notSellableReason: null })
  expect((await place(token, inputs)).status).toBe(200)
})

it('leaves on sale what only lacks a permission, unless even its holder cannot transfer it', async () => {
  await forgetOthers()
  const chain = await aChain({ erc721: 1 })
  await chain.erc721AsSeller('setApprovalForAll', chain.delivery, false)
  const good = await sell(chain, chain.contracts.erc721)
  const mintable = await sell(chain, await chain.aTokenWithoutMinter(), mint)
  const token = await chain.aPeculiarToken('SoulboundToken', { isApproved: false })
  const soulbound = await sell(chain, token)
  await check(chain)
  expect([await codeOf(good), await codeOf(mintable)]).toEqual([null, null])
  expect(await codeOf(soulbound)).toBe('token_not_transferable')
})

it('changes nothing while a node does not answer, or nodes disagree', async () => {
  await forgetOthers()
  const chain = await aChain({ erc1155: 1 })
  const good = await sell(chain, chain.contracts.erc1155, { tokenId: '1' })
  const bad = await sell(chain, await chain.aPeculiarToken('SoulboundToken'))
  await check(chain)
  await chain.erc1155AsSeller('pause')
  const settings = { rpcUrls: ['a', 'b'].map((name) => `${chain.proxyUrl}/${name}`) }
  const result = `0x${'0'.repeat(64)}`
  await chain.setFaults({ node: 'a', on: ['eth_call'], effect: { result } })
  await check(chain, 24 * 60, settings)
  expect([await codeOf(good), await codeOf(bad)]).toEqual([null, 'token_not_transferable'])
  await chain.setFaults({ effect: { http: 502, reach: 'none' } })
  await check(chain, 24 * 60 + 15, settings)
  expect([await codeOf(good), await codeOf(bad)]).toEqual([null, 'token_not_transferable'])
  await chain.setFaults()
  await check(chain, 24 * 60 + 30, settings)
  expect([await codeOf(good), await codeOf(bad)]).toEqual(Array(2).fill('token_not_transferable'))
})

it('tries as many in a minute as the node takes calls in a second, each once a day', async () => {
  await forgetOthers()
  const chain = await aChain({ erc1155: 1 })
  const count = () => {
    const sql = `SELECT count(*) AS due FROM listings WHERE checkAt = ''`
    return env.DB.prepare(sql).first('due')
  }
  await sell(chain, chain.contracts.erc1155, { tokenId: '1' })
  // A node is not asked about these.
  const other = { tokenId: '1', contractNetwork: 'elsewhere' }
  for (let i = 0; i < 4; i++) await sell(chain, chain.contracts.erc1155, other)
  const left: unknown[] = []
  for (const minutes of [0, 1, 2]) {
    await check(chain, minutes, { callsPerSecond: 2 })
    left.push(await count())
  }
  expect(left).toEqual([3, 1, 0])
  await chain.takeCounts()
  await check(chain, 24 * 60 - 1)
  expect((await chain.takeCounts()).requests).toBe(0)
  await check(chain, 24 * 60 + 2)
  expect((await chain.takeCounts()).requests).toBeGreaterThan(0)
})
