import { type Hex, parseEventLogs, zeroAddress } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { otherRelayer, owner, relayer, stranger } from './accounts.ts'
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
    await expect(world.mined(delivery.write.retire(as(owner)))).rejects.toThrow('not the owner')
  })

  it('is needed to set relayers, to unpause, to retire and to pass it on', async () => {
    await pause(owner)
    for (const account of [relayer, stranger]) {
      for (const refused of [
        () => delivery.write.setRelayer([account, 1], as(account)),
        () => delivery.write.unpause(as(account)),
        () => delivery.write.retire(as(account)),
        () => delivery.write.transferOwnership([account], as(account)),
      ])
        await expect(world.mined(refused())).rejects.toThrow('caller is not the owner')
    }
  })

  it('does not include delivering', async () => {
    await expect(delivery.deliver([world.anEdition()], { by: owner })).rejects.toThrow('NotRelayer')
  })
})

describe('relayers', () => {
  it('are those that the owner set, until removed', async () => {
    const deliverOne = () => delivery.deliver([world.anEdition()], { by: stranger })
    await expect(deliverOne()).rejects.toThrow('NotRelayer')
    await world.mined(delivery.write.setRelayer([stranger, 5], as(owner)))
    expect((await deliverOne()).outcomes).toEqual(['delivered'])
    await world.mined(delivery.write.setRelayer([stranger, 0], as(owner)))
    await expect(deliverOne()).rejects.toThrow('NotRelayer')
  })

  it('are listed once each, the removed ones too', async () => {
    for (const perDay of [5, 0, 7, 0])
      await world.mined(delivery.write.setRelayer([stranger, perDay], as(owner)))
    expect(await delivery.read.relayerList()).toEqual([relayer, otherRelayer, stranger])
    expect(await delivery.read.relayers([stranger])).toEqual([0, 0, 0, true])
    expect(await delivery.read.relayers([relayer])).toEqual([100_000, 0, 0, true])
  })

  it('are announced by events', async () => {
    await world.mined(delivery.write.setRelayer([stranger, 5], as(owner)))
    const events = await world.client.getContractEvents({
      address: delivery.address,
      abi: deliveryAbi,
      eventName: 'RelayerSet',
    })
    expect(events.map(({ args }) => args)).toEqual([{ relayer: stranger, perDay: 5 }])
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

  it('is not possible for others, nor for a relayer that was removed', async () => {
    await expect(pause(stranger)).rejects.toThrow('NotRelayer')
    await world.mined(delivery.write.setRelayer([relayer, 0], as(owner)))
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
    await expect(world.deployDelivery(delivery.address)).rejects.toThrow('PredecessorNotRetired')
    await pause(owner)
    await expect(world.deployDelivery(delivery.address)).rejects.toThrow('PredecessorNotRetired')
  })

  it('delivers no key that an earlier contract has used, and knows its record', async () => {
    const [delivered, cancelled, open] = [world.anEdition(), world.anEdition(), world.anEdition()]
    await delivery.deliver([delivered, { ...cancelled, token: zeroAddress }])
    await world.mined(delivery.write.retire(as(owner)))
    const second = await world.deployDelivery(delivery.address)
    await world.mined(second.write.retire(as(owner)))
    const third = await world.deployDelivery(second.address)
    await world.mined(third.write.setRelayer([relayer, 10], as(owner)))
    await world.approve(third.address)

    const { outcomes, transfers } = await third.deliver([delivered, cancelled, open])
    expect(outcomes).toEqual(['skipped', 'skipped', 'delivered'])
    expect(transfers).toHaveLength(1)
    const keys = [delivered.key, cancelled.key]
    const [, , found] = await third.read.records([keys])
    expect(found).toEqual((await delivery.read.records([keys]))[2])
    expect(await third.read.recordOf([delivered.key])).toEqual(found[0])
  })
})
