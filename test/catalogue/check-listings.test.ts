import { env } from 'cloudflare:workers'
import { encodeFunctionResult, getAddress } from 'viem'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { trialAbi } from '../../contracts/trial.ts'
import { checkListings } from '../../src/catalogue/check-listings.ts'
import { batch } from '../../src/db/batch.ts'
import { connect } from '../../src/db/client.ts'
import { listings, nfts, type SaleObstacle } from '../../src/db/schema/catalogue.ts'
import { rules } from '../../src/delivery/reasons.ts'
import { stopSales } from '../../src/delivery/stop-sales.ts'
import { readSettings } from '../../src/env.ts'
import { aShop, place, placeError, sold } from '../orders/shop.ts'
import { answerOf, call } from '../support/api.ts'
import { firstCases } from '../support/cases.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import type { Effect } from '../support/chain/faults.ts'
import { watchRequests } from '../support/chain/fetch.ts'
import { type NetworkSettings, networksOf } from '../support/delivery/engine.ts'
import { sellerOn } from '../support/delivery/items.ts'
import { aListing, anNft, aUser, db, findRow, setRow } from '../support/makers.ts'

const MINUTE = 60_000
const NOW = Date.parse('2026-06-01T12:00:00.000Z')
const at = (minutes: number) => new Date(NOW + minutes * MINUTE).toISOString()

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

/** Orders a piece. Returns the order item. */
async function order({ id, nftId }: { id: number; nftId: number }) {
  const { token, input } = await aShop()
  return (await sold(token, { ...input, listingId: id, nftId })).item
}

/** What a delivery does that cannot be made, so many minutes after noon. */
const stop = (item: { id: number }, obstacle: SaleObstacle, minutes = 0) =>
  batch(db, {
    stopped: stopSales(db, [{ id: item.id, obstacle }], new Date(NOW + minutes * MINUTE)),
  })

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

it('tries what its seller holds with that wallet, also where a treasury has the others', async () => {
  await forgetOthers()
  const chain = await aChain({ erc721: 2 })
  const treasury = getAddress(chain.owner)
  await chain.erc721AsSeller('safeTransferFrom', chain.seller, treasury, 1n)
  const sold = [
    await sell(chain, chain.contracts.erc721, { tokenId: '0', heldBySeller: true }),
    await sell(chain, chain.contracts.erc721, { tokenId: '0' }),
    await sell(chain, chain.contracts.erc721, { tokenId: '1', heldBySeller: true }),
    await sell(chain, chain.contracts.erc721, { tokenId: '1' }),
  ]
  await check(chain, 0, { treasury })
  expect(await Promise.all(sold.map(codeOf))).toEqual([
    ...[null, 'holder_has_no_token', 'holder_has_no_token', null],
  ])
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

describe('an obstacle', () => {
  /** Two URLs of the node. */
  const twoNodes = (chain: Chain) => ({
    rpcUrls: ['a', 'b'].map((name) => `${chain.proxyUrl}/${name}`),
  })
  /** As a node answers that says that everything can be delivered. */
  const accepts = {
    result: encodeFunctionResult({
      abi: trialAbi,
      functionName: 'run',
      result: { isTold: true, isAccepted: true, isExact: true, gasUsed: 50_000n, reason: '0x' },
    }),
  }
  const refuses: Effect = { error: { code: 3, message: 'execution reverted' }, reach: 'none' }
  /** One of two nodes answers calls so. */
  const lie = (chain: Chain, effect: Effect, containing = '') =>
    chain.setFaults({ node: 'a', on: ['eth_call'], containing, effect })

  it('stops a sale only if all nodes say so', async () => {
    await forgetOthers()
    const chain = await aChain({ erc1155: 1 })
    const listing = await sell(chain, chain.contracts.erc1155, { tokenId: '1' })
    await chain.erc1155AsSeller('pause')
    await lie(chain, accepts, '"code":')
    await check(chain, 0, twoNodes(chain))
    expect(await codeOf(listing)).toBeNull()
    await chain.setFaults({ node: 'a', on: ['eth_call'], effect: { http: 502, reach: 'none' } })
    await check(chain, 15, twoNodes(chain))
    expect(await codeOf(listing)).toBeNull()
    await chain.setFaults()
    await check(chain, 30, twoNodes(chain))
    expect(await codeOf(listing)).toBe('token_not_transferable')
  })

  it('ends an hour after one node first contradicts it, also if they are silent in between, and not while all are', async () => {
    await forgetOthers()
    const chain = await aChain({ erc1155: 1 })
    const listing = await sell(chain, chain.contracts.erc1155, { tokenId: '1' })
    await chain.erc1155AsSeller('pause')
    await check(chain)
    const silent = { effect: { http: 502, reach: 'none' } } as const
    await chain.setFaults(silent)
    const silentFor = [15, 60, 240, 480].map((minutes) => check.bind(null, chain, minutes))
    for (const run of silentFor) await run(twoNodes(chain))
    expect(await codeOf(listing)).toBe('token_not_transferable')
    const found: unknown[] = []
    for (const minutes of [960, 975, 990, 1005, 1020]) {
      if (minutes === 990) await chain.setFaults(silent)
      else await lie(chain, accepts, '"code":')
      await check(chain, minutes, twoNodes(chain))
      found.push(await codeOf(listing))
    }
    expect(found).toEqual([...Array(4).fill('token_not_transferable'), null])
  })

  it('that a delivery has found ends only once all nodes say so', async () => {
    await forgetOthers()
    const chain = await aChain({ erc1155: 1 })
    const listing = await sell(chain, chain.contracts.erc1155, { tokenId: '1' })
    await stop(await order(listing), 'token_not_transferable')
    await lie(chain, refuses)
    for (const minutes of [1, 16, 31, 46, 61, 76]) await check(chain, minutes, twoNodes(chain))
    expect(await codeOf(listing)).toBe('token_not_transferable')
    await chain.setFaults()
    await check(chain, 91, twoNodes(chain))
    expect(await codeOf(listing)).toBeNull()
  })

  it('that no trial sees stays until the listing is imported again', async () => {
    await forgetOthers()
    const chain = await aChain({ erc721: 3 })
    const sellPiece = (tokenId: string) => sell(chain, chain.contracts.erc721, { tokenId })
    const [first, second] = [await sellPiece('0'), await sellPiece('1')]
    const [item, other] = [await order(first), await order(first)]
    await stop(item, 'token_moved_nothing')
    await stop(other, 'token_not_transferable', 1)
    // A third one, which is sold, shows that a trial sees nothing wrong.
    const third = await sellPiece('2')
    for (const minutes of [2, 20, 2000]) await check(chain, minutes)
    const codes = () => Promise.all([first, second, third].map(codeOf))
    expect(await codes()).toEqual(['token_moved_nothing', 'token_moved_nothing', null])
    await setRow(listings, second.id, { checkAt: at(2001) })
    await check(chain, 2001)
    expect(await codes()).toEqual(['token_moved_nothing', null, null])
  })

  it('of a contract holds for all of it that the seller lists, until one of them was tried', async () => {
    await forgetOthers()
    const chain = await aChain({ erc721: 4, erc1155: 1 })
    const pieces = await Promise.all(
      ['0', '1', '2', '3'].map((tokenId) => sell(chain, chain.contracts.erc721, { tokenId })),
    )
    const [first] = pieces
    if (!first) throw new Error('nothing is listed')
    const other = await sell(chain, chain.contracts.erc1155, { tokenId: '1' })
    await check(chain)
    const codes = () => Promise.all([...pieces, other].map(codeOf))
    const item = await order(first)
    await stop(item, 'token_not_transferable', 2)
    expect(await codes()).toEqual([...Array(4).fill('token_not_transferable'), null])
    // The piece that could not be delivered is sold.
    await setRow(nfts, first.nftId, { availableAmount: 0 })
    await check(chain, 3)
    expect(await codes()).toEqual(['token_not_transferable', ...Array(4).fill(null)])
    // The item goes on waiting, which stops nothing again.
    await stop(item, 'token_not_transferable', 4)
    expect(await codes()).toEqual(['token_not_transferable', ...Array(4).fill(null)])
  })

  it('of one piece stops only the listings of this NFT, and none of a token that only some may get', async () => {
    await forgetOthers()
    const chain = await aChain({ erc721: 3 })
    const sellPiece = (tokenId: string, values: Values = {}) =>
      sell(chain, chain.contracts.erc721, { tokenId, ...values })
    const [one, two] = [await sellPiece('0'), await sellPiece('1')]
    const verified = await sellPiece('2', { recipients: 'verified' })
    await stop(await order(one), 'holder_has_no_token')
    await stop(await order(verified), 'token_not_transferable')
    expect(await Promise.all([one, two, verified].map(codeOf))).toEqual([
      'holder_has_no_token',
      null,
      null,
    ])
  })

  it('that one piece has is asked of one more, and then holds for all', async () => {
    await forgetOthers()
    const chain = await aChain({ erc721: 6 })
    const ids = ['0', '1', '2', '3', '4', '5']
    const pieces = await Promise.all(
      ids.map((tokenId) => sell(chain, chain.contracts.erc721, { tokenId })),
    )
    await check(chain)
    await chain.erc721AsSeller('pause')
    await env.DB.prepare(`UPDATE listings SET checkAt = '' WHERE id = ?`).bind(pieces[2]?.id).run()
    await check(chain, 5)
    const codes = () => Promise.all(pieces.map(codeOf))
    expect(await codes()).toEqual(Array(6).fill('token_not_transferable'))
    // The two that were tried are tried again. The others follow them.
    await chain.erc721AsSeller('unpause')
    await chain.takeCounts()
    await check(chain, 20)
    expect(await codes()).toEqual(Array(6).fill(null))
  })

  it('of several pieces leaves the others on sale, or has one more tried soon if a sample has it, too', async () => {
    await forgetOthers()
    const chain = await aChain()
    const token = await chain.aPeculiarToken('LockedToken')
    const locked = [await sell(chain, token), await sell(chain, token)]
    const other = await sell(chain, token, { tokenId: '1' })
    await check(chain)
    const again = { obstacle: null, isShared: false, checkAt: '' }
    for (const { id } of locked) await setRow(listings, id, again)
    await check(chain, 1)
    const codes = () => Promise.all([...locked, other].map(codeOf))
    const refused = Array(2).fill('token_not_transferable')
    expect(await codes()).toEqual([...refused, null])
    const { id } = await sell(chain, token)
    for (const one of locked) await setRow(listings, one.id, again)
    await setRow(listings, id, { checkAt: at(1000) })
    await check(chain, 2)
    expect(await codes()).toEqual([...refused, 'token_not_transferable'])
    await check(chain, 16)
    expect(await codes()).toEqual([...refused, 'token_not_transferable'])
    await check(chain, 17)
    expect(await codes()).toEqual([...refused, null])
  })

  it('is looked for less often the longer it lasts', async () => {
    await forgetOthers()
    const chain = await aChain()
    const listing = await sell(chain, `0x${'c0'.repeat(20)}`)
    const pauses: number[] = []
    for (let minutes = 0, i = 0; i < 8; i++) {
      await check(chain, minutes)
      const { checkAt = '' } = (await findRow(listings, listing.id)) ?? {}
      const next = (Date.parse(checkAt) - NOW) / MINUTE
      pauses.push(next - minutes)
      minutes = next
    }
    expect(pauses).toEqual([15, 15, 30, 60, 120, 240, 360, 360])
  })
})

it('stores what is known after 15 seconds, if nodes are slow', async () => {
  await forgetOthers()
  const chain = await aChain({ erc721: 1, erc1155: 1 })
  const values = { untriedUntil: at(1) }
  const [good, paused] = [
    await sell(chain, chain.contracts.erc721),
    await sell(chain, chain.contracts.erc1155, { tokenId: '1' }),
  ]
  for (const { id } of [good, paused]) await setRow(listings, id, values)
  await chain.erc1155AsSeller('pause')
  let seconds = 0
  const deadlines: { at: number; controller: AbortController }[] = []
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController()
    deadlines.push({ at: seconds + ms / 1000, controller })
    return controller.signal
  })
  // Whether a token accepts a transfer is known after two questions, why it refuses one after three.
  const unwatch = watchRequests(chain.proxyUrl, (_, send) => {
    seconds += 6
    for (const { at, controller } of deadlines) if (at <= seconds) controller.abort()
    return send()
  })
  onTestFinished(() => void [unwatch(), spy.mockRestore()])
  await check(chain)
  expect(await findRow(listings, good.id)).toMatchObject({ untriedUntil: null })
  expect(await findRow(listings, paused.id)).toMatchObject({ ...values, checkAt: at(15) })
})

/**
 * Lists pieces of one collection, which can be delivered, and then pieces of other contracts, which have no
 * code. Returns how many of these were never tried. `untriedUntil`: null for a collection that was tried.
 */
async function aQueue(chain: Chain, pieces: number, others: number, untriedUntil: string | null) {
  const { id: template } = await sell(chain, chain.contracts.erc1155, { tokenId: '1' })
  await env.DB.prepare(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
    INSERT INTO nfts (externalId, contractAddr, contractNetwork, tokenId, amount, availableAmount, creatorId,
      creatorPublicAddr, contractName, payload, price, priceEths, priceCurrency, title, status, releaseAt,
      createdAt, updatedAt, changedAt)
    SELECT 'queue ' || i, iif(i <= ?2, contractAddr, '0x' || printf('%040x', i)), contractNetwork, '1', 10, 10,
      creatorId, '', '', payload, 1, '0', 'EUR', 'A picture', 'released', ?3, ?3, ?3, ?3
    FROM n JOIN nfts ON nfts.id = (SELECT nftId FROM listings WHERE id = ?4)`)
    .bind(pieces + others, pieces, at(-1), template)
    .run()
  await env.DB.prepare(`INSERT INTO listings (externalId, priceCents, priceEths, priceWei, active, type,
      priceCurrency, sellerId, nftId, checkAt, untriedUntil, createdAt, updatedAt)
    SELECT externalId, 1, '0', '0', 1, 'regular', 'EUR', creatorId, id, iif(contractAddr = ?2, '', ?1),
      iif(contractAddr = ?2, ?3, ?4), ?1, ?1
    FROM nfts WHERE externalId LIKE 'queue %' ORDER BY id`)
    .bind(at(-1), chain.contracts.erc1155, untriedUntil, at(1))
    .run()
  return () =>
    env.DB.prepare(`SELECT count(*) AS untried FROM listings JOIN nfts ON nfts.id = nftId
      WHERE untriedUntil IS NOT NULL AND contractAddr <> ? AND contractNetwork = ?`)
      .bind(chain.contracts.erc1155, chain.name)
      .first('untried')
}

const queues = [
  ['10,000 pieces of a collection that was never tried', 10_000, at(1)],
  ['20,300 pieces of a collection that is tried again', 20_300, null],
] as const

it.each(firstCases(1, queues))(
  'tries 50 others in its first two runs, beside %s',
  async (_, pieces, untriedUntil) => {
    await forgetOthers()
    const chain = await aChain({ erc1155: 1 })
    const countUntried = await aQueue(chain, pieces, 50, untriedUntil)
    expect(await countUntried()).toBe(50)
    for (const minutes of [0, 1]) await check(chain, minutes)
    expect(await countUntried()).toBe(0)
    const { calls } = await chain.takeCounts()
    // Of a piece that can be delivered, one call.
    expect(calls.eth_call).toBeLessThan(1000)
    await env.DB.exec(`DELETE FROM listings WHERE externalId LIKE 'queue %'`)
    await env.DB.exec(`DELETE FROM nfts WHERE externalId LIKE 'queue %'`)
  },
)

it('tries no token that only some may get, and sells it', async () => {
  await forgetOthers()
  const chain = await aChain()
  const token = await chain.aPeculiarToken('SoulboundToken')
  const listing = await sell(chain, token, { recipients: 'verified' })
  await setRow(listings, listing.id, { obstacle: 'token_not_transferable', untriedUntil: at(1) })
  await chain.takeCounts()
  await check(chain)
  expect((await chain.takeCounts()).requests).toBe(0)
  expect(await findRow(listings, listing.id)).toMatchObject({ obstacle: null, untriedUntil: null })
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
  const other = { tokenId: '1', status: 'draft' }
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
