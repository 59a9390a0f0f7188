/** How providers limit what is read of them, in their own words. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readCollection } from '../../../../scripts/catalogue/chain/read.ts'
import {
  aChain,
  aFile,
  aProvider,
  type Chain,
  type Contract,
  type Refusal,
  type Rule,
  recordsIn,
} from './world.ts'

let chain: Chain
/** 300 tokens in 30 of 120 blocks. */
let contract: Contract
let first: number
let last: number
let waits: number[]

beforeAll(async () => {
  chain = await aChain()
  contract = await chain.aCollection()
  first = Number(await chain.client.getBlockNumber())
  for (let i = 0; i < 30; i++) {
    await contract.send('mint', BigInt(i * 10), 10n)
    await chain.mine(3)
  }
  last = Number(await chain.client.getBlockNumber())
})
afterAll(() => chain.stop())
beforeEach(() => {
  waits = []
})

async function read(...rpcUrls: string[]) {
  const file = await aFile()
  const collection = await readCollection({
    network: chain.network(rpcUrls),
    address: contract.address,
    file,
    wait: async (milliseconds) => waits.push(milliseconds),
  })
  return { ...collection, tokens: recordsIn(file).length - 1 }
}

const error = (code: number, message: string): Refusal => ({ error: { code, message } })

/** Limits of blocks, by provider. */
const blockLimits: [string, number, Refusal][] = [
  [
    'Alchemy',
    10,
    {
      status: 400,
      body: {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32600,
          message:
            'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x0, 0x9].',
        },
      },
    },
  ],
  ['Infura', 50, error(-32602, 'range 1000000 exceeds limit of 50')],
  ['QuickNode', 5, error(-32614, 'eth_getLogs is limited to a 5 range')],
  ['dRPC', 100, error(35, 'ranges over 100 blocks are not supported on freetier')],
  ['BSC', 7, error(-32005, 'limit exceeded')],
  ['Ankr', 30, error(-32062, 'Block range is too large')],
  ['Chainstack', 1, error(-32000, 'Block range limit exceeded. See more details at …')],
  ['a gateway', 40, { status: 504, body: '<html>Gateway Timeout</html>' }],
  ['a proxy', 20, { status: 413 }],
]

it.each(blockLimits)('reads smaller ranges at %s: %i blocks', async (_, limit, refusal) => {
  const rule: Rule = (_, blocks) => (blocks > limit ? refusal : undefined)
  const { url, seen } = await aProvider(chain.url, rule)
  expect((await read(url)).tokens).toBe(300)
  expectConsecutive(seen.ranges)
})

it.each([
  [
    'Alchemy',
    error(-32602, 'Log response size exceeded. This block range should work: [0x0, 0x9]'),
  ],
  ['Infura', error(-32005, 'query returned more than 25 results')],
  ['Infura', error(-32005, 'query timeout exceeded')],
  ['Polygon', error(-32000, 'Query timeout exceeded. Consider reducing your block range.')],
])('reads smaller ranges at %s, which limits the answer: %j', async (_, refusal) => {
  const { url, seen } = await aProvider(chain.url, (_call, _blocks, logs) =>
    logs > 25 ? refusal : undefined,
  )
  expect((await read(url)).tokens).toBe(300)
  expectConsecutive(seen.ranges)
  expect(waits).toEqual([])
})

it('does not ask for much more than a provider gives, and for larger ranges again', async () => {
  const { url, seen } = await aProvider(chain.url, (_, blocks) =>
    blocks > 4 ? error(-32602, 'range exceeds limit of 4') : undefined,
  )
  await read(url)
  const refused = (seen.calls.eth_getLogs ?? 0) - seen.ranges.length
  expect(refused).toBeLessThan(15)
  expect(Math.max(...seen.ranges.map(({ from, to }) => to - from + 1))).toBe(4)
})

describe('a provider that limits calls', () => {
  /** Refuses every other call of eth_getLogs. */
  const everyOther = (refusal: Refusal): Rule => {
    let count = 0
    return ({ method }) => (method === 'eth_getLogs' && count++ % 2 === 0 ? refusal : undefined)
  }

  it.each([
    ['HTTP', { status: 429 }, 250],
    ['HTTP with a time', { status: 429, retryAfter: '7' }, 7000],
    ['QuickNode', error(-32007, '15/second request limit reached'), 250],
    ['Alchemy', error(429, 'Your app has exceeded its compute units per second capacity'), 250],
    ['Infura', error(-32005, 'project ID request rate exceeded'), 250],
    ['dRPC', error(15, 'Too many request, try again later'), 250],
  ])('is asked again later, for the same range: %s', async (_, refusal, delay) => {
    const { url, seen } = await aProvider(chain.url, everyOther(refusal))
    expect((await read(url)).tokens).toBe(300)
    expect(waits).toEqual([delay])
    expect(seen.ranges).toEqual([{ from: first, to: last }])
  })

  it('may limit other calls too', async () => {
    let calls = 0
    const { url } = await aProvider(chain.url, ({ method }) =>
      method === 'eth_call' && calls++ < 3 ? { status: 503 } : undefined,
    )
    expect((await read(url)).tokens).toBe(300)
  })
})

describe('a provider that fails', () => {
  const down: Rule = ({ method }) => (method === 'eth_getLogs' ? { status: 502 } : undefined)

  it('is replaced by the next one', async () => {
    const [one, two] = [await aProvider(chain.url, down), await aProvider(chain.url)]
    expect((await read(one.url, two.url)).tokens).toBe(300)
    expect(one.seen.ranges).toEqual([])
  })

  it('is not replaced by one that lacks the newest blocks', async () => {
    let failures = 0
    const one = await aProvider(chain.url, ({ method }) =>
      method === 'eth_getLogs' && failures++ < 2 ? { status: 502 } : undefined,
    )
    const two = await aProvider(chain.url, ({ method }) =>
      method === 'eth_getBlockByNumber' ? { result: null } : undefined,
    )
    expect((await read(one.url, two.url)).tokens).toBe(300)
    expect(two.seen.calls.eth_getLogs).toBeUndefined()
  })

  it('is given up after about a minute, and the next run continues', async () => {
    const provider = await aProvider(chain.url, down)
    const failed = read(provider.url)
    await expect(failed).rejects.toThrow(
      /^No node of test answers: the node answered with HTTP 502 \(events of blocks \d+ to \d+\)\. Run the command again: it continues where it stopped\.$/,
    )
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000])
  })
})

/** Each block is read once, in order. */
function expectConsecutive(ranges: readonly { from: number; to: number }[]) {
  expect(ranges[0]?.from).toBe(first)
  expect(ranges.at(-1)?.to).toBe(last)
  for (const [i, { from }] of ranges.entries())
    if (i > 0) expect(from).toBe((ranges[i - 1]?.to ?? 0) + 1)
}
