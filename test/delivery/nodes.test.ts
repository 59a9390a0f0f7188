/** Nodes that fail, lag, lie or limit calls: nothing is lost, nothing comes twice. */

import { env } from 'cloudflare:workers'
import { encodeFunctionResult, getAddress } from 'viem'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { encodeDeliver, encodeRecords } from '../../src/ethereum/contract.ts'
import { firstCases } from '../support/cases.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { alreadyKnown, type Effect, nonceTooLow, underpriced } from '../support/chain/faults.ts'
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

type Sent = { node: string; at: number; methods: string[]; status: number; inParallel: number }

/** The requests to nodes with these names, and the HTTP status of each answer: 0 for none. */
function watchNodes({ proxyUrl }: Chain, ...names: string[]): Sent[] {
  const sent: Sent[] = []
  let underWay = 0
  for (const node of names) {
    const unwatch = watchRequests(`${proxyUrl}/${node}`, async (body, send) => {
      const inParallel = ++underWay
      const methods = [...body.matchAll(/"method":"(\w+)"/g)].map(([, method = '']) => method)
      const entry = { node, at: Date.now(), methods, status: 0, inParallel }
      sent.push(entry)
      const response = await send().finally(() => underWay--)
      entry.status = response.status
      return response
    })
    onTestFinished(() => void unwatch())
  }
  return sent
}

describe('a node that limits calls', () => {
  const limitExceeded = { code: -32005, message: 'limit exceeded' }
  const wholeBatch = (error: object): Effect => ({
    http: 200,
    reach: 'none',
    body: { jsonrpc: '2.0', id: null, error },
  })

  it.each(
    firstCases<[string, Effect]>(2, [
      ['HTTP 429 and Retry-After', { http: 429, reach: 'none', retryAfter: 2 }],
      ['-32005 for the batch', wholeBatch(limitExceeded)],
      ['HTTP 429', { http: 429, reach: 'none' }],
      ['-32005 for each call', { error: limitExceeded, reach: 'none' }],
    ]),
  )('for a while with %s delivers', async (_, effect) => {
    startClock()
    const chain = await aChain({ erc1155: 6 })
    const items = await paidItems(chain, Array(6).fill(edition))
    await chain.setFaults({ times: 3, effect })
    const sent = watchNodes(chain, 'node')
    const engine = engineWith(chain, ['node'], { itemsPerTransaction: 1 })
    for (let i = 0; i < 6; i++) {
      await engine.step(i)
    }
    await expectDelivered(chain, items)
    expect(Math.max(...sent.map(({ inParallel }) => inParallel))).toBeLessThanOrEqual(5)
    for (const event of ['node_unavailable', 'broadcast_failed', 'simulation_failed'])
      expect(logged(event)).toEqual([])
  })

  it('gets no more calls in a batch and in a second than are configured', async () => {
    startClock()
    const chain = await aChain({ erc1155: 6 })
    const items = await paidItems(chain, Array(6).fill(edition))
    const sent = watchNodes(chain, 'node')
    const limits = { callsPerBatch: 2, callsPerSecond: 10 }
    const engine = engineWith(chain, ['node'], { itemsPerTransaction: 1, ...limits })
    for (let i = 0; i < 3; i++) {
      await engine.step(i)
    }
    await expectDelivered(chain, items)
    expect(Math.max(...sent.map(({ methods }) => methods.length))).toBe(2)
    const times = sent.flatMap(({ at, methods }) => methods.map(() => at))
    const perSecond = times.map((at) => times.filter((t) => t >= at && t < at + 1000).length)
    expect(Math.max(...perSecond)).toBe(10)
  })

  // It takes real seconds.
  it.runIf(inject('isLong'))('to 30 in a second gets 100 items in two minutes', async () => {
    const chain = await aChain({ erc1155: 100 })
    const items = await paidItems(chain, Array(100).fill(edition))
    const effect: Effect = { http: 429, reach: 'none' }
    await chain.setFaults({ perSecond: 30, effect })
    const sent = watchNodes(chain, 'node')
    const engine = engineWith(chain, ['node'], { itemsPerTransaction: 5 })
    const start = Date.now()
    for (let done = false; !done && Date.now() - start < 120_000; ) {
      await engine.step()
      done = (await transactionsOf(chain)).filter(({ isOpen }) => !isOpen).length === 20
    }
    const seconds = (Date.now() - start) / 1000
    await expectDelivered(chain, items)
    expect(seconds).toBeLessThan(120)
    const answered = sent.filter(({ status }) => status === 200)
    const calls = answered.flatMap(({ methods }) => methods)
    // Without a refusal, 120 seconds would have room for 3,600 calls.
    expect(calls.length).toBeLessThan(600)
    expect(sent.length).toBeLessThan(600)
    expect(Math.max(...sent.map(({ inParallel }) => inParallel))).toBeLessThanOrEqual(5)
  })
})

describe('a node that cannot be used', () => {
  const futureBlock = { number: '0xffffff', hash: `0x${'07'.repeat(32)}`, timestamp: '0x1' }
  const byTag = { on: ['eth_getBlockByNumber'], containing: 'finalized' }
  const cases: [string, { on?: string[]; containing?: string; effect: Effect }][] = [
    ['the node cannot be reached', { effect: { http: 'drop', reach: 'all' } }],
    [
      'the node does not tell the nonce of a signer',
      { on: ['eth_getTransactionCount'], effect: { result: 'one' } },
    ],
    ['the node does not tell the final block', { ...byTag, effect: { result: futureBlock } }],
    ['the node did not answer in time', { effect: { http: 'hang', reach: 'all' } }],
    ['the node cannot be reached', { effect: { http: 'malformed', reach: 'all' } }],
    ['the node answered with HTTP 503', { effect: { http: 503, reach: 'none' } }],
    ['the node limits calls', { effect: { http: 429, reach: 'none', retryAfter: 60 } }],
    ['the node has chain id 5 instead of OURS', { on: ['eth_chainId'], effect: { result: '0x5' } }],
    [
      'the node does not tell the newest block',
      { on: ['eth_getBlockByNumber'], effect: { result: null } },
    ],
    ['the node does not tell the final block', { ...byTag, effect: { result: null } }],
    [
      'the node does not tell the final block',
      { ...byTag, effect: { error: { code: -32602, message: 'unknown block' }, reach: 'none' } },
    ],
  ]

  it.each(firstCases(3, cases))(
    'does not lead for a minute if there is another one: %s',
    async (text, fault) => {
      startClock()
      const chain = await aQuietChain()
      const reason = text.replace('OURS', `${chain.chainId}`)
      const item = await aPaidItem(chain, edition)
      await chain.setFaults({ ...fault, node: 'first' })
      const sent = watchNodes(chain, 'first', 'second')
      const settings = { finality: 'finalized' } as const
      const engine = engineWith(chain, ['first', 'second'], settings)
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

  it.each(firstCases(3, cases))(
    'is asked again after 15 seconds if it is the only one: %s',
    async (text, fault) => {
      startClock()
      const chain = await aQuietChain()
      const reason = text.replace('OURS', `${chain.chainId}`)
      const item = await aPaidItem(chain, edition)
      await chain.setFaults(fault)
      const engine = engineWith(chain, ['only'], { finality: 'finalized' })
      const start = Date.now()
      const done = await engine.step()
      expect(done).toMatchObject({ lookAt: new Date(start + 15_000), takesItems: false })
      expect(logged('node_unavailable')).toEqual([{ chainId: chain.chainId, reason }])
      expect(logged('node_left_out')).toEqual([])
      expect(await rowOf(item)).toMatchObject({ state: 'queued', reason: null })

      await chain.setFaults()
      pass(60)
      await engine.step(60)
      await chain.mine(70)
      await engine.step(62)
      await expectDelivered(chain, [item])
    },
  )

  it('is asked again at once if all are like that', async () => {
    startClock()
    const chain = await aChain({ erc1155: 1 })
    const item = await aPaidItem(chain, edition)
    await chain.setFaults({ effect: { http: 'drop', reach: 'none' } })
    const engine = engineWith(chain, ['first', 'second'])
    await engine.step()
    expect(logged('node_left_out').map(({ node }) => node)).toEqual([0, 1])
    expect(logged('node_unavailable')).toHaveLength(1)
    await chain.setFaults()
    await engine.run(1)
    await expectDelivered(chain, [item])
  })

  it('is not one whose newest block is old because nobody needed a block', async () => {
    const chain = await aChain({ erc1155: 1 })
    const item = await aPaidItem(chain, edition)
    startClock()
    pass(HOUR)
    await engineWith(chain, ['first', 'second']).run()
    expect(logged('node_left_out')).toEqual([])
    await expectDelivered(chain, [item])
  })
})

describe('a transaction that is mined', () => {
  type Receipt = { logs: unknown[] } & Record<string, unknown>
  type Receipts = { own: Receipt; other: Receipt }

  const receiptCases: [string, (receipts: Receipts) => Effect][] = [
    ['null', () => ({ result: null })],
    ['of another transaction', ({ other }) => ({ result: other })],
    ['without a block', ({ own }) => ({ result: { ...own, blockNumber: null } })],
    ['without events', ({ own }) => ({ result: { ...own, logs: [] } })],
    ['that is malformed', () => ({ result: 'mined' })],
    ['that is an error', () => ({ error: { code: -32603, message: 'internal' }, reach: 'none' })],
    ['that is missing', () => ({ http: 503, reach: 'none' })],
  ]

  it.each(firstCases(4, receiptCases))(
    'is not lost if the node has a receipt %s',
    async (_, effectOf) => {
      const chain = await aQuietChain()
      const item = await aPaidItem(chain, edition)
      const engine = engineWith(chain, ['node'])
      await engine.step()
      const other = await chain.rpc('eth_sendTransaction', { from: chain.seller, to: chain.signer })
      await chain.mine()
      const [transaction] = await transactionsOf(chain)
      const receipts = await chain.rpcBatch(
        [transaction?.hash, other].map((hash) => ({
          method: 'eth_getTransactionReceipt',
          params: [hash],
        })),
      )
      const [own, others] = receipts as [Receipt, Receipt]
      const effect = effectOf({ own, other: others })
      await chain.setFaults({ on: ['eth_getTransactionReceipt'], effect })
      for (const seconds of [1, 10, 20, 40, 5 * MINUTE]) {
        await engine.step(seconds)
        await chain.mine()
        expect(['in_flight', 'queued']).toContain((await rowOf(item)).state)
      }
      expect((await transactionsOf(chain)).map(({ hash }) => hash)).toEqual([transaction?.hash])
      await chain.setFaults()
      await engine.run(2 * HOUR)
      expect(await rowOf(item)).toMatchObject({ state: 'transferred', txId: transaction?.hash })
      await expectDelivered(chain, [item])
      expect(logged('delivery_failed')).toEqual([])
    },
  )

  it('is not settled by records of a block behind the final one', async () => {
    const chain = await aQuietChain()
    const item = await aPaidItem(chain, edition)
    const engine = engineWith(chain, ['node'])
    await engine.step()
    await chain.mine(3)
    await chain.setFaults({ on: ['eth_call'], containing: RECORDS, effect: { behind: 1 } })
    await engine.step(1)
    await engine.step(10)
    expect(await rowOf(item)).toMatchObject({ state: 'in_flight' })
    await chain.setFaults()
    await engine.step(20)
    await expectDelivered(chain, [item])
  })

  it('is not lost while the newest block that the node tells goes back and forth', async () => {
    const chain = await aQuietChain()
    const item = await aPaidItem(chain, edition)
    const engine = engineWith(chain, ['node'], { finality: 3 })
    await engine.step()
    for (let round = 1; round <= 6; round++) {
      await chain.setFaults(...(round % 2 ? [{ effect: { behind: 6 } }] : []))
      await engine.step(round * 6)
      await chain.mine()
    }
    await chain.setFaults()
    await engine.run(60)
    expect(await transactionsOf(chain)).toHaveLength(1)
    await expectDelivered(chain, [item])
  })
})

const SEND = ['eth_sendRawTransaction']
const DELIVER = encodeDeliver([], 0, 0, 0).slice(0, 10)
const RECORDS = encodeRecords([]).slice(0, 10)

describe('a delivery that the database has forgotten', () => {
  const transaction = { hash: `0x${'07'.repeat(32)}`, nonce: '0x0', input: '0x' }

  it.each(
    firstCases<[string, string[], Effect]>(3, [
      ['no events', ['eth_getLogs'], { result: [] }],
      ['no answer about events', ['eth_getLogs'], { http: 503, reach: 'none' }],
      ['malformed events', ['eth_getLogs'], { result: [{ topics: ['0x'] }] }],
      ['no receipt', ['eth_getTransactionReceipt'], { result: null }],
      ['no transaction', ['eth_getTransactionByHash'], { result: null }],
      ['another transaction', ['eth_getTransactionByHash'], { result: transaction }],
    ]),
  )('is not lost if the node has %s', async (_, on, effect) => {
    const chain = await aChain({ erc1155: 1 })
    const item = await aPaidItem(chain, edition)
    await engineWith(chain, ['node']).run()
    const { txId } = await rowOf(item)
    // As in a copy of the database from before the delivery.
    await env.DB.batch([
      env.DB.prepare(
        `UPDATE deliveries SET state = 'queued', contract = NULL, transactionId = NULL,
           dueAt = createdAt WHERE id = ?`,
      ).bind(item.id),
      ...['transactions', 'networks'].map((table) =>
        env.DB.prepare(`DELETE FROM ${table} WHERE chainId = ?`).bind(chain.chainId),
      ),
    ])
    await chain.setFaults({ on, effect })
    const engine = engineWith(chain, ['node'])
    for (const minutes of [0, 1, 9]) {
      await engine.run(minutes * MINUTE)
      expect(await rowOf(item)).toMatchObject({ state: 'queued' })
    }
    await chain.setFaults()
    await engine.run(2 * HOUR)
    expect(await rowOf(item)).toMatchObject({ state: 'transferred', txId })
    await expectDelivered(chain, [item])
  })
})

describe('a broadcast', () => {
  const error = (code: number, message: string) => ({ code, message })

  it.each(
    firstCases<[string, Effect]>(7, [
      ['is accepted and answered with "already known"', { error: alreadyKnown, reach: 'all' }],
      ['is refused with an internal error', { error: error(-32603, 'internal'), reach: 'none' }],
      ['is accepted and times out', { http: 'hang', reach: 'all' }],
      ['times out', { http: 'hang', reach: 'none' }],
      ['is accepted by half and loses its connection', { http: 'drop', reach: 'half' }],
      ['is answered with another hash', { result: `0x${'00'.repeat(32)}` }],
      ['is accepted and forgotten', { dropTransaction: true }],
      ['is refused with "already known"', { error: alreadyKnown, reach: 'none' }],
      ['is accepted and answered with "underpriced"', { error: underpriced, reach: 'all' }],
      ['is refused with "underpriced"', { error: underpriced, reach: 'none' }],
      ['is accepted and answered with "nonce too low"', { error: nonceTooLow, reach: 'all' }],
      ['is refused with "nonce too low"', { error: nonceTooLow, reach: 'none' }],
      [
        'is refused with "nonce too high"',
        { error: error(-32000, 'nonce too high'), reach: 'none' },
      ],
      ['is accepted and loses its connection', { http: 'drop', reach: 'all' }],
      ['is accepted and answered with HTTP 502', { http: 502, reach: 'all' }],
      ['is accepted and answered with nonsense', { http: 'malformed', reach: 'all' }],
    ]),
  )('that %s leads to one delivery', async (_, effect) => {
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
      ['AlreadyKnown', false],
      ['ALREADY_EXISTS: already known', false],
      ['known transaction: 0x1234', false],
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

describe('a nonce', () => {
  it.each([
    ['too high', '0x64'],
    ['too low', '0x0'],
  ])('that a node tells %s delays items at most until the deadline', async (_, count) => {
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
  })
})

describe('a simulation', () => {
  const failed = encodeFunctionResult({
    abi: deliveryAbi,
    functionName: 'deliver',
    result: [{ outcome: 3, gasUsed: 50_000n, reason: '0x' }],
  })
  const lie = { on: ['eth_call'], containing: DELIVER, effect: { result: failed } }
  const refused = explain('recipient_rejects', 'no reason given')

  it('that says that an item would fail only makes it wait', async () => {
    const chain = await aChain({ erc1155: 1 })
    const item = await aPaidItem(chain, edition)
    await chain.setFaults({ ...lie, times: 1 })
    const engine = engineWith(chain, ['node'])
    const start = Date.now()
    await engine.step()
    const { dueAt, ...row } = await rowOf(item)
    expect(row).toMatchObject({ state: 'queued', ...refused })
    expect(Date.parse(`${dueAt}`) - start).toBeLessThan(16_000)
    await engine.run(16)
    await expectDelivered(chain, [item])
  })

  it('is not believed by a second node that cannot be asked', async () => {
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

  it.each(
    firstCases<[string, Effect]>(2, [
      ['an error', { error: { code: -32603, message: 'internal error' }, reach: 'none' }],
      ['a revert', { error: { code: 3, message: 'execution reverted' }, reach: 'none' }],
      ['nothing', { result: '0x' }],
      ['nonsense', { result: `0x${'ff'.repeat(100)}` }],
      ['no hex', { result: 'good' }],
    ]),
  )('that gives %s changes nothing', async (_, effect) => {
    const chain = await aChain({ erc1155: 1 })
    const item = await aPaidItem(chain, edition)
    await chain.setFaults({ on: ['eth_call'], containing: DELIVER, effect })
    const engine = engineWith(chain, ['node'])
    for (const minutes of [0, 5, 11, 30]) await engine.run(minutes * MINUTE)
    expect(await rowOf(item)).toMatchObject({ state: 'queued', reason: null })
    expect(logged('simulation_failed')).toHaveLength(4)
    await chain.setFaults()
    await engine.run(HOUR)
    await expectDelivered(chain, [item])
  })
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

describe('the gas limit', () => {
  /** Signs one item while `eth_estimateGas` answers like this. */
  async function gasWith(effect?: Effect): Promise<number> {
    const chain = await aQuietChain()
    await aPaidItem(chain, edition)
    if (effect) await chain.setFaults({ on: ['eth_estimateGas'], effect })
    await engineWith(chain, ['node']).step()
    const [transaction] = await transactionsOf(chain)
    return Number(transaction?.gas)
  }

  it('comes from the simulation if the node cannot estimate, or estimates too little', async () => {
    const formula = await gasWith({ result: '0x5208' })
    // 1.25 × (40,000 + 34,000 + the gas of the transfer) + 300,000 × 64 / 63 + 60,000
    expect(formula).toBeGreaterThan(1.25 * (74_000 + 25_000) + 364_761)
    expect(formula).toBeLessThan(1.25 * (74_000 + 75_000) + 364_763)
    const error = { code: -32000, message: 'execution reverted' }
    expect(await gasWith({ error, reach: 'none' })).toBe(formula)
    expect(await gasWith({ result: null })).toBe(formula)
    expect(await gasWith({ http: 503, reach: 'none' })).toBe(formula)
  })

  it('is what the node estimates if that is more, up to the limit of a transaction', async () => {
    expect(await gasWith({ result: '0xf4240' })).toBe(1_000_000)
    expect(await gasWith({ result: '0xffffffff' })).toBe(16_777_216)
  })
})

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
