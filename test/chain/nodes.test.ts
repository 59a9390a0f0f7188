/** Which node of a network is asked. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  findClockProblem,
  leaveOut,
  type Node,
  nodes,
  readHead,
  silence,
  stepNodes,
} from '../../src/chain/nodes.ts'
import type { Network } from '../../src/env.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import type { Effect } from '../support/chain/faults.ts'
import { anEngine } from '../support/delivery/engine.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'

const logged = recordLogs()

/** A network with nodes of these names, which are all the node of the chain. */
const networkOf = (chain: Chain, ...names: string[]): Network => ({
  ...anEngine(chain).network,
  rpcUrls: names.map((name) => `${chain.proxyUrl}/${name}`),
})

/** A network whose nodes are not asked. */
const unaskedNetwork = (...names: string[]): Network => ({
  chainId: 1,
  rpcUrls: names.map((name) => `https://${crypto.randomUUID()}.test/${name}`),
  delivery: '0x0000000000000000000000000000000000000001',
  finality: 1,
  gasPerItem: 300_000,
  itemsPerTransaction: 50,
  transactionsInFlight: 8,
  callsPerBatch: 20,
  maxFeePerGasGwei: 500,
  maxPriorityFeePerGasGwei: 50,
  callsPerSecond: 100,
})

const nameOf = ({ url }: Node) => url.split('/').at(-1)
const asked = (network: Network) => stepNodes(network).map(nameOf)

function nodeOf(network: Network, index = 0): Node {
  const node = nodes(network)[index]
  if (!node) throw new Error('no such node')
  return node
}

/** Stops the clock. Returns a function that moves it by seconds. */
function stopClock() {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  return (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000)
}

describe('a node that is left out', () => {
  it('does not lead for a minute, is asked all the same, and is logged by its position only', () => {
    const pass = stopClock()
    const network = unaskedNetwork('first', 'second')
    expect(asked(network)).toEqual(['first', 'second'])
    leaveOut(network, nodeOf(network), 'it lags')
    expect(logged('node_left_out')).toEqual([{ chainId: 1, node: 0, reason: 'it lags' }])
    expect(asked(network)).toEqual(['second', 'first'])
    pass(59)
    expect(asked(network)).toEqual(['second', 'first'])
    pass(1)
    expect(asked(network)).toEqual(['first', 'second'])
  })
})

describe('a node that did not answer in time', () => {
  it('is not asked for half a minute, and does not lead for a minute', () => {
    const pass = stopClock()
    const network = unaskedNetwork('first', 'second')
    silence(network, nodeOf(network), 'the node cannot be reached')
    expect(logged('node_left_out')).toEqual([
      { chainId: 1, node: 0, reason: 'the node cannot be reached' },
    ])
    pass(29)
    expect(asked(network)).toEqual(['second'])
    pass(1)
    expect(asked(network)).toEqual(['second', 'first'])
    pass(30)
    expect(asked(network)).toEqual(['first', 'second'])
  })

  it('is asked at once if no node answers', () => {
    stopClock()
    const network = unaskedNetwork('first', 'second')
    for (const node of stepNodes(network)) silence(network, node, 'a test')
    expect(asked(network)).toEqual(['first', 'second'])
    const single = unaskedNetwork('single')
    silence(single, nodeOf(single), 'a test')
    expect(asked(single)).toEqual(['single'])
  })
})

describe('the newest block of a node', () => {
  it('is told with its hash, time and base fee', async () => {
    const chain = await aChain()
    const network = networkOf(chain, 'node')
    const block = await chain.rpc('eth_getBlockByNumber', 'latest', false)
    const { number, hash, timestamp, baseFeePerGas } = block as Record<string, string>
    expect(await readHead(network, nodeOf(network))).toEqual({
      number: Number(number),
      hash,
      timestamp: Number(timestamp),
      baseFeePerGas: BigInt(baseFeePerGas ?? 0),
    })
  })

  it.each<[string, Effect, string[]]>([
    ['the node cannot be reached', { http: 'drop', reach: 'none' }, []],
    ['the node did not answer in time', { http: 'hang', reach: 'none' }, []],
    ['the node cannot be reached', { http: 'malformed', reach: 'none' }, []],
    ['the node answered with HTTP 503', { http: 503, reach: 'none' }, []],
    ['the node has chain id 5 instead of OURS', { result: '0x5' }, ['eth_chainId']],
    ['the node does not tell its chain id', { result: 'five' }, ['eth_chainId']],
    ['the node does not tell the newest block', { result: null }, ['eth_getBlockByNumber']],
    ['the node does not tell the newest block', { result: {} }, ['eth_getBlockByNumber']],
    [
      'the node does not tell the newest block',
      { error: { code: -32603, message: 'internal error' }, reach: 'none' },
      ['eth_getBlockByNumber'],
    ],
  ])('is unknown: %s', async (reason, effect, on) => {
    const chain = await aChain()
    const network = networkOf(chain, 'node')
    await chain.setFaults({ ...(on.length > 0 && { on }), effect })
    expect(await readHead(network, nodeOf(network))).toBe(
      reason.replace('OURS', `${chain.chainId}`),
    )
  })
})

describe('a node with an old block', () => {
  /** What the second node holds against the first one, so many seconds after the newest block. */
  async function problemOfFirst(chain: Chain, seconds: number, ...names: string[]) {
    const pass = stopClock()
    const network = networkOf(chain, ...names)
    const first = nodeOf(network)
    const head = await readHead(network, first)
    if (typeof head === 'string') throw new Error(head)
    pass(head.timestamp + seconds - Date.now() / 1000)
    return findClockProblem(network, first, head)
  }

  it('is behind if another one has newer blocks', async () => {
    const chain = await aChain()
    await chain.mine(5)
    await chain.setFaults({ node: 'frozen', effect: { behind: 2 } })
    expect(await problemOfFirst(chain, 61, 'frozen', 'live')).toBe(
      'the node lags behind another one',
    )
    // A node may get a block a little later than another one.
    await chain.setFaults({ node: 'frozen', effect: { behind: 1 } })
    expect(await problemOfFirst(chain, 61, 'frozen', 'live')).toBe(null)
  })

  it('is not behind if nobody has newer blocks, because the chain makes them on demand', async () => {
    const chain = await aChain()
    await chain.mine(5)
    expect(await problemOfFirst(chain, 3600, 'first', 'second')).toBe(null)
    expect(await problemOfFirst(chain, 3600, 'single')).toBe(null)
    await chain.setFaults({ node: 'second', effect: { behind: 3 } })
    expect(await problemOfFirst(chain, 3600, 'first', 'second')).toBe(null)
  })

  it('is not used if it tells another time for the newest block than a second node', async () => {
    const chain = await aChain()
    await chain.mine(5)
    const network = networkOf(chain, 'liar', 'honest')
    const liar = nodeOf(network)
    const head = await readHead(network, liar)
    if (typeof head === 'string') throw new Error(head)
    const problem = 'the node tells another time than a second one'
    for (const timestamp of [0, head.timestamp - 61, head.timestamp + 1000])
      expect(await findClockProblem(network, liar, { ...head, timestamp })).toBe(problem)
  })

  it('is not behind a node that fails or has another chain', async () => {
    const chain = await aChain()
    await chain.mine(5)
    for (const fault of [
      { effect: { http: 'drop', reach: 'none' } },
      { on: ['eth_chainId'], effect: { result: '0x5' } },
    ] as const) {
      await chain.setFaults({ node: 'first', effect: { behind: 3 } }, { ...fault, node: 'second' })
      expect(await problemOfFirst(chain, 3600, 'first', 'second')).toBe(null)
    }
  })

  it('is compared with another one only when the block is a minute old', async () => {
    const chain = await aChain()
    await chain.mine(5)
    await chain.setFaults({ node: 'first', effect: { behind: 3 } })
    await chain.takeCounts()
    expect(await problemOfFirst(chain, 59, 'first', 'second')).toBe(null)
    expect((await chain.takeCounts()).calls).toEqual({ eth_chainId: 1, eth_getBlockByNumber: 1 })
  })
})
