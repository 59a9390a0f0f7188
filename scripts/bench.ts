/**
 * How fast the API is, beside two others that give the same answers: a floor, which is the least
 * a Worker can do (bench/floor.ts), and the same API as one would usually write it on Node
 * (bench/node.ts). They take turns, so what else the machine does hits all alike: only the ratios
 * mean something.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { generateSigningKey, publicKeys } from '../src/identity/tokens.ts'
import { type Execute, fill, issuerUrl, masterToken } from './bench/catalogue.ts'
import { type Call, load, type Round } from './bench/load.ts'
import { serveNode, serveWorker } from './bench/serve.ts'
import { measureTransfers } from './bench/transfers.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SECONDS = Number(process.env.SECONDS ?? 3)

const SIZE = { users: 10_000, nfts: 10_000, orders: 100_000 }

const key = await generateSigningKey()
const { jwt: token, sql } = await masterToken(key)
const jwks = JSON.stringify(publicKeys({ url: issuerUrl, keys: [key] }))
const bindings = {
  PUBLIC_URL: issuerUrl,
  EMAIL_FROM: 'marketplace@example.com',
  NETWORKS: '{}',
  REDIRECT_ORIGINS: '[]',
  JWT_KEYS: JSON.stringify({ keys: [key] }),
  TRANSFER_SIGNER_KEY: `0x${'1'.repeat(64)}`,
}

let turn = 0
const userId = () => 10 + (turn++ % (SIZE.users - 10))
const order = () => {
  // Two of three can be had more than once.
  const nftId = 2 + 3 * (turn++ % Math.floor(SIZE.nfts / 3 - 1))
  return { nftId, listingId: nftId, quantity: 1, buyerUserId: userId() }
}

const calls: Call[] = [
  { name: 'list addresses', method: 'GET', path: '/api/public/user/me/deliveryAddresses', token },
  {
    name: 'create an address',
    method: 'POST',
    path: '/api/public/deliveryAddress',
    token,
    body: () => ({ userId: userId(), name: 'Bo Buyer', street: 'Torstraße 1', city: 'Berlin' }),
  },
  { name: 'read an order', method: 'GET', path: '/api/externalOrders/4711', token },
  {
    name: 'place 1 order',
    method: 'POST',
    path: '/api/externalOrders',
    token,
    body: () => [order()],
  },
  {
    name: 'place 100 orders',
    method: 'POST',
    path: '/api/externalOrders',
    token,
    body: () => Array.from({ length: 100 }, order),
  },
  { name: 'stats', method: 'GET', path: '/api/public/stats' },
]

const filled = (execute: Execute) => fill(execute, SIZE, sql)
const contenders = [
  await serveWorker('this API', 'src/worker.ts', bindings, filled),
  await serveWorker('floor', 'scripts/bench/floor.ts', { ...bindings, JWT_KEYS: jwks }, filled),
  await serveNode('Fastify on Node', jwks, issuerUrl, filled),
]

/** Medians of this API, for `npm run costs`. */
const measured: Record<string, number> = {}
/** The README's table. */
const summary: string[] = []

const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0

try {
  for (const call of calls) {
    const rounds = contenders.map((): Round[] => [])
    for (let round = -1; round < ROUNDS; round++) {
      for (const [i, contender] of contenders.entries()) {
        const result = await load(contender, call, SECONDS)
        // The first round only warms up.
        if (round >= 0) rounds[i]?.push(result)
      }
    }
    const floor = rounds[1] ?? []
    measured[call.name] = middle(
      (rounds[0] ?? []).map(({ requestsPerSecond }) => requestsPerSecond),
    )
    const results = contenders.map(({ name }, i) => {
      const mine = rounds[i] ?? []
      const speeds = mine.map(({ requestsPerSecond }) => requestsPerSecond)
      const ratios = speeds.map((speed, r) => speed / (floor[r]?.requestsPerSecond ?? Number.NaN))
      return {
        name,
        'requests/s': Math.round(middle(speeds)),
        spread: `${Math.round(Math.min(...speeds))}–${Math.round(Math.max(...speeds))}`,
        'p50 ms': middle(mine.map(({ p50 }) => p50)),
        'p99 ms': middle(mine.map(({ p99 }) => p99)),
        'of the floor': middle(ratios).toFixed(2),
      }
    })
    console.log(`\n${call.name}`)
    console.table(results)
    const columns = results.map((row) => `${row['requests/s']} (${row['of the floor']})`)
    summary.push(`| ${call.name} | ${columns.join(' | ')} |`)
  }
} finally {
  await Promise.all(contenders.map(({ stop }) => stop()))
}

console.log('\nRequests a second, and what part of the floor that is:\n')
console.log(`| call | ${contenders.map(({ name }) => name).join(' | ')} |\n|---|---|---|---|`)
console.log(summary.join('\n'))

const { transferred, placed, seconds } = await measureTransfers(bindings, token, (execute) =>
  fill(execute, { users: 1000, nfts: 10, orders: 0 }, sql),
)
const transfersPerSecond = Math.round(transferred / seconds)
console.log(
  `\n${transferred} orders placed and transferred, receipts confirmed: ` +
    `${seconds.toFixed(1)} s, ${transfersPerSecond} a second, one signer; the last order was ` +
    `answered after ${placed.toFixed(1)} s, while the first were transferred`,
)

const startup = execFileSync(
  'wrangler',
  ['check', 'startup', '--args=--env production', '--outfile', 'dist/bench/startup.cpuprofile'],
  { encoding: 'utf8' },
)
console.log(`\nStart-up: ${/Active: [\d.]+ ms/.exec(startup)?.[0] ?? 'not told'} of CPU time`)

writeFileSync(
  'scripts/costs/measured.json',
  `${JSON.stringify({ requestsPerSecond: measured, transfersPerSecond }, null, 2)}\n`,
)
