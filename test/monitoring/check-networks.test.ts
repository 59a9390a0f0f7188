/** What the cron run sees of networks, and keeps of them. */
import { env } from 'cloudflare:workers'
import { getAddress } from 'viem'
import { beforeEach, expect, it } from 'vitest'
import { networks } from '../../src/db/schema/delivery.ts'
import { networkChecks } from '../../src/db/schema/operations.ts'
import { readSettings } from '../../src/env.ts'
import { checkNetworks } from '../../src/monitoring/watching/check-networks.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { type NetworkSettings, networksOf } from '../support/delivery/engine.ts'
import { anNft, aUser, db } from '../support/makers.ts'

const FIRST = new Date('2026-01-01T12:00:00.000Z')
const SECOND = new Date('2026-01-01T12:01:00.000Z')

beforeEach(async () => {
  for (const table of [networkChecks, networks]) await db.delete(table)
})

/** Runs a check, and returns what is stored of all networks. */
async function check(chains: readonly Chain[], now: Date, settings: NetworkSettings = {}) {
  const NETWORKS = networksOf(chains, settings)
  await checkNetworks(db, readSettings({ ...env, NETWORKS } as never), now)
  return db.select().from(networkChecks).orderBy(networkChecks.chainId)
}

const broken = { http: 'drop', reach: 'all' } as const

it('stores block, gas price, contract and signers, and asks as little as that takes', async () => {
  const chain = await aChain()
  await chain.rpc('anvil_setBalance', chain.signer, '0xde0b6b3a7640000')
  await chain.rpc('anvil_setNextBlockBaseFeePerGas', '0x3b9aca00')
  await chain.mine()
  await chain.takeCounts()
  const block = Object(await chain.rpc('eth_getBlockByNumber', 'latest', false))
  const [stored] = await check([chain], FIRST)
  expect(stored).toEqual({
    chainId: chain.chainId,
    checkedAt: FIRST.toISOString(),
    problem: null,
    headNumber: Number(block.number),
    headAt: new Date(Number(block.timestamp) * 1000).toISOString(),
    gasPrice: '2000000000',
    isPaused: false,
    isRetired: false,
    // One ETH, and each delivery may use 300,000 gas.
    signers: [
      {
        address: chain.signer,
        balance: '1000000000000000000',
        deliveries: 1666,
        limit: expect.anything(),
      },
    ],
    nodes: [
      {
        ...{ problem: null, problemSince: null, behind: null },
        lag: { head: null, finalBlock: null },
        state: expect.anything(),
      },
    ],
    tokensTo: null,
  })
  expect(await chain.takeCounts()).toEqual({
    requests: 5,
    calls: {
      eth_chainId: 1,
      eth_getBlockByNumber: 1,
      eth_maxPriorityFeePerGas: 1,
      // Paused, retired, owner, next owner, list of relayers, two limits, and an empty delivery.
      eth_call: 8,
      eth_getTransactionCount: 2,
      eth_getCode: 2,
      eth_getBalance: 1,
    },
  })
})

it('keeps what was seen last while no node answers, and the time when one did', async () => {
  const chain = await aChain()
  const [seen] = await check([chain], FIRST)
  await chain.setFaults({ effect: broken })
  expect(await check([chain], SECOND)).toEqual([{ ...seen, problem: 'the node cannot be reached' }])
  await chain.setFaults()
  const { nodes: _, ...shown } = seen ?? {}
  const checkedAt = SECOND.toISOString()
  expect(await check([chain], SECOND)).toMatchObject([{ ...shown, checkedAt }])
})

it('says if a node has another chain, or the contract does not answer', async () => {
  const chain = await aChain()
  const wrong = { chainId: 5 }
  expect(await check([chain], FIRST, wrong)).toMatchObject([
    { chainId: 5, problem: `the node has chain id ${chain.chainId} instead of 5` },
  ])
  const delivery = '0x000000000000000000000000000000000000dEaD'
  const [stored] = (await check([chain], FIRST, { delivery })).slice(-1)
  expect(stored?.problem).toBe(`the Delivery contract ${delivery} does not answer`)
})

it('stores the largest number of pieces that an order may have', async () => {
  const chain = await aChain()
  const maxPieces = async () => (await db.select().from(networks))[0]?.maxPieces
  await chain.asOwner('setRelayer', chain.signer, 700n, 1n)
  await check([chain], FIRST)
  expect(await maxPieces()).toBe(700)
  await chain.setFaults({ effect: broken })
  await check([chain], SECOND)
  expect(await maxPieces()).toBe(700)
  await chain.setFaults()
  await chain.asOwner('setRelayer', chain.signer, 0n, 0n)
  await check([chain], SECOND)
  expect(await maxPieces()).toBeNull()
})

it('reads the token contracts of the catalogue in turn, 25 in a check', async () => {
  const chain = await aChain()
  const seller = await aUser()
  for (let i = 0; i < 60; i++)
    await anNft(seller, {
      contractNetwork: chain.name,
      contractAddr: getAddress(`0x${`${i + 100}`.padStart(40, '0')}`),
    })
  const read = new Set<string>()
  const counts: number[] = []
  for (let minute = 0; minute < 3; minute++) {
    const [stored] = await check([chain], new Date(FIRST.getTime() + minute * 60_000))
    for (const name of Object.keys(stored?.nodes[0]?.state?.tokens ?? {}))
      if (name.startsWith('The limit')) read.add(name)
    counts.push(read.size)
  }
  expect(counts).toEqual([25, 50, 60])
})
