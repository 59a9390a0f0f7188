import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { aWorld, type World } from './world.ts'

/** Where Arbitrum chains have ArbSys. */
const ARB_SYS = '0x0000000000000000000000000000000000000064'

let world: World

beforeAll(async () => {
  world = await aWorld({ uniques: 1 })
})

afterEach(() => world.client.setCode({ address: ARB_SYS, bytecode: '0x' }))

afterAll(() => world.stop())

/** How far the block numbers of a contract that is deployed now are from those of the chain. */
async function blockNumberOffset(): Promise<bigint> {
  const delivery = await world.deployDelivery()
  await world.approve(delivery.address)
  const item = world.anEdition()
  const { outcomes, blockNumber } = await delivery.deliver([item])
  expect(outcomes).toEqual(['delivered'])
  const [head, , [record]] = await delivery.read.records([[item.key]])
  expect(record?.blockNumber).toBe(head)
  return head - blockNumber
}

it('counts blocks as most chains do', async () => {
  expect(await blockNumberOffset()).toBe(0n)
})

it('counts blocks as Arbitrum does', async () => {
  await world.client.setCode({ address: ARB_SYS, bytecode: world.codeOf('ArbSys') })
  expect(await blockNumberOffset()).toBe(1_000_000n)
})

it.each([
  ['burns the gas it gets, as on BNB Smart Chain', '0xfe'],
  ['reverts', '0x60206000fd'],
  ['answers with less than a number', '0x60016000f3'],
] as const)('counts blocks as most chains do if the address of ArbSys %s', async (_, bytecode) => {
  await world.client.setCode({ address: ARB_SYS, bytecode })
  expect(await blockNumberOffset()).toBe(0n)
})
