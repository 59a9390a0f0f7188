import { type Address, type Hex, parseEventLogs } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { otherHolder, otherRelayer, owner, relayer, stranger } from './accounts.ts'
import { as } from './chain.ts'
import { aCancel, aKey, reasonOf, transferOf } from './items.ts'
import { AMPLE, aRelayer, aWorld, type Delivery, type World } from './world.ts'

let world: World
let snapshot: Hex

beforeAll(async () => {
  world = await aWorld({ uniques: 4 })
})

afterAll(() => world.stop())

beforeEach(async () => {
  snapshot = await world.client.snapshot()
})

afterEach(() => world.client.revert({ id: snapshot }))

const DAY = 86_400n
const HOUR = 3_600n

const setNextTime = (timestamp: bigint) => world.client.setNextBlockTimestamp({ timestamp })

/** A contract of two relayers with this limit each. Nothing is used yet. */
async function aContract(capacity: bigint, perDay = 0n): Promise<Delivery> {
  const relayers = [relayer, otherRelayer].map((account) => aRelayer(account, capacity, perDay))
  const delivery = await world.deployDelivery({ relayers })
  await world.approve(delivery.address)
  return delivery
}

const editions = (...amounts: bigint[]) => amounts.map((amount) => world.anEdition({ amount }))

const availableTo = async (delivery: Delivery, account: Address = relayer) =>
  (await delivery.read.relayerLimit([account])).available

const availableOf = async (delivery: Delivery, token: Address) =>
  (await delivery.read.tokenLimit([token])).available

/** Sets a limit and gives the time of that. */
async function setRelayer(delivery: Delivery, capacity: bigint, perDay: bigint): Promise<bigint> {
  await world.mined(delivery.write.setRelayer([relayer, capacity, perDay], as(owner)))
  return world.time()
}

const setTokenLimit = (delivery: Delivery, token: Address, capacity: bigint, perDay = 0n) =>
  world.mined(delivery.write.setTokenLimit([token, capacity, perDay], as(owner)))

describe('the limit of a relayer', () => {
  it('of 1 piece refuses an item of 900,000 alone, and its batch goes on', async () => {
    const delivery = await aContract(1n)
    const [large, small] = [world.anEdition({ amount: 900_000n }), world.anEdition()]
    const receipt = await delivery.deliver([large, small])
    expect(receipt.outcomes).toEqual(['failed', 'delivered'])
    const reason = reasonOf('RelayerLimitReached')
    expect(receipt.results[0]).toEqual({ outcome: 'failed', gasUsed: 0n, reason })
    expect(delivery.eventsIn(receipt)[0]).toEqual({
      eventName: 'DeliveryFailed',
      key: large.key,
      gasUsed: 0n,
      reason,
    })
    expect(receipt.transfers).toEqual([transferOf(small)])
    expect((await delivery.read.recordOf([large.key])).blockNumber).toBe(0n)
    expect(await availableTo(delivery)).toBe(0n)
  })

  it('counts the pieces of an ERC-1155 token, and an ERC-721 token as one', async () => {
    const delivery = await aContract(10n)
    await delivery.deliver([...editions(4n, 2n), world.aUnique()])
    expect(await availableTo(delivery)).toBe(3n)
  })

  it('lets a smaller item pass after one that does not fit', async () => {
    const delivery = await aContract(5n)
    const { outcomes } = await delivery.deliver(editions(4n, 2n, 1n, 1n))
    expect(outcomes).toEqual(['delivered', 'failed', 'delivered', 'failed'])
  })

  it('is of each relayer alone', async () => {
    const delivery = await aContract(3n)
    await delivery.deliver(editions(3n))
    expect((await delivery.deliver(editions(3n), { by: otherRelayer })).outcomes).toEqual([
      'delivered',
    ])
    expect((await delivery.deliver(editions(1n))).outcomes).toEqual(['failed'])
  })

  it('refills by the second, loses no fraction of a piece, and holds no more than its capacity', async () => {
    const delivery = await aContract(10n, 24n)
    await delivery.deliver(editions(10n))
    const start = await world.time()
    const deliverAt = async (timestamp: bigint, amount = 1n) => {
      await setNextTime(timestamp)
      return (await delivery.deliver(editions(amount))).outcomes[0]
    }
    expect(await deliverAt(start + HOUR - 1n)).toBe('failed')
    expect(await deliverAt(start + HOUR)).toBe('delivered')
    expect(await deliverAt(start + HOUR + 1n)).toBe('failed')
    // One and a half pieces have flowed back, and one is taken.
    expect(await deliverAt(start + 2n * HOUR + HOUR / 2n)).toBe('delivered')
    expect(await deliverAt(start + 3n * HOUR - 1n)).toBe('failed')
    expect(await deliverAt(start + 3n * HOUR)).toBe('delivered')
    expect(await deliverAt(start + 100n * HOUR, 11n)).toBe('failed')
    expect(await availableTo(delivery)).toBe(10n)
    expect(await deliverAt(start + 101n * HOUR, 10n)).toBe('delivered')
  })

  it('does not double at midnight', async () => {
    const delivery = await aContract(5n, 5n)
    const midnight = ((await world.time()) / DAY + 1n) * DAY
    await setNextTime(midnight - 1n)
    await delivery.deliver(editions(5n))
    for (const seconds of [0n, 1n, 17_278n]) {
      await setNextTime(midnight + seconds)
      expect((await delivery.deliver(editions(1n))).outcomes).toEqual(['failed'])
    }
    // A fifth of a day after the last piece was taken.
    await setNextTime(midnight + 17_279n)
    expect((await delivery.deliver(editions(1n, 1n))).outcomes).toEqual(['delivered', 'failed'])
  })

  it('is not charged for items that fail, are skipped or do not fit', async () => {
    const delivery = await aContract(10n)
    const [item] = editions(1n)
    if (!item) return
    await delivery.deliver([item])
    const { outcomes } = await delivery.deliver([
      item,
      world.anEdition({ from: otherHolder, amount: 8n }),
      world.anEdition({ token: stranger }),
      world.anEdition({ amount: 10n }),
      aCancel(item.key),
    ])
    expect(outcomes).toEqual(['skipped', 'failed', 'failed', 'failed', 'skipped'])
    expect(await availableTo(delivery)).toBe(9n)
  })

  it('is charged one piece for a cancel, whatever its amount', async () => {
    const delivery = await aContract(3n)
    const cancels = [aCancel(aKey()), { ...aCancel(aKey()), amount: 900_000n }]
    expect((await delivery.deliver(cancels)).outcomes).toEqual(['cancelled', 'cancelled'])
    expect(await availableTo(delivery)).toBe(1n)
    const { outcomes, results } = await delivery.deliver([aCancel(aKey()), aCancel(aKey())])
    expect(outcomes).toEqual(['cancelled', 'failed'])
    expect(results[1]?.reason).toBe(reasonOf('RelayerLimitReached'))
  })

  it('may be the largest number of 64 bits, and larger items do not fit', async () => {
    const most = 2n ** 64n - 1n
    const delivery = await aContract(most, most)
    const { outcomes, results } = await delivery.deliver(editions(2n ** 256n - 1n, most + 1n, most))
    expect(outcomes).toEqual(['failed', 'failed', 'failed'])
    const reason = reasonOf('RelayerLimitReached')
    expect(results.slice(0, 2)).toEqual(Array(2).fill({ outcome: 'failed', gasUsed: 0n, reason }))
    // It fits, but the holder does not have that many.
    expect(results[2]?.gasUsed).toBeGreaterThan(0n)
    expect(await availableTo(delivery)).toBe(most)
    await delivery.deliver(editions(1_000_000n))
    expect(await availableTo(delivery)).toBe(most - 1_000_000n)
    await world.wait(1n)
    expect(await availableTo(delivery)).toBe(most)
  })
})

describe('the limit of a token', () => {
  it('is set at once the first time, and bounds all relayers together', async () => {
    const delivery = await aContract(AMPLE)
    await setTokenLimit(delivery, world.edition.address, 5n)
    expect((await delivery.deliver(editions(3n))).outcomes).toEqual(['delivered'])
    const { outcomes, results } = await delivery.deliver([...editions(3n, 2n), world.aUnique()], {
      by: otherRelayer,
    })
    expect(outcomes).toEqual(['failed', 'delivered', 'delivered'])
    const reason = reasonOf('TokenLimitReached')
    expect(results[0]).toEqual({ outcome: 'failed', gasUsed: 0n, reason })
    expect((await delivery.deliver(editions(1n))).outcomes).toEqual(['failed'])
    expect(await delivery.read.tokenLimit([world.edition.address])).toEqual({
      isSet: true,
      capacity: 5n,
      perDay: 0n,
      available: 0n,
      nextCapacity: 0n,
      nextPerDay: 0n,
      nextAt: 0n,
    })
    expect((await delivery.read.tokenLimit([world.unique.address])).isSet).toBe(false)
  })

  it('is announced by an event', async () => {
    const delivery = await aContract(AMPLE)
    const { logs } = await setTokenLimit(delivery, world.edition.address, 5n, 2n)
    const [event] = parseEventLogs({ abi: deliveryAbi, eventName: 'TokenLimitSet', logs })
    expect(event?.args).toEqual({
      token: world.edition.address,
      capacity: 5n,
      perDay: 2n,
      effectiveAt: await world.time(),
    })
  })

  it('stops the token when it is 0', async () => {
    const delivery = await aContract(AMPLE)
    await setTokenLimit(delivery, world.edition.address, 0n)
    const { outcomes, results } = await delivery.deliver([...editions(1n), world.aUnique()])
    expect(outcomes).toEqual(['failed', 'delivered'])
    expect(results[0]?.reason).toBe(reasonOf('TokenLimitReached'))
  })

  it('charges nothing to the relayer for what does not fit', async () => {
    const delivery = await aContract(10n)
    await setTokenLimit(delivery, world.edition.address, 5n)
    expect((await delivery.deliver(editions(6n))).outcomes).toEqual(['failed'])
    expect(await availableTo(delivery)).toBe(10n)
  })

  it('is not charged for items that fail, are skipped or do not fit', async () => {
    const delivery = await aContract(10n)
    await setTokenLimit(delivery, world.edition.address, 9n)
    const [item] = editions(1n)
    if (!item) return
    await delivery.deliver([item])
    const failing = world.anEdition({ from: otherHolder, amount: 8n })
    const { outcomes } = await delivery.deliver([item, failing, ...editions(9n, 11n)])
    expect(outcomes).toEqual(['skipped', 'failed', 'failed', 'failed'])
    expect(await availableOf(delivery, world.edition.address)).toBe(8n)
    expect(await availableTo(delivery)).toBe(9n)
  })

  it('refills with time', async () => {
    const delivery = await aContract(AMPLE)
    await setTokenLimit(delivery, world.edition.address, 5n, 24n)
    await delivery.deliver(editions(5n))
    const start = await world.time()
    await setNextTime(start + 2n * HOUR - 1n)
    expect((await delivery.deliver(editions(2n))).outcomes).toEqual(['failed'])
    await setNextTime(start + 2n * HOUR)
    expect((await delivery.deliver(editions(2n))).outcomes).toEqual(['delivered'])
  })

  it('is raised after the delay, and lowered at once', async () => {
    const delivery = await aContract(AMPLE)
    const token = world.edition.address
    await setTokenLimit(delivery, token, 5n)
    await setTokenLimit(delivery, token, 7n)
    const announcedAt = await world.time()
    await setNextTime(announcedAt + 7_199n)
    expect((await delivery.deliver(editions(6n))).outcomes).toEqual(['failed'])
    await setNextTime(announcedAt + 7_200n)
    expect((await delivery.deliver(editions(6n))).outcomes).toEqual(['delivered'])
    await setTokenLimit(delivery, token, 6n)
    expect((await delivery.deliver(editions(1n))).outcomes).toEqual(['failed'])
  })
})

describe('a raise', () => {
  it('takes effect after the delay, without what is used by then', async () => {
    const delivery = await aContract(5n)
    const announcedAt = await setRelayer(delivery, 8n, 24n)
    const effectiveAt = announcedAt + 7_200n
    expect(await delivery.read.relayerLimit([relayer])).toEqual({
      isSet: true,
      capacity: 5n,
      perDay: 0n,
      available: 5n,
      nextCapacity: 8n,
      nextPerDay: 24n,
      nextAt: effectiveAt,
    })
    await delivery.deliver(editions(5n))
    await setNextTime(effectiveAt - 1n)
    expect((await delivery.deliver(editions(1n))).outcomes).toEqual(['failed'])
    await setNextTime(effectiveAt)
    expect((await delivery.deliver(editions(3n, 1n))).outcomes).toEqual(['delivered', 'failed'])
    expect(await delivery.read.relayerLimit([relayer])).toEqual({
      isSet: true,
      capacity: 8n,
      perDay: 24n,
      available: 0n,
      nextCapacity: 0n,
      nextPerDay: 0n,
      nextAt: 0n,
    })
    await setNextTime(effectiveAt + HOUR)
    expect((await delivery.deliver(editions(1n, 1n))).outcomes).toEqual(['delivered', 'failed'])
  })

  it('refills at the old rate before it, and at the new one after it, without a delivery', async () => {
    const delivery = await aContract(100n, 24n)
    await delivery.deliver(editions(100n))
    const start = await world.time()
    await setNextTime(start + HOUR)
    const announcedAt = await setRelayer(delivery, 100n, 240n)
    expect(announcedAt).toBe(start + HOUR)
    // 3 hours of 1 piece, then 1 hour of 10.
    await setNextTime(start + 4n * HOUR)
    await world.client.mine({ blocks: 1 })
    expect(await availableTo(delivery)).toBe(13n)
  })

  it('is dropped by a lower limit, which takes effect at once', async () => {
    const delivery = await aContract(5n)
    await setRelayer(delivery, 8n, 0n)
    await setRelayer(delivery, 3n, 0n)
    const lowered = {
      isSet: true,
      capacity: 3n,
      perDay: 0n,
      available: 3n,
      nextCapacity: 0n,
      nextPerDay: 0n,
      nextAt: 0n,
    }
    expect(await delivery.read.relayerLimit([relayer])).toEqual(lowered)
    await world.wait(7_200n)
    expect(await delivery.read.relayerLimit([relayer])).toEqual(lowered)
  })

  it('begins to wait anew when it is announced again', async () => {
    const delivery = await aContract(5n)
    const first = await setRelayer(delivery, 8n, 0n)
    await setNextTime(first + 7_199n)
    await setRelayer(delivery, 9n, 0n)
    await world.wait(7_199n)
    expect(await availableTo(delivery)).toBe(5n)
    await world.wait(1n)
    expect(await availableTo(delivery)).toBe(9n)
  })

  it.each([
    { next: [20n, 12n], now: [10n, 12n] },
    { next: [5n, 48n], now: [5n, 24n] },
  ] as const)('of one number and a lowering of the other: $next of 10 and 24', async (change) => {
    const { next, now } = change
    const delivery = await aContract(10n, 24n)
    const announcedAt = await setRelayer(delivery, next[0], next[1])
    expect(await delivery.read.relayerLimit([relayer])).toMatchObject({
      capacity: now[0],
      perDay: now[1],
      nextCapacity: next[0],
      nextPerDay: next[1],
      nextAt: announcedAt + 7_200n,
    })
    await world.wait(7_200n)
    expect(await delivery.read.relayerLimit([relayer])).toMatchObject({
      capacity: next[0],
      perDay: next[1],
      available: next[0],
      nextAt: 0n,
    })
  })

  it('needs no time when the delay is 0', async () => {
    const delivery = await world.deployDelivery({ delay: 0n, relayers: [] })
    await setRelayer(delivery, 8n, 0n)
    expect(await delivery.read.relayerLimit([relayer])).toMatchObject({ available: 8n, nextAt: 0n })
  })

  it('is reverted when the delay exceeds all times', async () => {
    const delivery = await world.deployDelivery({ delay: 2n ** 64n - 1n, relayers: [] })
    await expect(setRelayer(delivery, 8n, 0n)).rejects.toThrow('Panic')
  })
})

describe('a lower limit', () => {
  it('counts what was used before', async () => {
    const delivery = await aContract(10n)
    await delivery.deliver(editions(8n))
    await setRelayer(delivery, 9n, 0n)
    expect(await availableTo(delivery)).toBe(1n)
  })

  it('below what was used is empty, and refills from there', async () => {
    const delivery = await aContract(10n, 24n)
    await delivery.deliver(editions(8n))
    await setRelayer(delivery, 4n, 24n)
    expect(await availableTo(delivery)).toBe(0n)
    await world.wait(HOUR)
    expect(await availableTo(delivery)).toBe(1n)
  })
})
