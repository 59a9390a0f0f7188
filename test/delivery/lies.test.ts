/**
 * One of two nodes lies, then is honest. Ten minutes later everything is delivered, exactly once, and
 * no wrong value is left. lies.long.test.ts draws lies from seeds.
 */
import { describe, it, vi } from 'vitest'
import { firstCases } from '../support/cases.ts'
import { aCase, type LieCase } from '../support/delivery/lies/cases.ts'
import type { Lie } from '../support/delivery/lies/liar.ts'
import { play } from '../support/delivery/lies/play.ts'
import type { StoryName } from '../support/delivery/lies/stories.ts'
import type { TransportName } from '../support/delivery/lies/transport.ts'
import { aLiarsStage } from '../support/delivery/lies/world.ts'

vi.setConfig({ testTimeout: 120_000 })

const stage = aLiarsStage()

const ALWAYS = { skip: 0, times: Number.POSITIVE_INFINITY }
const story = (name: StoryName): Lie => ({ story: name, draw: 0 })
const transport = (name: TransportName): Lie => ({ transport: name, ...ALWAYS })

/** Something about the newest block. */
const newest = (path: 'number' | 'timestamp', value: string): Lie => ({
  target: 'eth_getBlockByNumber latest',
  path,
  kind: path === 'number' ? 'number' : 'time',
  value,
  draw: 0,
  ...ALWAYS,
})

const hashless: Lie = {
  target: 'eth_getTransactionByHash',
  path: 'hash',
  kind: 'hash',
  value: 'null',
  draw: 0,
  ...ALWAYS,
}

/** `npm test` plays the first six. */
const cases: Record<string, Pick<LieCase, 'moment' | 'lies'> & Partial<LieCase>> = {
  'swallows a broadcast, then gives a receipt for it with number and hash of a real block': {
    moment: 'before signing',
    lies: [story('swallows a transaction, and has a receipt of it, without events')],
  },
  'counts transactions that nobody sent': {
    moment: 'before signing',
    lies: [story('counts five transactions more')],
  },
  'has a receipt with block 2^31, while a transaction is searched': {
    moment: 'while transactions are searched',
    lies: [story('has mined transactions in block 2^31')],
  },
  'has the event of a transfer that did not happen, of a transaction in flight': {
    moment: 'while in flight',
    lies: [story('has the events of all transfers')],
  },
  'has a head of 2^64 - 1': {
    moment: 'before signing',
    lies: [newest('number', '2^64 - 1')],
    minutes: 12,
  },
  'has a block time in the year 10^9': {
    moment: 'before signing',
    lies: [newest('timestamp', 'the year 10^9')],
  },
  'has a receipt with block 2^31, at the daily comparison': {
    moment: 'at the daily comparison',
    lies: [story('has mined transactions in block 2^31')],
  },
  'has a log of another contract, while a transaction is searched': {
    moment: 'while transactions are searched',
    lies: [story('has events of another contract')],
  },
  'has a transaction with the nonce 10^9, while a transaction is searched': {
    moment: 'while transactions are searched',
    lies: [story('has mined transactions with the nonce 10^9')],
  },
  'has a transaction with the nonce 10^9, at the daily comparison': {
    moment: 'at the daily comparison',
    lies: [story('has mined transactions with the nonce 10^9')],
  },
  'has the event of a transfer that did not happen, while a transaction is searched': {
    moment: 'while transactions are searched',
    lies: [story('has the events of all transfers')],
  },
  'has events whose data is 0x, of a transaction in flight': {
    moment: 'while in flight',
    lies: [story('has events without data')],
  },
  'has events whose data is 0x, while a transaction is searched': {
    moment: 'while transactions are searched',
    lies: [story('has events without data')],
  },
  'answers with 300 MB': {
    moment: 'before signing',
    lies: [transport('an answer of 300 MB of spaces')],
  },
  'has an answer that never ends': {
    moment: 'before signing',
    lies: [transport('an answer that stands still after its first bytes')],
  },
  'has fresh blocks with old state, while a thief uses the key of a signer': {
    moment: 'after all is final',
    lies: [story('has fresh blocks and old state')],
    minutes: 5,
    isOrdering: false,
    hasThief: true,
  },
  'says for 12 minutes that no key is used, at the daily comparison': {
    moment: 'at the daily comparison',
    lies: [story('says that no key is used')],
    minutes: 12,
  },
  'has no transaction for 12 minutes, while transactions are searched': {
    moment: 'while transactions are searched',
    lies: [hashless],
    minutes: 12,
  },
  'says that every key is used, for longer than it takes to believe one node alone': {
    moment: 'before signing',
    lies: [
      newest('number', 'a thousand more'),
      story('says that every key is used for its delivery'),
    ],
    minutes: 16,
  },
}

describe.each(firstCases(1, [0, 1] as const))('node %s', (liar) => {
  it.each(firstCases(4, Object.entries(cases)))('%s', async (_, one) => {
    await play(stage, aCase({ ...one, liar }))
  })
})
