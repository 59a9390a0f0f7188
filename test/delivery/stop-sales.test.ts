/** What a delivery finds out about a token stops the sale, in the step that finds it. */
import { env } from 'cloudflare:workers'
import { encodeFunctionResult, type Hex, toFunctionSelector } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { relayerAbi } from '../../contracts/relayer-abi.ts'
import { trialAbi } from '../../contracts/trial.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { plainAccount } from '../../src/ethereum/token.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { watchRequests } from '../support/chain/fetch.ts'
import { pass } from '../support/delivery/clock.ts'
import { anEngine, rowOf } from '../support/delivery/engine.ts'
import { aPaidItem, type PaidItem, paidItems, sellerOn } from '../support/delivery/items.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'
import { aListing, aMasterToken, anAddress, anNft, aUser } from '../support/makers.ts'

const MINUTE = 60

/** What stops the listings of the items, by item. */
async function obstaclesOf(items: readonly PaidItem[]) {
  const { results } = await env.DB.prepare(
    `SELECT l.obstacle FROM json_each(?) JOIN orderItems i ON i.id = value
     JOIN listings l ON l.id = i.listingId ORDER BY json_each.key`,
  )
    .bind(JSON.stringify(items.map(({ id }) => id)))
    .all<{ obstacle: string | null }>()
  return results.map(({ obstacle }) => obstacle)
}

/** Listings that nobody has ordered: their items are not due. */
const putOff = (items: readonly PaidItem[]) =>
  env.DB.prepare(
    `UPDATE deliveries SET dueAt = '9999' WHERE id IN (SELECT value FROM json_each(?))`,
  )
    .bind(JSON.stringify(items.map(({ id }) => id)))
    .run()

const unique = { standard: 'erc721' } as const
const edition = { standard: 'erc1155' } as const

const urls = (chain: Chain) => ({ rpcUrls: ['a', 'b'].map((name) => `${chain.proxyUrl}/${name}`) })

/** Returns whether nodes were asked about the account that anybody can compute from the key of an item. */
const watchKeys = ({ proxyUrl }: Chain) => {
  const bodies: string[] = []
  const unwatch = watchRequests(proxyUrl, (body, send) => {
    bodies.push(body)
    return send()
  })
  onTestFinished(() => void unwatch())
  return async (item: PaidItem) => {
    const account = plainAccount((await rowOf(item)).key)
      .slice(2)
      .toLowerCase()
    return bodies.some((body) => body.includes(account))
  }
}

/** EnforcedPause, which no token of the chain says. */
const PAUSED: Hex = '0xd93c0665'

/** Node a says that a token refuses every transfer. */
const lie = (chain: Chain) => {
  const on = { node: 'a', on: ['eth_call'] }
  const refused = encodeFunctionResult({
    abi: trialAbi,
    functionName: 'run',
    result: { isTold: true, isAccepted: false, isExact: false, gasUsed: 50_000n, reason: PAUSED },
  })
  const failed = encodeFunctionResult({
    abi: relayerAbi,
    functionName: 'deliver',
    result: [{ outcome: 3, gasUsed: 50_000n, reason: PAUSED }],
  })
  const deliver = toFunctionSelector(
    'deliver((bytes32,address,address,address,uint256,uint256)[],uint256,uint256,uint256)',
  )
  const error = { code: 3, message: 'execution reverted', data: PAUSED }
  return chain.setFaults(
    { ...on, containing: '"code":', effect: { result: refused } },
    { ...on, containing: deliver, effect: { result: failed } },
    {
      ...on,
      containing: toFunctionSelector('safeTransferFrom(address,address,uint256)'),
      effect: { error, reach: 'none' },
    },
  )
}

it.each([
  ['one node', () => ({})],
  ['two nodes', urls],
])('of all that the seller lists of a token that is paused, if %s', async (_, nodes) => {
  const chain = await aChain({ erc721: 3, erc1155: 1 })
  const items = await paidItems(chain, [unique, unique, unique, edition])
  const [first, second, third] = items
  await putOff([second, third])
  await chain.erc721AsSeller('pause')
  const isTold = watchKeys(chain)
  await anEngine(chain, nodes(chain)).step()
  expect(await isTold(first)).toBe(false)
  expect(await rowOf(first)).toMatchObject({ reasonCode: 'token_not_transferable' })
  expect(await obstaclesOf(items)).toEqual([...Array(3).fill('token_not_transferable'), null])
})

it('not if one of two nodes has made up what the token says, and the recipient refuses', async () => {
  const chain = await aChain({ erc721: 2 })
  const recipient = await chain.aRecipient('refuses')
  const items = await paidItems(chain, [
    { ...unique, recipient, recipientChainId: chain.chainId },
    unique,
  ])
  await putOff(items.slice(1))
  await lie(chain)
  const engine = anEngine(chain, urls(chain))
  for (const seconds of [0, 6 * MINUTE, 12 * MINUTE]) await engine.run(seconds)
  expect(await obstaclesOf(items)).toEqual([null, null])
})

it('not if the recipient needs too much gas', async () => {
  const chain = await aChain({ erc721: 2 })
  const recipient = await chain.aRecipient('accepts after 1,500,000 gas')
  const items = await paidItems(chain, [
    { ...unique, recipient, recipientChainId: chain.chainId },
    unique,
  ])
  await putOff(items.slice(1))
  const engine = anEngine(chain, urls(chain))
  for (const seconds of [0, 6 * MINUTE, 12 * MINUTE]) await engine.run(seconds)
  expect((await rowOf(items[0])).state).not.toBe('transferred')
  expect(await obstaclesOf(items)).toEqual([null, null])
})

it('of one piece only, if the holder has sold it elsewhere', async () => {
  const chain = await aChain({ erc721: 2, erc1155: 3 })
  const items = await paidItems(chain, [unique, unique, { ...edition, quantity: 4 }])
  const [sold, other] = items
  await putOff([other])
  await chain.erc721AsSeller('safeTransferFrom', chain.seller, chain.owner, BigInt(sold.tokenId))
  await anEngine(chain).step()
  // There is a piece for the next buyer, although not four.
  expect(await obstaclesOf(items)).toEqual(['holder_has_no_token', null, null])
})

it('of a token that accepts a transfer and makes none', async () => {
  const chain = await aChain()
  const contract = await chain.aMaliciousToken({ standard: 'erc1155' })
  const items = await paidItems(chain, [
    { ...edition, contract },
    { ...edition, contract, tokenId: '7' },
  ])
  await putOff(items.slice(1))
  await anEngine(chain).run()
  expect(await rowOf(items[0])).toMatchObject(explain('token_moved_nothing'))
  expect(await obstaclesOf(items)).toEqual(Array(2).fill('token_moved_nothing'))
})

it('of a mint that the token does not have, also if the token has no limit', async () => {
  const chain = await aChain()
  const contract = await chain.aPeculiarToken('RoleToken')
  const item = await aPaidItem(chain, { ...unique, contract, tokenId: '3', fulfilment: 'mint' })
  const isTold = watchKeys(chain)
  await anEngine(chain).run()
  expect(await isTold(item)).toBe(false)
  const reason = explain('mint_not_exact', 'the token has no safeMint(address,uint256)')
  expect(await rowOf(item)).toMatchObject({ state: 'queued', ...reason })
  expect(await obstaclesOf([item])).toEqual(['mint_not_exact'])
})

it('after the orders of one second, if a token is paused in the middle of a sale', async () => {
  const chain = await aChain({ erc721: 14 })
  const market = aMarketplace(chain, { nodes: 2 })
  const [seller, token, buyer] = [await sellerOn(chain), await aMasterToken(), await aUser()]
  await anAddress(buyer)
  const pieces: { nftId: number; listingId: number }[] = []
  for (let tokenId = 0; tokenId < 14; tokenId++) {
    const nft = await anNft(seller, {
      ...{
        contractNetwork: chain.name,
        contractAddr: chain.contracts.erc721,
        tokenId: `${tokenId}`,
      },
      ...{ amountType: 'unique', amount: 1 },
    })
    pieces.push({ nftId: nft.id, listingId: (await aListing(nft, { checkAt: '9999' })).id })
  }
  /** Orders two pieces. Returns how many were sold. */
  const sellTwo = async () => {
    let sold = 0
    for (const piece of pieces.splice(0, 2)) {
      const json = [{ ...piece, quantity: 1, buyerUserId: buyer.id }]
      const call = { method: 'POST', path: '/api/externalOrders', token, json }
      if ((await market.request(call)).response?.ok) sold++
    }
    await market.deliver()
    pass(1)
    await market.mine()
    return sold
  }
  const sold = [await sellTwo(), await sellTwo()]
  await chain.erc721AsSeller('pause')
  sold.push(await sellTwo(), await sellTwo(), await sellTwo())
  expect(sold).toEqual([2, 2, 2, 0, 0])
  await chain.erc721AsSeller('unpause')
  await market.runCron()
  expect(await sellTwo()).toBe(2)
})

it('transfers a token that allows operators by the hash of their code', async () => {
  const chain = await aChain()
  const contract = await chain.aPeculiarToken('CodeHashToken')
  const data = `0xff9913e8${chain.delivery.slice(2).toLowerCase().padStart(64, '0')}`
  await chain.receiptOf(
    await chain.rpc('eth_sendTransaction', { from: chain.seller, to: contract, data }),
  )
  const item = await aPaidItem(chain, { ...unique, contract, tokenId: '0' })
  await anEngine(chain).run()
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
})
