import { type Address, type Hex, parseEventLogs, zeroAddress } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { holder, otherRelayer, owner, relayer, stranger } from './accounts.ts'
import { as, errorIn } from './chain.ts'
import { aMint, deliverData, type Item, reasonOf, transferOf } from './items.ts'
import { AMPLE, aWorld, type Delivery, type World } from './world.ts'

type Token = World['unique']

let world: World
let delivery: Delivery
/** An ERC-721 token with roles, which the contract may mint. */
let unique: Token
/** An ERC-721 token that the contract owns. */
let owned: Token
let snapshot: Hex

beforeAll(async () => {
  world = await aWorld({ uniques: 1 })
  delivery = world.delivery
  unique = await world.aMintable('MintableUnique')
  owned = await world.aMintable('OwnedUnique')
  for (const { address } of [unique, world.edition])
    await world.allowToMint(address, delivery.address)
  await world.mined(owned.write.transferOwnership([delivery.address], as(owner)))
  for (const { address } of [unique, owned, world.edition]) await setTokenLimit(address, 100n)
})

afterAll(() => world.stop())

beforeEach(async () => {
  snapshot = await world.client.snapshot()
})

afterEach(() => world.client.revert({ id: snapshot }))

const setTokenLimit = (token: Address, capacity: bigint, of = delivery) =>
  world.mined(of.write.setTokenLimit([token, capacity, 0n], as(owner)))

const aUniqueMint = (item: Partial<Item> = {}) =>
  aMint({ token: unique.address, tokenId: 7n, ...item })

const anEditionMint = (item: Partial<Item> = {}) =>
  aMint({ token: world.edition.address, tokenId: 42n, amount: 5n, ...item })

const availableOf = async (token: Address) => (await delivery.read.tokenLimit([token])).available

describe('a mint', () => {
  it('makes tokens of both standards', async () => {
    const items = [aUniqueMint(), anEditionMint()] as const
    const receipt = await delivery.deliver(items)
    expect(receipt.outcomes).toEqual(['delivered', 'delivered'])
    expect(receipt.transfers).toEqual(items.map(transferOf))
    expect(await unique.read.ownerOf([7n])).toBe(items[0].to)
    expect(await world.edition.read.balanceOf([items[1].to, 42n])).toBe(5n)
    expect(delivery.eventsIn(receipt)).toEqual([
      {
        eventName: 'Delivered',
        key: items[0].key,
        relayer,
        token: unique.address,
        from: zeroAddress,
        to: items[0].to,
        tokenId: 7n,
        amount: 0n,
      },
      {
        eventName: 'Delivered',
        key: items[1].key,
        relayer,
        token: world.edition.address,
        from: zeroAddress,
        to: items[1].to,
        tokenId: 42n,
        amount: 5n,
      },
    ])
  })

  it('makes tokens of a token contract that the contract owns', async () => {
    const item = aMint({ token: owned.address, tokenId: 3n })
    expect((await delivery.deliver([item])).outcomes).toEqual(['delivered'])
    expect(await owned.read.ownerOf([3n])).toBe(item.to)
  })

  it('is charged to the limits of the relayer and of the token, as a transfer is', async () => {
    await delivery.deliver([aUniqueMint(), anEditionMint(), world.anEdition({ amount: 2n })])
    expect(await availableOf(unique.address)).toBe(99n)
    expect(await availableOf(world.edition.address)).toBe(93n)
    const { available } = await delivery.read.relayerLimit([relayer])
    expect(available).toBe(AMPLE - 8n)
  })

  it('that exceeds the limit of its token fails alone', async () => {
    const { outcomes, results } = await delivery.deliver([
      anEditionMint({ amount: 101n }),
      anEditionMint({ amount: 100n }),
    ])
    expect(outcomes).toEqual(['failed', 'delivered'])
    expect(results[0]?.reason).toBe(reasonOf('TokenLimitReached'))
  })

  it('of a token without a limit fails with TokenLimitMissing, and charges nothing', async () => {
    const other = await world.aMintable('MintableUnique')
    await world.allowToMint(other.address, delivery.address)
    const item = aMint({ token: other.address, tokenId: 1n })
    const { outcomes, results } = await delivery.deliver([item, aUniqueMint()])
    expect(outcomes).toEqual(['failed', 'delivered'])
    expect(results[0]).toEqual({
      outcome: 'failed',
      gasUsed: 0n,
      reason: reasonOf('TokenLimitMissing'),
    })
    expect((await delivery.read.relayerLimit([relayer])).available).toBe(AMPLE - 1n)
    await setTokenLimit(other.address, 1n)
    expect((await delivery.deliver([item])).outcomes).toEqual(['delivered'])
  })

  it('that the token does not allow fails, and charges nothing', async () => {
    const other = await world.aMintable('OwnedUnique')
    await setTokenLimit(other.address, 10n)
    const item = aMint({ token: other.address, tokenId: 1n })
    const { results } = await delivery.deliver([item])
    expect(results[0]?.outcome).toBe('failed')
    expect(errorIn(results[0]?.reason ?? '0x')).toBe('Ownable: caller is not the owner')
    expect(await availableOf(other.address)).toBe(10n)
    expect((await delivery.read.recordOf([item.key])).blockNumber).toBe(0n)
  })

  it('of an id that exists fails, whatever its key', async () => {
    const { outcomes } = await delivery.deliver([aUniqueMint(), aUniqueMint()])
    expect(outcomes).toEqual(['delivered', 'failed'])
    expect(await availableOf(unique.address)).toBe(99n)
  })

  it('to a wallet that refuses it fails, and can be tried again', async () => {
    const refusing = await world.aRecipient('refuses')
    const items = [aUniqueMint({ to: refusing.address }), anEditionMint({ to: refusing.address })]
    expect((await delivery.deliver(items)).outcomes).toEqual(['failed', 'failed'])
    expect(await availableOf(unique.address)).toBe(100n)
    await world.mined(refusing.write.setAnswer([0], as(owner)))
    expect((await delivery.deliver(items)).outcomes).toEqual(['delivered', 'delivered'])
  })

  it('is made once per key, whichever relayer asks and for which content', async () => {
    const item = anEditionMint()
    const others = [
      item,
      { ...item, tokenId: 43n },
      aUniqueMint({ key: item.key }),
      world.anEdition({ key: item.key }),
    ]
    const { outcomes, transfers } = await delivery.deliver([item, ...others])
    expect(outcomes).toEqual(['delivered', 'skipped', 'skipped', 'skipped', 'skipped'])
    expect(transfers).toEqual([transferOf(item)])
    for (const by of [relayer, otherRelayer]) {
      const again = await delivery.deliver(others, { by })
      expect(again.outcomes).toEqual(['skipped', 'skipped', 'skipped', 'skipped'])
      expect(again.logs).toEqual([])
    }
    expect(await world.edition.read.balanceOf([item.to, 42n])).toBe(5n)
  })

  it('is made once per key through a chain of contracts', async () => {
    const [item, open] = [anEditionMint(), anEditionMint()]
    await delivery.deliver([item])
    let last = delivery
    for (const generation of [2n, 3n]) {
      await world.mined(last.write.retire(as(owner)))
      last = await world.deployDelivery({ predecessor: last.address })
      expect(await last.read.generation()).toBe(generation)
      await world.allowToMint(world.edition.address, last.address)
      await setTokenLimit(world.edition.address, 100n, last)
      expect((await last.deliver([item])).outcomes).toEqual(['skipped'])
    }
    const { outcomes, transfers } = await last.deliver([item, open])
    expect(outcomes).toEqual(['skipped', 'delivered'])
    expect(transfers).toEqual([transferOf(open)])
    expect(await world.edition.read.balanceOf([item.to, 42n])).toBe(5n)
  })

  it('is made once per key when its recipient is a relayer and asks for it again', async () => {
    const recipient = await world.aRecipient()
    await delivery.setRelayer(recipient.address, 100n)
    const item = anEditionMint({ to: recipient.address })
    await world.mined(recipient.write.addCall([delivery.address, deliverData([item])], as(owner)))
    const { outcomes } = await delivery.deliver([item], { gasPerItem: 3_000_000n })
    expect(outcomes).toEqual(['delivered'])
    expect(await recipient.read.succeeded()).toBe(1n)
    expect(await world.edition.read.balanceOf([recipient.address, 42n])).toBe(5n)
    expect((await delivery.read.relayerLimit([recipient.address])).available).toBe(100n)
  })
})

describe('handing a token contract over', () => {
  const handOver = (newOwner: Address, token: Address = owned.address) =>
    world.mined(delivery.write.handOver([token, newOwner], as(owner)))

  it('is announced first, and done by a second call after the delay', async () => {
    const { logs } = await handOver(stranger)
    const effectiveAt = (await world.time()) + 7_200n
    const [event] = parseEventLogs({ abi: deliveryAbi, eventName: 'HandOverAnnounced', logs })
    expect(event?.args).toEqual({ token: owned.address, newOwner: stranger, effectiveAt })
    expect(await delivery.read.handOvers([owned.address])).toEqual([stranger, effectiveAt])
    expect(await owned.read.owner()).toBe(delivery.address)
    await world.client.setNextBlockTimestamp({ timestamp: effectiveAt })
    await handOver(stranger)
    expect(await owned.read.owner()).toBe(stranger)
    expect(await delivery.read.handOvers([owned.address])).toEqual([zeroAddress, 0n])
    const { outcomes } = await delivery.deliver([aMint({ token: owned.address, tokenId: 1n })])
    expect(outcomes).toEqual(['failed'])
  })

  it('does not happen before the delay: a call before that begins to wait anew', async () => {
    await handOver(stranger)
    const announcedAt = await world.time()
    await world.client.setNextBlockTimestamp({ timestamp: announcedAt + 7_199n })
    await handOver(stranger)
    expect(await owned.read.owner()).toBe(delivery.address)
    await world.client.setNextBlockTimestamp({ timestamp: announcedAt + 7_200n })
    await handOver(stranger)
    expect(await owned.read.owner()).toBe(delivery.address)
  })

  it('happens only to the announced owner', async () => {
    await handOver(stranger)
    await world.wait(7_200n)
    await handOver(holder)
    expect(await owned.read.owner()).toBe(delivery.address)
    // The announcement of the first owner was replaced.
    await handOver(stranger)
    expect(await owned.read.owner()).toBe(delivery.address)
    await world.wait(7_200n)
    await handOver(stranger)
    expect(await owned.read.owner()).toBe(stranger)
  })

  it('is announced for no owner at all, too', async () => {
    await handOver(zeroAddress)
    expect(await delivery.read.handOvers([owned.address])).toEqual([
      zeroAddress,
      (await world.time()) + 7_200n,
    ])
    expect(await owned.read.owner()).toBe(delivery.address)
  })

  it('happens only to the announced token', async () => {
    const other = await world.aMintable('OwnedUnique')
    await world.mined(other.write.transferOwnership([delivery.address], as(owner)))
    await handOver(stranger)
    await world.wait(7_200n)
    await handOver(stranger, other.address)
    expect(await other.read.owner()).toBe(delivery.address)
  })

  it('is announced first without a delay, too', async () => {
    const last = await world.deployDelivery({ delay: 0n })
    const token = await world.aMintable('OwnedUnique')
    await world.mined(token.write.transferOwnership([last.address], as(owner)))
    const call = () => world.mined(last.write.handOver([token.address, stranger], as(owner)))
    await call()
    expect(await token.read.owner()).toBe(last.address)
    await call()
    expect(await token.read.owner()).toBe(stranger)
  })

  it('is possible after the contract was retired', async () => {
    await world.mined(delivery.write.retire(as(owner)))
    await handOver(stranger)
    await world.wait(7_200n)
    await handOver(stranger)
    expect(await owned.read.owner()).toBe(stranger)
  })

  it('does not give the contract itself away', async () => {
    await handOver(stranger, delivery.address)
    await world.wait(7_200n)
    await expect(handOver(stranger, delivery.address)).rejects.toThrow('caller is not the owner')
    expect(await delivery.read.owner()).toBe(owner)
  })
})
