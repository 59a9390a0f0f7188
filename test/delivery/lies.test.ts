/** One of two nodes lies, then is honest: ten minutes later everything is delivered, and no value stays. */
import { it, vi } from 'vitest'
import { aCase, type LieCase } from '../support/delivery/lies/cases.ts'
import type { Lie } from '../support/delivery/lies/liar.ts'
import { play } from '../support/delivery/lies/play.ts'
import { aLiarsStage } from '../support/delivery/lies/world.ts'

vi.setConfig({ testTimeout: 120_000 })

const begin = aLiarsStage()
const ALWAYS = { skip: 0, times: Number.POSITIVE_INFINITY }
const ONCE = { skip: 0, times: 1 }

const newest = (path: string, value: string): Lie => ({
  ...{ target: 'eth_getBlockByNumber latest', path, value, draw: 0, ...ALWAYS },
  kind: path === 'number' ? 'number' : 'time',
})

const cases: [title: string, one: Parameters<typeof aCase>[0]][] = [
  [
    'swallows a broadcast, then gives a receipt for it with number and hash of a real block',
    {
      moment: 'before signing',
      lies: [{ story: 'swallows a transaction, and has a receipt of it, without events', draw: 0 }],
    },
  ],
  [
    'has a receipt with block 2^31, while a transaction is searched',
    {
      moment: 'while transactions are searched',
      lies: [{ story: 'has mined transactions in block 2^31', draw: 0 }],
    },
  ],
  [
    'has a receipt with block 2^31, at the daily comparison',
    {
      moment: 'at the daily comparison',
      lies: [{ story: 'has mined transactions in block 2^31', draw: 0 }],
    },
  ],
  [
    'has a log of another contract, while a transaction is searched',
    {
      moment: 'while transactions are searched',
      lies: [{ story: 'has events of another contract', draw: 0 }],
    },
  ],
  [
    'has a transaction with the nonce 10^9, while a transaction is searched',
    {
      moment: 'while transactions are searched',
      lies: [{ story: 'has mined transactions with the nonce 10^9', draw: 0 }],
    },
  ],
  [
    'has a transaction with the nonce 10^9, at the daily comparison',
    {
      moment: 'at the daily comparison',
      lies: [{ story: 'has mined transactions with the nonce 10^9', draw: 0 }],
    },
  ],
  [
    'has a head of 2^64 - 1',
    { moment: 'before signing', lies: [newest('number', '2^64 - 1')], minutes: 12 },
  ],
  [
    'has events whose data is 0x, of a transaction in flight',
    { moment: 'while in flight', lies: [{ story: 'has events without data', draw: 0 }] },
  ],
  [
    'has events whose data is 0x, while a transaction is searched',
    {
      moment: 'while transactions are searched',
      lies: [{ story: 'has events without data', draw: 0 }],
    },
  ],
  [
    'has a block time in the year 10^9',
    { moment: 'before signing', lies: [newest('timestamp', 'the year 10^9')] },
  ],
  [
    'answers with 300 MB',
    { moment: 'before signing', lies: [{ transport: 'an answer of 300 MB of spaces', ...ALWAYS }] },
  ],
  [
    'has an answer that never ends',
    {
      moment: 'before signing',
      lies: [{ transport: 'an answer that stands still after its first bytes', ...ALWAYS }],
    },
  ],
  [
    'has fresh blocks with old state, while a thief uses the key of a signer',
    {
      moment: 'after all is final',
      isOrdering: false,
      hasThief: true,
      minutes: 5,
      lies: [{ story: 'has fresh blocks and old state', draw: 0 }],
    },
  ],
  [
    'has the event of a transfer that did not happen, while a transaction is searched',
    {
      moment: 'while transactions are searched',
      lies: [{ story: 'has the events of all transfers', draw: 0 }],
    },
  ],
  [
    'has the event of a transfer that did not happen, of a transaction in flight',
    { moment: 'while in flight', lies: [{ story: 'has the events of all transfers', draw: 0 }] },
  ],
  [
    'says that every key is used for its delivery, for longer than one node alone is believed',
    {
      moment: 'before signing',
      minutes: 16,
      lies: [
        newest('number', 'a thousand more'),
        { story: 'says that every key is used for its delivery', draw: 0 },
      ],
    },
  ],
]
void ONCE

it.each(
  cases.flatMap(([title, one]) =>
    ([0, 1] as const).map((liar): [string, LieCase] => [
      `node ${liar} ${title}`,
      aCase({ ...one, liar }),
    ]),
  ),
)('%s', async (_, one) => {
  await play(begin, one)
})
