/** Which node of a network is asked. */
import { describe, expect, it } from 'vitest'
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
import { stopClock } from '../support/fake-time.ts'

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

it('a node that is left out does not lead for a minute, is asked all the same, and is logged by its position only', () => {
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
  it('is unknown if the node does not tell it, and says why', async () => {
    const chain = await aChain()
    const network = networkOf(chain, 'node')
    const internal = { code: -32603, message: 'internal error' }
    const cases: [reason: string, effect: Effect, on?: string][] = [
      ['the node cannot be reached', { http: 'drop', reach: 'none' }],
      ['the node did not answer in time', { http: 'hang', reach: 'none' }],
      ['the node cannot be reached', { http: 'malformed', reach: 'none' }],
      ['the node answered with HTTP 503', { http: 503, reach: 'none' }],
      [`the node has chain id 5 instead of ${chain.chainId}`, { result: '0x5' }, 'eth_chainId'],
      ['the node does not tell its chain id', { result: 'five' }, 'eth_chainId'],
      ['the node does not tell the newest block', { result: null }, 'eth_getBlockByNumber'],
      ['the node does not tell the newest block', { result: {} }, 'eth_getBlockByNumber'],
      [
        'the node does not tell the newest block',
        { error: internal, reach: 'none' },
        'eth_getBlockByNumber',
      ],
    ]
    for (const [reason, effect, on] of cases) {
      await chain.setFaults({ ...(on && { on: [on] }), effect })
      expect(await readHead(network, nodeOf(network))).toBe(reason)
    }
  })
})

describe('the time of the newest block', () => {
  const problemAt = (seconds: number, ...names: string[]) => {
    stopClock()
    const timestamp = Math.floor(Date.now() / 1000) + seconds
    const head = { number: 7, hash: '0x07', timestamp, baseFeePerGas: 1n } as const
    return findClockProblem(unaskedNetwork('first', ...names), head)
  }

  it('is at most 15 minutes ahead of the clock', () => {
    expect(problemAt(15 * 60, 'second')).toBeNull()
    expect(problemAt(15 * 60 + 2, 'second')).toBe('the newest block is ahead of the clock')
  })

  it('is that of the chain if there is only one node', () => {
    expect(problemAt(3600)).toBeNull()
  })

  it('may be as old as it likes, because some chains make blocks on demand', () => {
    expect(problemAt(-3600, 'second')).toBeNull()
    expect(problemAt(-10 * 365 * 24 * 3600, 'second')).toBeNull()
  })
})
