import { type Address, encodeFunctionData, type Hex, parseAbi, size } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { holder, otherRelayer, owner, stranger } from './accounts.ts'
import { as, errorIn } from './chain.ts'
import type { Answer } from './fixtures.ts'
import { aMint, deliverData, GAS_PER_ITEM, type Item, transferOf } from './items.ts'
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

/** More gas than an item takes besides the call of its token. */
const AROUND_CALL = 35_000n

/** More gas than a call of `deliver` takes besides its items. */
const AROUND_ITEMS = 60_000n

/** Puts a hostile item between honest ones, and checks that these are delivered and it is bounded. */
async function deliverAmongHonest(hostile: Item) {
  const honest = [world.anEdition(), world.aUnique(), world.anEdition(), world.aUnique()]
  const [first, second, ...rest] = honest
  if (!first || !second) throw new Error('unreachable')
  const receipt = await delivery.deliver([first, second, hostile, ...rest])
  const [, , result] = receipt.results
  if (!result) throw new Error('the item has no result')
  expect(receipt.outcomes.filter((_, i) => i !== 2)).toEqual(honest.map(() => 'delivered'))
  expect(receipt.transfers).toEqual(expect.arrayContaining(honest.map(transferOf)))
  expect(result.gasUsed).toBeLessThan(GAS_PER_ITEM + 3_000n)
  expect(size(result.reason)).toBeLessThanOrEqual(256)
  const used = (await delivery.read.recordOf([hostile.key])).blockNumber > 0n
  expect(used).toBe(result.outcome === 'delivered')
  const gasOfHonest = receipt.results.reduce(
    (sum, { gasUsed }, i) => (i === 2 ? sum : sum + gasUsed),
    0n,
  )
  expect(receipt.gasUsed - gasOfHonest - result.gasUsed).toBeLessThan(
    5n * AROUND_CALL + AROUND_ITEMS,
  )
  return { ...receipt, result }
}

describe.each(['aUnique', 'anEdition'] as const)('a recipient of %s', (kind) => {
  it.each<[Answer, string]>([
    ['accepts', 'delivered'],
    ['refuses', 'failed'],
    ['burns all gas', 'failed'],
    ['reverts with 100 KB', 'failed'],
    ['returns 100 KB', 'failed'],
    ['burns gas unless the gas price is 0', 'failed'],
  ])('that %s: is %s, and the others are delivered', async (answer, outcome) => {
    const { address: to } = await world.aRecipient(answer)
    const item = world[kind]({ to })
    const { result, transfers } = await deliverAmongHonest(item)
    expect(result.outcome).toBe(outcome)
    expect(transfers).toHaveLength(outcome === 'delivered' ? 5 : 4)
  })
})

it('is cheap in a call without a gas price and not on the chain, for such a recipient', async () => {
  const { address: to } = await world.aRecipient('burns gas unless the gas price is 0')
  const item = world.anEdition({ to })
  expect(await delivery.simulate([item])).toEqual(['delivered'])
  expect(await delivery.simulate([item], { gasPrice: 10n ** 9n })).toEqual(['failed'])
})

describe('a malicious token', () => {
  it.each<[Answer, string]>([
    ['accepts', 'delivered'],
    ['refuses', 'failed'],
    ['burns all gas', 'failed'],
    ['reverts with 100 KB', 'failed'],
    ['returns 100 KB', 'delivered'],
    ['burns gas unless the gas price is 0', 'failed'],
  ])('that %s: is %s, and moves nothing of others', async (answer, outcome) => {
    const { address: token } = await world.aMaliciousToken(answer)
    await world.mined(delivery.write.setTokenLimit([token, 10n, 0n], as(owner)))
    const transfers = [world.anEdition({ token }), world.aUnique({ token })]
    const mints = [aMint({ token, tokenId: 1n, amount: 2n }), aMint({ token, tokenId: 1n })]
    for (const item of [...transfers, ...mints]) {
      const { result, ...receipt } = await deliverAmongHonest(item)
      expect(result.outcome).toBe(outcome)
      expect(receipt.transfers).toHaveLength(4)
    }
    // Only what counts as delivered is charged.
    const { available } = await delivery.read.tokenLimit([token])
    expect(available).toBe(outcome === 'delivered' ? 5n : 10n)
  })

  it('may lie: what it says counts as delivered', async () => {
    const lying = await world.aMaliciousToken()
    await world.mined(lying.write.setLies([true], as(owner)))
    const { result, transfers, logs } = await deliverAmongHonest(
      world.aUnique({ token: lying.address }),
    )
    expect(result.outcome).toBe('delivered')
    expect(transfers).toHaveLength(4)
    expect(logs.filter(({ address }) => address === lying.address.toLowerCase())).toHaveLength(1)
  })

  it('may be no token at all, and accept every call', async () => {
    const token = await world.deployFixture('AcceptsEverything')
    const { result, transfers } = await deliverAmongHonest(world.anEdition({ token }))
    expect(result.outcome).toBe('delivered')
    expect(transfers).toHaveLength(4)
  })

  it.each<[Answer, number]>([
    ['refuses', 100],
    ['reverts with 100 KB', 256],
  ])('that %s: the first 256 bytes of its reason are told', async (answer, bytes) => {
    const { address: token } = await world.aMaliciousToken(answer)
    const item = world.anEdition({ token })
    const { results, ...receipt } = await delivery.deliver([item])
    const [result] = results
    if (!result) throw new Error('the item has no result')
    const { gasUsed, reason } = result
    expect(size(reason)).toBe(bytes)
    if (answer === 'refuses') expect(errorIn(reason)).toBe('refused')
    expect(delivery.eventsIn(receipt)).toEqual([
      { eventName: 'DeliveryFailed', key: item.key, gasUsed, reason },
    ])
  })
})

describe('reentering', () => {
  /** Room for a batch within an item. */
  const options = { gasPerItem: 3_000_000n }

  it('through a recipient that is a relayer delivers each key once', async () => {
    const recipient = await world.aRecipient()
    await setRelayer(recipient.address, 100)
    const [own, later, extra] = [
      world.anEdition({ to: recipient.address }),
      world.aUnique(),
      world.anEdition(),
    ]
    const inner = deliverData([own, later, extra])
    await world.mined(recipient.write.addCall([delivery.address, inner], as(owner)))
    const { outcomes, transfers } = await delivery.deliver([own, later], options)
    expect(outcomes).toEqual(['delivered', 'skipped'])
    expect(await recipient.read.succeeded()).toBe(1n)
    expect(transfers).toHaveLength(3)
    expect(transfers).toEqual(expect.arrayContaining([own, later, extra].map(transferOf)))
  })

  it('and failing afterwards undoes what was delivered within', async () => {
    const recipient = await world.aRecipient('refuses')
    await setRelayer(recipient.address, 100)
    const [own, later, extra] = [
      world.anEdition({ to: recipient.address }),
      world.aUnique(),
      world.anEdition(),
    ]
    await world.mined(
      recipient.write.addCall([delivery.address, deliverData([own, later, extra])], as(owner)),
    )
    const { outcomes, transfers } = await delivery.deliver([own, later], options)
    expect(outcomes).toEqual(['failed', 'delivered'])
    expect(transfers).toEqual([transferOf(later)])
    const [, , found] = await delivery.read.records([[own.key, later.key, extra.key]])
    expect(found.map(({ blockNumber }) => blockNumber > 0n)).toEqual([false, true, false])
  })

  it('through a recipient that is no relayer delivers nothing', async () => {
    const recipient = await world.aRecipient()
    const [own, extra] = [world.anEdition({ to: recipient.address }), world.anEdition()]
    await world.mined(
      recipient.write.addCall([delivery.address, deliverData([own, extra])], as(owner)),
    )
    const { outcomes, transfers } = await delivery.deliver([own], options)
    expect(outcomes).toEqual(['delivered'])
    expect(await recipient.read.succeeded()).toBe(0n)
    expect(transfers).toEqual([transferOf(own)])
  })

  it('through a token and a colluding relayer delivers each key once', async () => {
    const colluding = await world.aRecipient()
    await setRelayer(colluding.address, 100)
    const token = await world.aMaliciousToken()
    const [bait, later] = [world.anEdition({ token: token.address }), world.aUnique()]
    const inner = encodeFunctionData({
      abi: runAbi,
      args: [delivery.address, deliverData([bait, later, bait])],
    })
    await world.mined(token.write.addCall([colluding.address, inner], as(owner)))
    const { outcomes, transfers } = await delivery.deliver([bait, later], options)
    expect(outcomes).toEqual(['delivered', 'skipped'])
    expect(await token.read.succeeded()).toBe(1n)
    expect(transfers).toEqual([transferOf(later)])
  })

  it('the token moves nothing more: a recipient cannot use the approval', async () => {
    const recipient = await world.aRecipient()
    const to = recipient.address
    const steal = encodeFunctionData({
      abi: parseAbi(['function safeTransferFrom(address, address, uint256, uint256, bytes)']),
      args: [holder, to, 1n, 1000n, '0x'],
    })
    await world.mined(recipient.write.addCall([world.edition.address, steal], as(owner)))
    const item = world.anEdition({ to })
    const { outcomes, transfers } = await delivery.deliver([item], options)
    expect(outcomes).toEqual(['delivered'])
    expect(await recipient.read.succeeded()).toBe(0n)
    expect(transfers).toEqual([transferOf(item)])
  })

  it('is charged, and cannot get around the limit', async () => {
    const recipient = await world.aRecipient()
    await setRelayer(recipient.address, 2)
    const [own, second, third] = [
      world.anEdition({ to: recipient.address }),
      world.anEdition(),
      world.anEdition(),
    ]
    const inner = deliverData([second, third])
    await world.mined(recipient.write.addCall([delivery.address, inner], as(owner)))
    const receipt = await world.mined(
      recipient.write.run([delivery.address, deliverData([own], options)], as(stranger)),
    )
    expect(await recipient.read.succeeded()).toBe(1n)
    const transfers = world.transfersIn(receipt.logs)
    expect(transfers).toHaveLength(2)
    expect(transfers).toEqual(expect.arrayContaining([own, second].map(transferOf)))
    const { available } = await delivery.read.relayerLimit([recipient.address])
    expect(available).toBe(0n)
  })

  it('is charged to the relayer that reenters, and not to the one that called', async () => {
    const recipient = await world.aRecipient()
    await setRelayer(recipient.address, 10)
    await setRelayer(otherRelayer, 10)
    const inner = deliverData([world.anEdition({ amount: 3n }), world.anEdition()])
    await world.mined(recipient.write.addCall([delivery.address, inner], as(owner)))
    const own = world.anEdition({ to: recipient.address, amount: 2n })
    await delivery.deliver([own], { ...options, by: otherRelayer })
    expect(await recipient.read.succeeded()).toBe(1n)
    expect((await delivery.read.relayerLimit([recipient.address])).available).toBe(6n)
    expect((await delivery.read.relayerLimit([otherRelayer])).available).toBe(8n)
  })

  it('and failing afterwards gives back what was charged within', async () => {
    const recipient = await world.aRecipient('refuses')
    await setRelayer(recipient.address, 10)
    await world.mined(
      recipient.write.addCall([delivery.address, deliverData([world.anEdition()])], as(owner)),
    )
    const { outcomes } = await delivery.deliver(
      [world.anEdition({ to: recipient.address })],
      options,
    )
    expect(outcomes).toEqual(['failed'])
    expect((await delivery.read.relayerLimit([recipient.address])).available).toBe(10n)
  })

  it('lets a relayer pause in the middle of a batch, whose rest is not reached', async () => {
    const recipient = await world.aRecipient()
    await setRelayer(recipient.address, 1)
    await world.mined(recipient.write.addCall([delivery.address, dataOf('pause')], as(owner)))
    const items = [world.anEdition({ to: recipient.address }), world.anEdition()]
    const { outcomes } = await delivery.deliver(items, { minimum: 1 })
    expect(outcomes).toEqual(['delivered', 'notReached'])
    await expect(delivery.deliver([world.anEdition()])).rejects.toThrow('paused')
  })

  it('lets an owner retire the contract in the middle of a batch, whose rest is not reached', async () => {
    const recipient = await world.aRecipient()
    await world.mined(delivery.write.transferOwnership([recipient.address], as(owner)))
    for (const name of ['acceptOwnership', 'retire'] as const)
      await world.mined(recipient.write.addCall([delivery.address, dataOf(name)], as(owner)))
    const [first, second, third] = [
      world.anEdition(),
      world.anEdition({ to: recipient.address }),
      world.anEdition(),
    ]
    const { outcomes, transfers } = await delivery.deliver([first, second, third], { minimum: 2 })
    expect(outcomes).toEqual(['delivered', 'delivered', 'notReached'])
    expect(transfers).toEqual([first, second].map(transferOf))
    expect(await delivery.read.retired()).toBe(true)
    const [, , [, , record]] = await delivery.read.records([[first.key, second.key, third.key]])
    expect(record?.blockNumber).toBe(0n)
  })
})

it('a recipient cannot pause with the rights of the relayer that called', async () => {
  const recipient = await world.aRecipient()
  await world.mined(recipient.write.addCall([delivery.address, dataOf('pause')], as(owner)))
  const { outcomes } = await delivery.deliver([world.anEdition({ to: recipient.address })])
  expect(outcomes).toEqual(['delivered'])
  expect(await recipient.read.succeeded()).toBe(0n)
  expect(await delivery.read.paused()).toBe(false)
})

const dataOf = (functionName: 'pause' | 'retire' | 'acceptOwnership') =>
  encodeFunctionData({ abi: deliveryAbi, functionName })

const runAbi = parseAbi(['function run(address target, bytes data)'])

const setRelayer = (account: Address, capacity: number) =>
  delivery.setRelayer(account, BigInt(capacity))
