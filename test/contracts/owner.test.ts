import { type Hex, parseEventLogs, zeroAddress } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { guardian, otherRelayer, owner, relayer, stranger } from './accounts.ts'
import { as } from './chain.ts'
import { aWorld, type Delivery, type World } from './world.ts'

let world: World
let delivery: Delivery
let snapshot: Hex

beforeAll(async () => {
  world = await aWorld({ uniques: 2 })
  delivery = world.delivery
})

afterAll(() => world.stop())

beforeEach(async () => {
  snapshot = await world.client.snapshot()
})

afterEach(() => world.client.revert({ id: snapshot }))

const pause = (account: typeof owner) => world.mined(delivery.write.pause(as(account)))

describe('ownership', () => {
  it('is the deployer’s', async () => {
    expect(await delivery.read.owner()).toBe(owner)
  })

  it('cannot be given up', async () => {
    for (const account of [owner, stranger])
      await expect(delivery.read.renounceOwnership({ account })).rejects.toThrow('OwnerRequired')
  })

  it('passes on only when the new owner accepts it', async () => {
    await world.mined(delivery.write.transferOwnership([stranger], as(owner)))
    expect(await delivery.read.owner()).toBe(owner)
    await expect(world.mined(delivery.write.acceptOwnership(as(relayer)))).rejects.toThrow(
      'caller is not the new owner',
    )
    await world.mined(delivery.write.acceptOwnership(as(stranger)))
    expect(await delivery.read.owner()).toBe(stranger)
    await expect(world.mined(delivery.write.unpause(as(owner)))).rejects.toThrow('not the owner')
    await expect(world.mined(delivery.write.retire(as(owner)))).rejects.toThrow('NotGuardian')
  })

  it('is needed to set limits, to hand tokens over, to unpause and to pass it on', async () => {
    await pause(owner)
    for (const account of [relayer, guardian, stranger]) {
      for (const refused of [
        () => delivery.write.setRelayer([account, 1n, 1n], as(account)),
        () => delivery.write.setTokenLimit([world.edition.address, 1n, 1n], as(account)),
        () => delivery.write.handOver([world.edition.address, account], as(account)),
        () => delivery.write.unpause(as(account)),
        () => delivery.write.transferOwnership([account], as(account)),
      ])
        await expect(world.mined(refused())).rejects.toThrow('caller is not the owner')
    }
  })

  it('does not include delivering', async () => {
    await expect(delivery.deliver([world.anEdition()], { by: owner })).rejects.toThrow('NotRelayer')
  })
})

describe('the guardian', () => {
  it('may pause', async () => {
    await pause(guardian)
    expect(await delivery.read.paused()).toBe(true)
  })

  it('may retire the contract', async () => {
    await world.mined(delivery.write.retire(as(guardian)))
    expect(await delivery.read.retired()).toBe(true)
    await expect(delivery.deliver([world.anEdition()])).rejects.toThrow('paused')
  })

  it('may not deliver, nor accept the ownership that another was offered', async () => {
    await expect(delivery.deliver([world.anEdition()], { by: guardian })).rejects.toThrow(
      'NotRelayer',
    )
    await world.mined(delivery.write.transferOwnership([stranger], as(owner)))
    await expect(world.mined(delivery.write.acceptOwnership(as(guardian)))).rejects.toThrow(
      'caller is not the new owner',
    )
  })

  it('is named by the contract for as long as it exists', async () => {
    expect(await delivery.read.guardian()).toBe(guardian)
  })
})

describe('relayers', () => {
  it('of the constructor deliver at once, and others are added after the delay', async () => {
    const deliverOne = () => delivery.deliver([world.anEdition()], { by: stranger })
    expect((await delivery.deliver([world.anEdition()])).outcomes).toEqual(['delivered'])
    await expect(deliverOne()).rejects.toThrow('NotRelayer')
    const { blockNumber } = await world.mined(
      delivery.write.setRelayer([stranger, 5n, 5n], as(owner)),
    )
    const { timestamp } = await world.client.getBlock({ blockNumber })
    await world.client.setNextBlockTimestamp({ timestamp: timestamp + 7_199n })
    await expect(deliverOne()).rejects.toThrow('NotRelayer')
    await world.client.setNextBlockTimestamp({ timestamp: timestamp + 7_200n })
    expect((await deliverOne()).outcomes).toEqual(['delivered'])
  })

  it('are removed at once', async () => {
    await world.mined(delivery.write.setRelayer([relayer, 0n, 0n], as(owner)))
    await expect(delivery.deliver([world.anEdition()])).rejects.toThrow('NotRelayer')
    await world.mined(delivery.write.setRelayer([relayer, 5n, 5n], as(owner)))
    await expect(delivery.deliver([world.anEdition()])).rejects.toThrow('NotRelayer')
    await world.wait(7_200n)
    expect((await delivery.deliver([world.anEdition()])).outcomes).toEqual(['delivered'])
  })

  it('are listed once each, the removed ones too', async () => {
    for (const capacity of [5n, 0n, 7n, 0n])
      await world.mined(delivery.write.setRelayer([stranger, capacity, 1n], as(owner)))
    expect(await delivery.read.relayerList()).toEqual([relayer, otherRelayer, stranger])
    expect(await delivery.read.relayerLimit([stranger])).toMatchObject({
      isSet: true,
      capacity: 0n,
      available: 0n,
    })
    expect(await delivery.read.relayerLimit([relayer])).toEqual({
      isSet: true,
      capacity: 1_000_000_000n,
      perDay: 1_000_000_000n,
      available: 1_000_000_000n,
      nextCapacity: 0n,
      nextPerDay: 0n,
      nextAt: 0n,
    })
  })

  it('are announced by events, with the time from which on they may deliver', async () => {
    const { logs } = await world.mined(delivery.write.setRelayer([stranger, 5n, 3n], as(owner)))
    const now = await world.time()
    const [event] = parseEventLogs({ abi: deliveryAbi, eventName: 'RelayerSet', logs })
    expect(event?.args).toEqual({
      relayer: stranger,
      capacity: 5n,
      perDay: 3n,
      effectiveAt: now + 7_200n,
    })
  })
})

describe('pause', () => {
  it.each([
    ['the owner', owner],
    ['a relayer', relayer],
    ['another relayer', otherRelayer],
  ])('is possible for %s, and stops deliveries', async (_, account) => {
    await pause(account)
    expect(await delivery.read.paused()).toBe(true)
    for (const by of [relayer, otherRelayer])
      await expect(delivery.deliver([world.anEdition()], { by })).rejects.toThrow('paused')
  })

  it('is not possible for a relayer that is announced only', async () => {
    await world.mined(delivery.write.setRelayer([stranger, 5n, 5n], as(owner)))
    await expect(pause(stranger)).rejects.toThrow('NotRelayer')
  })

  it('is not possible for others, nor for a relayer that was removed', async () => {
    await expect(pause(stranger)).rejects.toThrow('NotRelayer')
    await world.mined(delivery.write.setRelayer([relayer, 0n, 0n], as(owner)))
    await expect(pause(relayer)).rejects.toThrow('NotRelayer')
  })

  it('ends when the owner says so', async () => {
    await pause(relayer)
    await world.mined(delivery.write.unpause(as(owner)))
    expect((await delivery.deliver([world.anEdition()])).outcomes).toEqual(['delivered'])
  })

  it('does not stop records from being read', async () => {
    const item = world.anEdition()
    const { blockNumber } = await delivery.deliver([item])
    await pause(relayer)
    expect(await delivery.read.recordOf([item.key])).toMatchObject({ blockNumber })
  })
})

describe('retirement', () => {
  it('is not possible for relayers and strangers', async () => {
    for (const account of [relayer, stranger])
      await expect(world.mined(delivery.write.retire(as(account)))).rejects.toThrow('NotGuardian')
  })

  it.each([
    ['running', async () => {}],
    ['paused', () => pause(relayer)],
  ])('of a %s contract is permanent', async (_, prepare) => {
    await prepare()
    const { logs } = await world.mined(delivery.write.retire(as(owner)))
    expect(parseEventLogs({ abi: deliveryAbi, logs, eventName: 'Retired' })).toHaveLength(1)
    expect(await delivery.read.retired()).toBe(true)
    await expect(delivery.deliver([world.anEdition()])).rejects.toThrow('paused')
    await expect(world.mined(delivery.write.unpause(as(owner)))).rejects.toThrow('AlreadyRetired')
    await expect(world.mined(delivery.write.retire(as(owner)))).rejects.toThrow('AlreadyRetired')
  })
})

describe('a successor', () => {
  it('cannot be deployed while the contract can still deliver', async () => {
    await expect(world.deployDelivery({ predecessor: delivery.address })).rejects.toThrow(
      'PredecessorNotRetired',
    )
    await pause(owner)
    await expect(world.deployDelivery({ predecessor: delivery.address })).rejects.toThrow(
      'PredecessorNotRetired',
    )
  })

  it('delivers no key that an earlier contract has used, and knows its record', async () => {
    const [delivered, cancelled, open] = [world.anEdition(), world.anEdition(), world.anEdition()]
    await delivery.deliver([delivered, { ...cancelled, token: zeroAddress }])
    await world.mined(delivery.write.retire(as(owner)))
    const second = await world.deployDelivery({ predecessor: delivery.address })
    await world.mined(second.write.retire(as(owner)))
    const third = await world.deployDelivery({ predecessor: second.address })
    await world.approve(third.address)

    const { outcomes, transfers } = await third.deliver([delivered, cancelled, open])
    expect(outcomes).toEqual(['skipped', 'skipped', 'delivered'])
    expect(transfers).toHaveLength(1)
    const keys = [delivered.key, cancelled.key]
    const [, , found] = await third.read.records([keys])
    expect(found).toEqual((await delivery.read.records([keys]))[2])
    expect(await third.read.recordOf([delivered.key])).toEqual(found[0])
  })

  it('is the fifth contract at most: a sixth is refused', async () => {
    let last = delivery
    for (const generation of [2n, 3n, 4n, 5n]) {
      await world.mined(last.write.retire(as(owner)))
      last = await world.deployDelivery({ predecessor: last.address })
      expect(await last.read.generation()).toBe(generation)
    }
    await world.mined(last.write.retire(as(owner)))
    await expect(world.deployDelivery({ predecessor: last.address })).rejects.toThrow(
      'TooManyPredecessors',
    )
  })
})
