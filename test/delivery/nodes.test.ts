/** Nodes that fail, lag, lie or limit calls: nothing is lost, nothing comes twice. */
import { getAddress } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import { encodeDeliver, encodeRecords } from '../../src/ethereum/contract.ts'
import { firstCases, inLong } from '../support/cases.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { type Effect, nonceTooLow } from '../support/chain/faults.ts'
import { watchRequests } from '../support/chain/fetch.ts'
import { pass, startClock } from '../support/delivery/clock.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import {
  anEngine,
  type NetworkSettings,
  rowOf,
  transactionsOf,
} from '../support/delivery/engine.ts'
import { aPaidItem, paidItems } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'

const logged = recordLogs()

const MINUTE = 60
const HOUR = 60 * MINUTE
const edition = { standard: 'erc1155' } as const

/** An engine whose nodes have these names in faults. They are all the node of the chain. */
const engineWith = (chain: Chain, nodes: readonly string[], settings: NetworkSettings = {}) =>
  anEngine(chain, { rpcUrls: nodes.map((name) => `${chain.proxyUrl}/${name}`), ...settings })

/** Blocks are made when the test says so. */
async function aQuietChain(erc1155 = 10): Promise<Chain> {
  const chain = await aChain({ erc1155 })
  await chain.setAutomine(false)
  return chain
}

type Sent = { node: string; at: number; methods: string[] }

/** The requests to nodes with these names. */
function watchNodes({ proxyUrl }: Chain, ...names: string[]): Sent[] {
  const sent: Sent[] = []
  for (const node of names) {
    const unwatch = watchRequests(`${proxyUrl}/${node}`, (body, send) => {
      const methods = [...body.matchAll(/"method":"(\w+)"/g)].map(([, method = '']) => method)
      sent.push({ node, at: Date.now(), methods })
      return send()
    })
    onTestFinished(() => void unwatch())
  }
  return sent
}

it('gives a node no more calls in a batch and in a second than are configured', async () => {
  startClock()
  const chain = await aChain({ erc1155: 6 })
  const items = await paidItems(chain, Array(6).fill(edition))
  const sent = watchNodes(chain, 'node')
  const limits = { callsPerBatch: 2, callsPerSecond: 10 }
  const engine = engineWith(chain, ['node'], { itemsPerTransaction: 1, ...limits })
  for (let i = 0; i < 3; i++) await engine.step(i)
  await expectDelivered(chain, items)
  expect(Math.max(...sent.map(({ methods }) => methods.length))).toBe(2)
  const times = sent.flatMap(({ at, methods }) => methods.map(() => at))
  const perSecond = times.map((at) => times.filter((t) => t >= at && t < at + 1000).length)
  expect(Math.max(...perSecond)).toBe(10)
})

describe('a token of which one node names the other standard', () => {
  const word = (value: number) => ({ result: `0x${`${value}`.padStart(64, '0')}` })
  const lie = (containing: string, isTrue: 0 | 1) => ({
    ...{ node: 'first', on: ['eth_call'], containing, effect: word(isTrue) },
  })
  const refused: Effect = { error: { code: 3, message: 'execution reverted' }, reach: 'none' }
  const noTrials = { on: ['eth_call'], containing: '"code":', effect: refused }

  it('is delivered by turns if no node tries anything', async () => {
    const chain = await aChain({ erc1155: 1 })
    const item = await aPaidItem(chain, { standard: 'erc1155' })
    await chain.setFaults(lie('80ac58cd', 1), lie('d9b67a26', 0), noTrials)
    const engine = engineWith(chain, ['first', 'second'])
    await engine.run()
    expect(await transactionsOf(chain)).toEqual([])
    await engine.run(60)
    await expectDelivered(chain, [item])
  })
})

describe('a node that cannot be used', () => {
  const futureBlock = { number: '0xffffff', hash: `0x${'07'.repeat(32)}`, timestamp: '0x1' }
  const byTag = { on: ['eth_getBlockByNumber'], containing: 'finalized' }
  const cases: [string, { on?: string[]; containing?: string; effect: Effect }][] = [
    ['the node cannot be reached', { effect: { http: 'drop', reach: 'all' } }],
    ['the node does not tell the final block', { ...byTag, effect: { result: futureBlock } }],
  ]

  it.each(cases)(
    'does not lead for a minute if there is another one: %s',
    async (reason, fault) => {
      startClock()
      const chain = await aQuietChain()
      const item = await aPaidItem(chain, edition)
      await chain.setFaults({ ...fault, node: 'first' })
      const sent = watchNodes(chain, 'first', 'second')
      const engine = engineWith(chain, ['first', 'second'], { finality: 'finalized' })
      const leftOut = { chainId: chain.chainId, node: 0, reason }
      await engine.step()
      expect(await rowOf(item)).toMatchObject({ state: 'in_flight' })
      expect(logged('node_left_out')).toEqual([leftOut])
      expect(sent.at(-1)).toMatchObject({ node: 'second', methods: ['eth_sendRawTransaction'] })

      sent.length = 0
      pass(59)
      await engine.step(59)
      expect(sent.at(-1)).toMatchObject({ node: 'second' })
      expect(logged('node_left_out').at(-1)).toEqual(leftOut)

      await chain.setFaults()
      pass(60)
      sent.length = 0
      await chain.rpc('evm_setNextBlockTimestamp', Math.floor(Date.now() / 1000))
      await chain.mine(70)
      await engine.step(120)
      // The second one confirms that the key is used.
      expect(new Set(sent.map(({ node }) => node))).toEqual(new Set(['first', 'second']))
      expect(logged('node_unavailable')).toEqual([])
      await expectDelivered(chain, [item])
    },
  )

  it('is asked again after 15 seconds if it is the only one', async () => {
    startClock()
    const chain = await aQuietChain()
    const item = await aPaidItem(chain, edition)
    await chain.setFaults({ effect: { http: 'drop', reach: 'all' } })
    const engine = engineWith(chain, ['only'])
    const start = Date.now()
    const done = await engine.step()
    expect(done).toMatchObject({ lookAt: new Date(start + 15_000), takesDeliveries: false })
    expect(logged('node_unavailable')).toEqual([
      { chainId: chain.chainId, reason: 'the node cannot be reached' },
    ])
    expect(logged('node_left_out')).toEqual([])
    expect(await rowOf(item)).toMatchObject({ state: 'queued', reason: null })

    await chain.setFaults()
    pass(60)
    await engine.step(60)
    await chain.mine()
    await engine.step(62)
    await expectDelivered(chain, [item])
  })
})

const SEND = ['eth_sendRawTransaction']
const DELIVER = encodeDeliver([], 0, 0, 0).slice(0, 10)
const RECORDS = encodeRecords([]).slice(0, 10)

describe('a broadcast', () => {
  it.each<[string, Effect]>([
    [
      'is refused with an internal error',
      { error: { code: -32603, message: 'internal' }, reach: 'none' },
    ],
    ['is accepted and forgotten', { dropTransaction: true }],
  ])('that %s leads to one delivery', async (_, effect) => {
    const chain = await aQuietChain()
    const items = await paidItems(chain, [edition, edition])
    const engine = engineWith(chain, ['node'], { itemsPerTransaction: 1 })
    await chain.setFaults({ on: SEND, effect })
    await engine.step()
    await engine.step(6)
    const signed = await transactionsOf(chain)
    expect(signed).toMatchObject([
      { nonce: 0, isOpen: 1 },
      { nonce: 1, isOpen: 1 },
    ])
    await chain.setFaults()
    await engine.step(12)
    await chain.mine()
    await engine.step(13)
    await expectDelivered(chain, items)
    expect((await transactionsOf(chain)).map(({ hash }) => hash)).toEqual(
      signed.map(({ hash }) => hash),
    )
  })

  it('goes through every node once three blocks have come without the transaction', async () => {
    const chain = await aQuietChain()
    const item = await aPaidItem(chain, edition)
    const engine = engineWith(chain, ['first', 'second', 'third'])
    await chain.setFaults({ on: SEND, effect: { dropTransaction: true } })
    const sent = watchNodes(chain, 'first', 'second', 'third')
    const sentTo = async (seconds: number) => {
      sent.length = 0
      await engine.step(seconds)
      return sent
        .filter(({ methods }) => methods.includes('eth_sendRawTransaction'))
        .map(({ node }) => node)
        .toSorted()
    }
    expect(await sentTo(0)).toEqual(['first'])
    await chain.mine(2)
    expect(await sentTo(10)).toEqual(['first'])
    await chain.mine()
    expect(await sentTo(20)).toEqual(['first', 'second', 'third'])
    await chain.setFaults({
      node: 'first',
      on: SEND,
      effect: { error: nonceTooLow, reach: 'none' },
    })
    expect(await sentTo(30)).toEqual(['first', 'second', 'third'])
    await chain.mine()
    await engine.step(31)
    expect(await transactionsOf(chain)).toHaveLength(1)
    await expectDelivered(chain, [item])
  })

  it('that a node refuses is logged, unless the node has the transaction', async () => {
    const chain = await aQuietChain()
    await aPaidItem(chain, edition)
    const engine = engineWith(chain, ['node'])
    const refusals: [string, boolean][] = [
      ['already known', false],
      ['ALREADY_EXISTS: already known', false],
      ['nonce too low: next nonce 1, tx nonce 0', false],
      ['replacement transaction underpriced', false],
      ['transaction underpriced: tip needed 25000000000, tip permitted 1', true],
      ['nonce too high', true],
      ['insufficient funds for gas * price + value', true],
    ]
    for (const [i, [message, isLogged]] of refusals.entries()) {
      await chain.setFaults({
        on: SEND,
        effect: { error: { code: -32000, message }, reach: 'none' },
      })
      const before = logged('broadcast_failed').length
      await engine.step(i * 10)
      expect([message, logged('broadcast_failed').length - before]).toEqual([message, +isLogged])
    }
    expect(logged('broadcast_failed').at(-1)).toMatchObject({
      chainId: chain.chainId,
      nonce: 0,
      reason: 'insufficient funds for gas * price + value',
    })
  })
})

const wrongCounts = [
  ['too high', '0x64'],
  ['too low', '0x0'],
] as const

it.each(firstCases(1, wrongCounts))(
  'a nonce that a node tells %s delays items at most until the deadline',
  async (_, count) => {
    const chain = await aChain({ erc1155: 3 })
    const first = await aPaidItem(chain, edition)
    const engine = engineWith(chain, ['node'])
    await engine.run()
    const second = await aPaidItem(chain, edition)
    await chain.setFaults({ on: ['eth_getTransactionCount'], times: 1, effect: { result: count } })
    await engine.step(10)
    await chain.setFaults()
    const third = await aPaidItem(chain, edition)
    for (const seconds of [20, 21]) await engine.step(seconds)
    expect(await rowOf(third)).toMatchObject({ state: 'transferred' })
    await chain.rpc('evm_increaseTime', HOUR + MINUTE)
    await chain.mine()
    for (const seconds of [1, 2, 3]) await engine.step(HOUR + seconds)
    await expectDelivered(chain, [first, second, third])
  },
)

it('a simulation is not believed by a second node that cannot be asked', async () => {
  const chain = await aChain({ erc1155: 1 })
  const recipient = getAddress(chain.contracts.erc721)
  const item = await aPaidItem(chain, { ...edition, recipient })
  await chain.setFaults({ node: 'second', effect: { http: 'drop', reach: 'none' } })
  const engine = engineWith(chain, ['first', 'second'])
  startClock()
  for (const minutes of [0, 5, 11, 30]) await engine.run(minutes * MINUTE)
  expect(await rowOf(item)).toMatchObject({ state: 'queued' })
  await chain.setFaults()
  pass(MINUTE)
  await engine.run(2 * HOUR)
  expect(await rowOf(item)).toMatchObject({ state: 'failed' })
})

it('records of a block behind the final one are not believed to say that a key is unused', async () => {
  const chain = await aChain({ erc1155: 1 })
  const item = await aPaidItem(chain, edition)
  await chain.setFaults({ on: ['eth_call'], containing: RECORDS, effect: { behind: 1 } })
  const engine = engineWith(chain, ['node'])
  await engine.step()
  expect(await transactionsOf(chain)).toEqual([])
  expect(await rowOf(item)).toMatchObject({ state: 'queued', reason: null })
  await chain.setFaults()
  await engine.run(20)
  await expectDelivered(chain, [item])
})

it('has the gas that the simulation needs, or that the node estimates if it is more', async () => {
  const chain = await aQuietChain()
  const engine = engineWith(chain, ['node'], { itemsPerTransaction: 1 })
  let seconds = 0
  /** Signs one item while `eth_estimateGas` answers like this. */
  const gasWith = async (effect: Effect) => {
    await aPaidItem(chain, edition)
    await chain.setFaults({ on: ['eth_estimateGas'], effect })
    seconds += 10
    await engine.step(seconds)
    return Number((await transactionsOf(chain)).at(-1)?.gas)
  }
  const formula = await gasWith({ result: '0x5208' })
  // 1.25 × (40,000 + 34,000 + the gas of the transfer) + 300,000 × 64 / 63 + 60,000
  expect(formula).toBeGreaterThan(1.25 * (74_000 + 25_000) + 364_761)
  expect(formula).toBeLessThan(1.25 * (74_000 + 75_000) + 364_763)
  const error = { code: -32000, message: 'execution reverted' }
  expect(await gasWith({ error, reach: 'none' })).toBe(formula)
  expect(await gasWith({ result: null })).toBe(formula)
  expect(await gasWith({ http: 503, reach: 'none' })).toBe(formula)
  expect(await gasWith({ result: '0xf4240' })).toBe(1_000_000)
  // The limit of a transaction.
  expect(await gasWith({ result: '0xffffffff' })).toBe(16_777_216)
})

inLong(
  'has at most 64 transactions of a signer that one node alone calls mined, and waits then',
  async () => {
    const chain = await aChain({ erc1155: 66 })
    await paidItems(chain, Array(66).fill(edition))
    const engine = engineWith(chain, ['late', 'honest'], {
      itemsPerTransaction: 1,
      transactionsInFlight: 16,
    })
    await chain.setFaults(
      { node: 'late', on: ['eth_getTransactionCount'], effect: { result: '0x0' } },
      { node: 'late', on: ['eth_getTransactionReceipt'], effect: { result: null } },
    )
    const steps: (boolean | undefined)[] = []
    for (let second = 0; second < 10; second++)
      steps.push((await engine.step(second))?.takesDeliveries)
    expect(await transactionsOf(chain)).toHaveLength(64)
    expect(steps.at(-1)).toBe(false)
  },
)

it.each([
  ['eth_sendRawTransaction', 'broadcast_failed'],
  ['eth_call', 'simulation_failed'],
])('does not log the URL that a node names when it refuses %s', async (method, event) => {
  const chain = await aQuietChain()
  await aPaidItem(chain, edition)
  const message = 'cannot forward to https://node.test/v2/a-secret-key'
  const containing = method === 'eth_call' ? DELIVER : ''
  const effect: Effect = { error: { code: -32000, message }, reach: 'none' }
  await chain.setFaults({ on: [method], containing, effect })
  await engineWith(chain, ['node']).step()
  expect(logged(event)).toMatchObject([{ reason: expect.stringMatching(/cannot forward to …$/) }])
})
