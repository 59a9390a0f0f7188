/** From a paid item to its Transfer event, on a real node. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { aChain } from '../support/chain/chain.ts'
import { deliveriesOf, transferEvents } from '../support/transfers/events.ts'
import { aPaidItem, paidItems } from '../support/transfers/items.ts'
import { anEngine, rowOf, signedFor } from '../support/transfers/looks.ts'

describe('both token standards', () => {
  it('end as one Transfer event each, told apart by the contract alone', async () => {
    const chain = await aChain({ erc721: 1, erc1155: 10 })
    const { look } = anEngine(chain)
    const items = await paidItems(chain, [
      { standard: 'erc721' },
      { standard: 'erc1155', quantity: 3 },
    ])
    expect((await look(items)).map(({ transferId }) => transferId)).toEqual(
      items.map(({ id }) => id),
    )
    for (const item of items) {
      const [signed] = await signedFor(item)
      const shown = { status: 'sent', item: 'transferring', txId: signed?.hash }
      expect(await rowOf(item)).toMatchObject(shown)
    }
    await chain.mine()
    expect(await look(items, 5)).toEqual([])
    const events = await transferEvents(chain)
    for (const item of items) {
      const [signed] = await signedFor(item)
      expect(await rowOf(item)).toMatchObject({
        status: 'transferred',
        item: 'transferred',
        txId: signed?.hash,
        reason: null,
        dueAt: null,
      })
      expect(deliveriesOf(item, events)).toMatchObject([
        { quantity: item.quantity, transactionHash: signed?.hash },
      ])
    }
    expect(events).toHaveLength(2)
  })

  it('may be held by the marketplace itself', async () => {
    const chain = await aChain({ erc721: 1, erc1155: 1 })
    const [token, pieces] = await paidItems(chain, [
      { standard: 'erc721' },
      { standard: 'erc1155', quantity: 1 },
    ])
    if (!token || !pieces) throw new Error('nothing was sold')
    // The first transfer takes all to the signer's own wallet, the next gives it to the buyer.
    const stocked = await paidItems(chain, [
      { standard: 'erc721', tokenId: token.tokenId, recipient: chain.signer },
      { standard: 'erc1155', recipient: chain.signer },
    ])
    const { look } = anEngine(chain)
    await look(stocked)
    await chain.mine()
    await look([token, pieces], 5)
    await chain.mine()
    await look([token, pieces], 10)
    const events = await transferEvents(chain)
    for (const item of [token, pieces]) {
      expect(await rowOf(item)).toMatchObject({ status: 'transferred' })
      expect(deliveriesOf(item, events)).toHaveLength(1)
    }
  })

  it('wait for as many blocks as the network is configured with', async () => {
    const chain = await aChain({ erc721: 1 })
    const { look } = anEngine(chain, { confirmations: 3 })
    await chain.setAutomine(false)
    const item = await aPaidItem(chain, { standard: 'erc721' })
    await look([item])
    await chain.mine()
    await look([item], 5)
    expect(await rowOf(item)).toMatchObject({ status: 'mined', item: 'transferring' })
    await chain.mine(1)
    await look([item], 10)
    expect(await rowOf(item)).toMatchObject({ status: 'mined' })
    await chain.mine(1)
    await look([item], 15)
    expect(await rowOf(item)).toMatchObject({ status: 'transferred' })
  })
})

describe('a batch', () => {
  it('costs the same trips to D1 and calls of the node for 1 and for 100 items', async () => {
    const chain = await aChain({ erc721: 60, erc1155: 1000 })
    const costs = async (sales: Parameters<typeof paidItems>[1]) => {
      const items = await paidItems(chain, sales)
      const { look, trips } = anEngine(chain)
      const costs: { trips: number; requests: number }[] = []
      for (const after of [0, 5]) {
        await chain.mine()
        trips.count = 0
        await chain.takeCounts()
        await look(items, after)
        costs.push({ trips: trips.count, requests: (await chain.takeCounts()).requests })
      }
      for (const item of items) expect((await rowOf(item)).status).toBe('transferred')
      return costs
    }
    const one = await costs([{ standard: 'erc721' }])
    const hundred = await costs(
      Array.from({ length: 100 }, (_, i) =>
        i % 2 ? { standard: 'erc721' as const } : { standard: 'erc1155' as const },
      ),
    )
    expect(one).toEqual([
      { trips: 3, requests: 3 },
      { trips: 2, requests: 2 },
    ])
    expect(hundred).toEqual(one)
  })

  it('is not held up by bad items among the good ones', async () => {
    const chain = await aChain({ erc721: 20, erc1155: 20 })
    const { look } = anEngine(chain)
    const good = { standard: 'erc721' as const }
    const items = await paidItems(chain, [
      good,
      { ...good, contract: 'nonsense' },
      { ...good, contract: chain.seller },
      { ...good, tokenId: '999' },
      { ...good, tokenId: '-1' },
      { ...good, quantity: 2 },
      { standard: 'erc1155', quantity: 21 },
      { ...good, recipient: chain.contracts.erc1155 },
      { ...good, network: 'nowhere' },
      { standard: 'erc1155', quantity: 20 },
      good,
    ])
    await look(items)
    await chain.mine()
    await look(items, 5)
    const rows = await Promise.all(items.map(rowOf))
    expect(rows.map(({ status, reason }) => (status === 'failed' ? reason : status))).toEqual([
      'transferred',
      'the NFT has no valid contract address',
      expect.stringMatching(/^the contract 0x\w+ is neither ERC-721 nor ERC-1155$/),
      'it would revert: ERC721: invalid token ID',
      'the NFT has no valid token id',
      'an ERC-721 token has one piece, so the quantity must be 1',
      'it would revert: ERC1155: insufficient balance for transfer',
      'it would revert: ERC721: transfer to non ERC721Receiver implementer',
      'the network nowhere is not configured',
      'transferred',
      'transferred',
    ])
    for (const row of rows.filter(({ status }) => status === 'failed')) {
      expect(row).toMatchObject({ item: 'failed', txId: null, dueAt: null })
      expect(row.failReason).toBe(row.reason)
    }
    const signed = await Promise.all(items.map(signedFor))
    expect(signed.flat().map(({ nonce }) => nonce)).toEqual([0, 1, 2])
  })

  it('signs no more than may be in flight, and goes on as they are mined', async () => {
    const chain = await aChain({ erc1155: 10 })
    const { look } = anEngine(chain, { maxInFlight: 2 })
    await chain.setAutomine(false)
    const items = await paidItems(
      chain,
      Array.from({ length: 5 }, () => ({ standard: 'erc1155' as const })),
    )
    const statuses = async () => (await Promise.all(items.map(rowOf))).map(({ status }) => status)
    await look(items)
    expect(await statuses()).toEqual(['sent', 'sent', 'queued', 'queued', 'queued'])
    await look(items, 5)
    expect(await statuses()).toEqual(['sent', 'sent', 'queued', 'queued', 'queued'])
    await chain.mine()
    await look(items, 10)
    expect(await statuses()).toEqual(['transferred', 'transferred', 'sent', 'sent', 'queued'])
  })

  it('of two consumers at once signs each item once', async () => {
    const chain = await aChain({ erc1155: 100 })
    const items = await paidItems(
      chain,
      Array.from({ length: 20 }, () => ({ standard: 'erc1155' as const })),
    )
    const [one, other] = [anEngine(chain), anEngine(chain)]
    const halves = [items.slice(0, 12), items.slice(8)]
    for (const after of [0, 5, 10, 15]) {
      await chain.mine()
      await Promise.all([one.look(halves[0] ?? [], after), other.look(halves[1] ?? [], after)])
    }
    const signed = (await Promise.all(items.map(signedFor))).flat()
    expect(signed.map(({ nonce }) => nonce).sort((a, b) => a - b)).toEqual(
      Array.from(items, (_, nonce) => nonce),
    )
    expect(await transferEvents(chain)).toHaveLength(20)
  })
})

describe('a node that cannot be relied on', () => {
  it('holds up its own network only', async () => {
    const [down, up] = [await aChain({ erc721: 1 }), await aChain({ erc721: 1 })]
    const { look } = anEngine([down, up])
    const items = [
      await aPaidItem(down, { standard: 'erc721' }),
      await aPaidItem(up, { standard: 'erc721' }),
    ]
    await down.setFaults({ effect: { http: 503, reach: 'none' } })
    expect(await look(items)).toHaveLength(2)
    expect(await rowOf(items[0] ?? { id: 0 })).toMatchObject({
      status: 'queued',
      item: null,
      reason: 'the node answered with HTTP 503',
    })
    expect(await rowOf(items[1] ?? { id: 0 })).toMatchObject({ status: 'sent' })
    await down.setFaults()
    await look(items, 5)
    await Promise.all([down.mine(), up.mine()])
    await look(items, 10)
    for (const item of items) expect(await rowOf(item)).toMatchObject({ status: 'transferred' })
  })

  it('is not used when it is of another chain', async () => {
    const chain = await aChain({ erc721: 1 })
    const { look } = anEngine(chain, { chainId: 1 })
    const item = await aPaidItem(chain, { standard: 'erc721' })
    expect(await look([item])).toHaveLength(1)
    expect(await rowOf(item)).toMatchObject({
      status: 'queued',
      reason: `the node is of chain ${chain.chainId}, but chain 1 is configured`,
    })
    expect(await signedFor(item)).toEqual([])
  })

  it.each([
    ['an internal error', { code: -32603, message: 'internal error' }],
    ['a limit', { code: -32005, message: 'limit exceeded' }],
    ['an unknown block', { code: -32000, message: 'header not found' }],
  ])('and answers the simulation with %s makes it wait, not fail', async (_, error) => {
    const chain = await aChain({ erc721: 1 })
    const { look } = anEngine(chain)
    const item = await aPaidItem(chain, { standard: 'erc721' })
    await chain.setFaults({ on: ['eth_estimateGas'], effect: { error, reach: 'none' } })
    await look([item])
    expect(await rowOf(item)).toMatchObject({
      status: 'queued',
      reason: `the node answered: ${error.message}`,
    })
    await chain.setFaults()
    await look([item], 5)
    expect(await rowOf(item)).toMatchObject({ status: 'sent', reason: null })
  })

  it('is asked less and less often while nothing changes', async () => {
    const chain = await aChain({ erc721: 1 })
    const { look } = anEngine(chain)
    const item = await aPaidItem(chain, { standard: 'erc721' })
    await chain.setFaults({ effect: { http: 503, reach: 'none' } })
    const delays: (number | undefined)[] = []
    for (const after of [0, 20, 200, 10_000]) {
      const [next] = await look([item], after)
      delays.push(next?.delaySeconds)
    }
    expect(delays).toEqual([5, 5, 50, 300])
  })
})

describe('a signer without funds', () => {
  it('signs what it can pay for, leaves the rest waiting, and recovers', async () => {
    const chain = await aChain({ erc1155: 10 })
    const { look } = anEngine(chain)
    const balance = async (wei: bigint) =>
      chain.rpc('anvil_setBalance', chain.signer, `0x${wei.toString(16)}`)
    const items = await paidItems(
      chain,
      Array.from({ length: 4 }, () => ({ standard: 'erc1155' as const })),
    )
    await balance(0n)
    await look(items)
    expect(await Promise.all(items.map(rowOf))).toMatchObject(
      items.map(() => ({
        status: 'queued',
        reason: 'the signer has not enough funds for the fees',
      })),
    )
    await balance(5n * 10n ** 14n)
    await look(items, 5)
    const paid = (await Promise.all(items.map(signedFor))).flat()
    expect(paid.length).toBeGreaterThan(0)
    expect(paid.length).toBeLessThan(4)
    await balance(10n ** 18n)
    await look(items, 10)
    await chain.mine()
    await look(items, 15)
    for (const item of items) expect(await rowOf(item)).toMatchObject({ status: 'transferred' })
  })
})

describe('a nonce', () => {
  it('is used up by a transfer that reverts only in the chain', async () => {
    const chain = await aChain({ erc721: 2 })
    const { look } = anEngine(chain)
    await chain.setAutomine(false)
    const [first, second] = await paidItems(chain, [
      { standard: 'erc721' },
      { standard: 'erc721', tokenId: '0' },
    ])
    if (!first || !second) throw new Error('nothing was sold')
    // Both pass their simulation, because neither is mined yet.
    await look([first, second])
    await chain.mine()
    await look([first, second], 5)
    expect(await rowOf(first)).toMatchObject({ status: 'transferred' })
    const [reverted] = await signedFor(second)
    expect(await rowOf(second)).toMatchObject({
      status: 'failed',
      item: 'failed',
      reason:
        'the transaction was mined, but reverted: ERC721: caller is not token owner or approved',
      txId: reverted?.hash,
      failReason: expect.stringContaining('not token owner'),
    })
  })

  it('begins above what the chain has used for somebody else', async () => {
    const chain = await aChain({ erc721: 1 })
    await sendFrom(chain, chain.signer)
    await sendFrom(chain, chain.signer)
    await chain.mine()
    const { look } = anEngine(chain)
    const item = await aPaidItem(chain, { standard: 'erc721' })
    await look([item])
    await chain.mine()
    await look([item], 5)
    expect(await signedFor(item)).toMatchObject([{ nonce: 2 }])
    expect(await rowOf(item)).toMatchObject({ status: 'transferred' })
  })

  it('used by somebody else is found however long ago, and stops the signer', async () => {
    const chain = await aChain({ erc721: 2 })
    const { look } = anEngine(chain, { confirmations: 2 })
    await chain.setAutomine(false)
    const [item, next] = await paidItems(chain, [{ standard: 'erc721' }, { standard: 'erc721' }])
    if (!item || !next) throw new Error('nothing was sold')
    await look([item])
    await chain.rpc('anvil_dropAllTransactions')
    const foreign = await sendFrom(chain, chain.signer)
    await chain.mine()
    await look([item], 5)
    expect(await rowOf(item)).toMatchObject({ status: 'sent' })
    await chain.mine(300)
    await look([item], 10)
    expect(await rowOf(item)).toMatchObject({
      status: 'review',
      item: 'transferring',
      dueAt: null,
      reason: `nonce 0 was used by ${foreign}, which is none of ours`,
    })
    await look([item, next], 15)
    expect(await signedFor(item)).toHaveLength(1)
    expect(await signedFor(next)).toEqual([])
    expect(await rowOf(next)).toMatchObject({
      status: 'queued',
      reason: 'signing is stopped until the transfer in review is looked at',
    })
  })

  it('is not given out by a consumer that did not yet know that the signer is stopped', async () => {
    const chain = await aChain({ erc1155: 2 })
    const [sent, next] = await paidItems(chain, [{ standard: 'erc1155' }, { standard: 'erc1155' }])
    if (!sent || !next) throw new Error('nothing was sold')
    await anEngine(chain).look([sent])
    const stop = () =>
      env.DB.prepare(`UPDATE transfers SET status = 'review', dueAt = NULL WHERE id = ?`)
        .bind(sent.id)
        .run()
    await anEngine(chain, {}, stop).look([next])
    expect(await signedFor(next)).toEqual([])
    expect(await rowOf(next)).toMatchObject({ status: 'queued' })
  })

  it('is not judged when the node keeps no old state', async () => {
    const chain = await aChain({ erc721: 1 })
    const { look } = anEngine(chain)
    await chain.setAutomine(false)
    const item = await aPaidItem(chain, { standard: 'erc721' })
    await look([item])
    await chain.mine()
    await chain.setFaults(
      { on: ['eth_getTransactionReceipt'], effect: { result: null } },
      // The signer's count at the head passes, and at the final block.
      {
        on: ['eth_getTransactionCount'],
        skip: 2,
        effect: { error: { code: -32000, message: 'missing trie node' }, reach: 'none' },
      },
    )
    await chain.mine(500)
    await look([item], 1000)
    expect(await rowOf(item)).toMatchObject({
      status: 'sent',
      reason: 'nonce 0 is used, and the node cannot tell by what',
    })
    expect(await signedFor(item)).toHaveLength(1)
  })
})

describe('a transaction that is not mined', () => {
  it('is replaced at its nonce by one with a higher fee, up to the cap', async () => {
    const chain = await aChain({ erc721: 1 })
    await chain.setAutomine(false)
    const { look } = anEngine(chain, { maxFeePerGasGwei: 4 })
    const item = await aPaidItem(chain, { standard: 'erc721' })
    for (const after of [0, 30, 61, 122, 183, 244, 305, 366]) await look([item], after)
    const signed = await signedFor(item)
    expect(new Set(signed.map(({ nonce }) => nonce))).toEqual(new Set([0]))
    expect(signed.length).toBeGreaterThan(1)
    signed.slice(1).forEach(({ fee, attempt }, i) => {
      expect(fee).toBeGreaterThanOrEqual((signed[i]?.fee ?? 0) * 1.125)
      expect(fee).toBeLessThanOrEqual(4e9)
      expect(attempt).toBe(i + 1)
    })
    expect(await rowOf(item)).toMatchObject({
      status: 'sent',
      reason: 'the network asks more for gas than maxFeePerGasGwei allows',
      txId: signed.at(-1)?.hash,
    })
    await chain.mine()
    await look([item], 400)
    expect(await rowOf(item)).toMatchObject({ status: 'transferred', reason: null })
    expect(await transferEvents(chain)).toHaveLength(1)
  })

  it('goes back into the chain, the same bytes, after a reorganisation', async () => {
    const chain = await aChain({ erc721: 1 })
    await chain.setAutomine(false)
    const { look } = anEngine(chain, { confirmations: 3 })
    const item = await aPaidItem(chain, { standard: 'erc721' })
    await look([item])
    await chain.mine()
    await look([item], 5)
    expect(await rowOf(item)).toMatchObject({ status: 'mined' })
    await chain.rpc('anvil_rollback', 1)
    await chain.rpc('anvil_dropAllTransactions')
    await look([item], 10)
    expect(await rowOf(item)).toMatchObject({ status: 'sent' })
    await chain.mine(3)
    await look([item], 15)
    expect(await rowOf(item)).toMatchObject({ status: 'transferred' })
    expect(await signedFor(item)).toHaveLength(1)
    expect(await transferEvents(chain)).toHaveLength(1)
  })
})

it('leaves what is at its end, or waits for a wallet, as it is', async () => {
  const chain = await aChain({ erc721: 2 })
  const { look } = anEngine(chain)
  const [done, waiting] = await paidItems(chain, [
    { standard: 'erc721' },
    { standard: 'erc721', recipient: null },
  ])
  if (!done || !waiting) throw new Error('nothing was sold')
  await look([done])
  await chain.mine()
  await look([done], 5)
  const before = [await rowOf(done), await rowOf(waiting)]
  expect(await look([done, waiting], 10)).toEqual([])
  expect([await rowOf(done), await rowOf(waiting)]).toEqual(before)
})

it('leaves to the faster of two consumers what both began with', async () => {
  const chain = await aChain({ erc721: 1 })
  const [one, other] = [anEngine(chain), anEngine(chain)]
  const item = await aPaidItem(chain, { standard: 'erc721' })
  await Promise.all([one.look([item]), other.look([item])])
  expect(await signedFor(item)).toHaveLength(1)
  await one.look([item], 5)
  expect(await rowOf(item)).toMatchObject({ status: 'transferred' })
  expect(await transferEvents(chain)).toHaveLength(1)
})

/** A transaction of no use, from an account that the node knows the key of. */
const sendFrom = (chain: Awaited<ReturnType<typeof aChain>>, from: string) =>
  chain.rpc('eth_sendTransaction', { from, to: chain.seller, value: '0x1' })
