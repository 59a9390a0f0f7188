import { encodeAbiParameters, type Hex, keccak256, pad, slice, toHex, zeroHash } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { holder, otherHolder, otherRelayer, relayer, stranger } from './accounts.ts'
import { aCancel, aKey, aWallet, type Item, transferOf } from './items.ts'
import { aWorld, type Delivery, type World } from './world.ts'

let world: World
let delivery: Delivery
let snapshot: Hex

beforeAll(async () => {
  world = await aWorld()
  delivery = world.delivery
})

afterAll(() => world.stop())

beforeEach(async () => {
  snapshot = await world.client.snapshot()
})

afterEach(() => world.client.revert({ id: snapshot }))

const isUsed = async ({ key }: Item) => (await delivery.read.recordOf([key])).blockNumber > 0n

const contentHashOf = ({ token, to, tokenId, amount }: Item) =>
  slice(
    keccak256(
      encodeAbiParameters(
        [{ type: 'address' }, { type: 'address' }, { type: 'uint256' }, { type: 'uint256' }],
        [token, to, tokenId, amount],
      ),
    ),
    0,
    24,
  )

describe('an item', () => {
  it('is delivered, as an ERC-721 or an ERC-1155 token', async () => {
    const items = [world.aUnique(), world.anEdition({ amount: 7n })]
    const receipt = await delivery.deliver(items)
    expect(receipt.outcomes).toEqual(['delivered', 'delivered'])
    expect(receipt.transfers).toEqual(items.map(transferOf))
    expect(delivery.eventsIn(receipt)).toEqual(
      items.map((item) => ({ eventName: 'Delivered', relayer, ...item })),
    )
  })

  it('is logged with its relayer, token, sender, recipient, id and amount', async () => {
    const item = world.anEdition({ amount: 7n })
    const receipt = await delivery.deliver([item], { by: otherRelayer })
    expect(delivery.eventsIn(receipt)).toEqual([
      {
        eventName: 'Delivered',
        key: item.key,
        relayer: otherRelayer,
        token: world.edition.address,
        from: holder,
        to: item.to,
        tokenId: 1n,
        amount: 7n,
      },
    ])
    const [log] = receipt.logs.filter(({ topics }) => topics.length === 4 && topics[1] === item.key)
    expect(log?.topics.slice(1)).toEqual([
      item.key,
      pad(otherRelayer).toLowerCase(),
      pad(world.edition.address).toLowerCase(),
    ])
  })

  it('is delivered to a wallet with code that accepts it', async () => {
    const { address: to } = await world.aRecipient()
    const { outcomes } = await delivery.deliver([world.aUnique({ to }), world.anEdition({ to })])
    expect(outcomes).toEqual(['delivered', 'delivered'])
  })

  it('leaves a record of its block and content', async () => {
    const [item, open] = [world.aUnique(), world.anEdition()]
    const { blockNumber } = await delivery.deliver([item])
    await world.client.mine({ blocks: 3 })
    const [head, timestamp, found] = await delivery.read.records([[item.key, open.key]])
    expect(head).toBe(blockNumber + 3n)
    expect(timestamp).toBe(await world.time())
    expect(found).toEqual([
      { blockNumber, contentHash: contentHashOf(item) },
      { blockNumber: 0n, contentHash: slice(zeroHash, 0, 24) },
    ])
  })

  it('costs hardly more gas when many are before it', async () => {
    const to = aWallet()
    await delivery.deliver([world.anEdition({ to })])
    const gasOf = async (count: number) =>
      (await delivery.deliver(Array.from({ length: count }, () => world.anEdition({ to })))).gasUsed
    const [few, some, many] = [await gasOf(50), await gasOf(150), await gasOf(250)]
    // 100 items after 150 others, compared with 100 after 50.
    expect(many - some - (some - few)).toBeLessThan(100n * 60n)
  })

  it('says how much gas the token used', async () => {
    const item = world.anEdition()
    const { results, gasUsed } = await delivery.deliver([item])
    const [used = 0n] = results.map((result) => result.gasUsed)
    expect(used).toBeGreaterThan(25_000n)
    expect(used).toBeLessThan(gasUsed - 40_000n)
  })
})

describe('a key', () => {
  it('delivers once in a batch', async () => {
    const item = world.anEdition()
    const other = world.anEdition({ key: item.key })
    const { outcomes, transfers } = await delivery.deliver([item, item, other])
    expect(outcomes).toEqual(['delivered', 'skipped', 'skipped'])
    expect(transfers).toEqual([transferOf(item)])
  })

  it('delivers once over transactions, relayers and contents', async () => {
    const item = world.anEdition()
    await delivery.deliver([item])
    for (const by of [relayer, otherRelayer]) {
      const { outcomes, transfers, logs } = await delivery.deliver(
        [item, world.aUnique({ key: item.key })],
        { by },
      )
      expect(outcomes).toEqual(['skipped', 'skipped'])
      expect([...transfers, ...logs]).toEqual([])
    }
  })

  it('can be tried again after a failure', async () => {
    const item = world.anEdition({ amount: 1_000_001n })
    expect((await delivery.deliver([item])).outcomes).toEqual(['failed'])
    expect(await isUsed(item)).toBe(false)
    const affordable = { ...item, amount: 1_000_000n }
    expect((await delivery.deliver([item, affordable])).outcomes).toEqual(['failed', 'delivered'])
  })

  it('is used up by a cancel, which transfers nothing', async () => {
    const item = world.anEdition()
    const receipt = await delivery.deliver([aCancel(item.key), item, aCancel(item.key)])
    expect(receipt.outcomes).toEqual(['cancelled', 'skipped', 'skipped'])
    expect(delivery.eventsIn(receipt)).toEqual([{ eventName: 'Cancelled', key: item.key }])
    expect(receipt.logs).toHaveLength(1)
    expect(await delivery.read.recordOf([item.key])).toEqual({
      blockNumber: receipt.blockNumber,
      contentHash: slice(zeroHash, 0, 24),
    })
    expect((await delivery.deliver([item])).outcomes).toEqual(['skipped'])
  })

  it('cannot be cancelled after its delivery', async () => {
    const item = world.anEdition()
    await delivery.deliver([item])
    const record = await delivery.read.recordOf([item.key])
    expect((await delivery.deliver([aCancel(item.key)])).outcomes).toEqual(['skipped'])
    expect(await delivery.read.recordOf([item.key])).toEqual(record)
  })
})

describe('only approved tokens', () => {
  it('move: a holder without approval keeps them', async () => {
    const items = [
      world.anEdition({ from: otherHolder }),
      world.aUnique({ from: otherHolder, tokenId: 1n }),
    ]
    const { outcomes, transfers, results } = await delivery.deliver([...items, world.anEdition()])
    expect(outcomes).toEqual(['failed', 'failed', 'delivered'])
    expect(transfers).toHaveLength(1)
    for (const { reason } of results.slice(0, 2))
      expect(Buffer.from(reason.slice(2), 'hex').toString()).toContain('approved')
  })

  it('move: an approval that is taken back counts no more', async () => {
    await world.approve(delivery.address, false)
    const items = [world.anEdition(), world.aUnique()]
    expect((await delivery.deliver(items)).outcomes).toEqual(['failed', 'failed'])
    await world.approve(delivery.address)
    expect((await delivery.deliver(items)).outcomes).toEqual(['delivered', 'delivered'])
  })

  it('move: ones of another owner fail under the name of the holder', async () => {
    const { outcomes } = await delivery.deliver([world.aUnique({ tokenId: 1n, from: holder })])
    expect(outcomes).toEqual(['failed'])
  })
})

describe('a token address without code', () => {
  it.each([
    ['a wallet', stranger],
    ['a precompile', '0x0000000000000000000000000000000000000004'],
  ] as const)('fails when it is %s', async (_, token) => {
    const item = world.anEdition({ token })
    const receipt = await delivery.deliver([item, world.anEdition()])
    expect(receipt.outcomes).toEqual(['failed', 'delivered'])
    const reason = keccak256(toHex('TokenHasNoCode()')).slice(0, 10)
    expect(receipt.results[0]).toEqual({ outcome: 'failed', gasUsed: 0n, reason })
    expect(delivery.eventsIn(receipt)[0]).toEqual({
      eventName: 'DeliveryFailed',
      key: item.key,
      gasUsed: 0n,
      reason,
    })
    expect(await isUsed(item)).toBe(false)
  })

  it('is not the contract itself, and fails all the same', async () => {
    const { outcomes } = await delivery.deliver([world.anEdition({ token: delivery.address })])
    expect(outcomes).toEqual(['failed'])
  })
})

describe('a call', () => {
  it('has an effect up to its deadline, and none after it', async () => {
    const deadline = (await world.time()) + 100n
    await world.client.setNextBlockTimestamp({ timestamp: deadline })
    expect((await delivery.deliver([world.anEdition()], { deadline })).outcomes).toEqual([
      'delivered',
    ])
    await world.client.setNextBlockTimestamp({ timestamp: deadline + 1n })
    await expect(delivery.deliver([world.anEdition()], { deadline })).rejects.toThrow('Expired')
  })

  it('has at most MAX_ITEMS items', async () => {
    const most = Number(await delivery.read.MAX_ITEMS())
    const cancels = Array.from({ length: most + 1 }, () => aCancel(aKey()))
    await expect(delivery.deliver(cancels)).rejects.toThrow('TooManyItems')
    const { outcomes } = await delivery.deliver(cancels.slice(1))
    expect(outcomes).toEqual(Array(most).fill('cancelled'))
  })

  it('may be empty', async () => {
    expect((await delivery.deliver([])).outcomes).toEqual([])
  })

  it('is undone when fewer items than the minimum are reached', async () => {
    const items = [world.anEdition(), world.anEdition(), world.anEdition()]
    // An item is tried only when its whole gas limit is left, so the last is not.
    let gas = 400_000n
    while ((await delivery.simulate(items, { gas, minimum: 0 }))[1] !== 'delivered') gas += 10_000n
    await expect(delivery.deliver(items, { gas, minimum: 3 })).rejects.toThrow('OutOfGas')
    const { outcomes } = await delivery.deliver(items, { gas, minimum: 2 })
    expect(outcomes).toEqual(['delivered', 'delivered', 'notReached'])
    expect(await Promise.all(items.map(isUsed))).toEqual([true, true, false])
  })

  it('never makes an item fail for want of gas', async () => {
    const items = [world.anEdition(), world.anEdition()]
    const seen = new Set<string>()
    for (let gas = 100_000n; gas < 900_000n; gas += 20_000n) {
      const outcomes = delivery.simulate(items, { gas, minimum: 1 }).catch(({ message }) => {
        return /OutOfGas\(\)/.test(message) ? ['OutOfGas'] : [message]
      })
      seen.add(String(await outcomes))
    }
    expect([...seen]).toEqual(['OutOfGas', 'delivered,notReached', 'delivered,delivered'])
  })

  it('is reverted when its gas limit for an item exceeds all numbers', async () => {
    for (const gasPerItem of [2n ** 256n - 1n, 2n ** 255n])
      await expect(delivery.deliver([world.anEdition()], { gasPerItem })).rejects.toThrow()
  })
})
