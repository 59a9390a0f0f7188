/**
 * `npm run bench`: measures the speed of the API relative to a floor (bench/floor.ts). Compare
 * ratios only: speeds depend on the machine and on what else it does.
 */
import { execFileSync } from 'node:child_process'
import { addressColumns } from '../../src/addresses/schema.ts'
import { publicKeys } from '../../src/auth/tokens.ts'
import { generateSigningKey } from '../operate/keys/signing-key.ts'
import { defineCommand, parseInteger, start, UsageError } from '../shell/command.ts'
import { createPairs } from './bench/calls.ts'
import { createMasterToken, databaseSql } from './bench/database.ts'
import { measurePairs, type Result } from './bench/measure.ts'
import { measureTransfers, type Scenario } from './bench/transfers.ts'
import { measureWebhooks } from './bench/webhooks.ts'
import { bindingsFor, SWITCHED_OFF, serveWorker } from './bench/worker.ts'

const key = await generateSigningKey()
const issuer = { url: 'https://bench.test', keys: [key] }
const token = await createMasterToken(issuer)
const bindings = await bindingsFor(issuer)

const scenarios: Scenario[] = [
  {
    title: 'a block for each transaction',
    items: 5000,
    network: { itemsPerTransaction: 50, transactionsInFlight: 8 },
  },
  {
    title: 'a block of 30M gas every 2 seconds',
    items: 3000,
    blockTime: 2,
    network: { itemsPerTransaction: 50, transactionsInFlight: 12 },
  },
]

type Numbers = typeof full

/** How much is measured. */
const full = {
  catalogue: { users: 10_000, nfts: 10_000, orders: 100_000 },
  /** The most of each scenario. */
  items: 5000,
  load: { oldEvents: 1_000_000, newEvents: 10_000, seconds: 60 },
  /** Of each call, and seconds of a round. */
  rounds: 10,
  seconds: 2,
}

/** The least with which every statement of the bench runs. */
const brief: Numbers = {
  catalogue: { users: 1000, nfts: 300, orders: 5000 },
  items: 100,
  load: { oldEvents: 1000, newEvents: 1000, seconds: 6 },
  rounds: 1,
  seconds: 1,
}

const parts: Record<string, (numbers: Numbers) => Promise<void> | void> = {
  calls: benchCalls,
  transfers: benchTransfers,
  webhooks: benchWebhooks,
  startup: benchStartup,
}

export const command = defineCommand(
  {
    name: 'npm run bench',
    purpose:
      'Measures the speed of the API relative to a floor. Compare ratios only: speeds depend on the machine and on what else it does.',
    options: {
      only: { value: 'PART', help: 'Measure calls, transfers, webhooks or startup.' },
      rounds: { value: 'N', help: 'Rounds of each call. Default: 10' },
      brief: { help: 'Measure next to nothing: does the bench still work?' },
    },
    example: 'npm run bench -- --only calls --rounds 3',
  },
  async ({ only, rounds, brief: isBrief }) => {
    const numbers = isBrief ? brief : full
    if (rounds) numbers.rounds = parseInteger('--rounds', rounds, 1)
    if (only && !(only in parts)) throw new UsageError(`There is no part "${only}".`)
    for (const [name, run] of Object.entries(parts)) if (!only || only === name) await run(numbers)
  },
)

async function benchCalls({ catalogue, rounds, seconds }: Numbers): Promise<void> {
  const sql = [...databaseSql(catalogue), ...token.sql]
  await using api = await serveWorker({ main: 'src/worker.ts', bindings, sql })
  await using floor = await serveWorker({
    main: 'scripts/measure/bench/floor.ts',
    bindings: {
      ...bindings,
      JWT_KEYS: JSON.stringify(publicKeys(issuer)),
      COLUMNS: Object.keys(addressColumns).join(),
    },
    sql,
  })
  const servers = { api: api.url, floor: floor.url }
  const pairs = createPairs(servers, token.jwt, catalogue)
  const results = await measurePairs(pairs, rounds, seconds)
  console.log(`${markdown(results)}\n\n${SWITCHED_OFF}\n`)
}

function markdown(results: readonly Result[]): string {
  const rows = results.map(({ pair, api, floor, ratio }) => [
    pair.name,
    ...[api.requestsPerSecond, api.p99].map(Math.round),
    `${Math.round(floor.requestsPerSecond)} (${pair.floor.method === 'GET' ? 'read' : 'write'})`,
    ratio.toFixed(2),
    pair.bar ? `≥ ${pair.bar.toFixed(2)}` : '',
  ])
  const head = ['call', 'requests/s', 'p99 ms', 'floor requests/s', 'ratio', 'bar']
  const line = head.map((_, i) => (i === 0 ? '---' : '--:'))
  return [head, line, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

async function benchTransfers({ items }: Numbers): Promise<void> {
  const sql = [...databaseSql({ users: 1000, nfts: 10, orders: 0 }), ...token.sql]
  for (const scenario of scenarios) {
    const { transferred, seconds, placedAfter } = await measureTransfers(bindings, token.jwt, sql, {
      ...scenario,
      items: Math.min(scenario.items, items),
    })
    const { itemsPerTransaction, transactionsInFlight } = scenario.network
    console.log(
      `Transfers, ${scenario.title}: ${Math.round(transferred / seconds)} items/s with one signer, ` +
        `${itemsPerTransaction} items a transaction and ${transactionsInFlight} transactions in ` +
        `flight. ${transferred} orders were placed within ${placedAfter.toFixed(1)} s, and their ` +
        `items confirmed within ${seconds.toFixed(1)} s.\n`,
    )
  }
}

async function benchWebhooks({ load }: Numbers): Promise<void> {
  const sql = [...databaseSql({ users: 1000, nfts: 10, orders: 1000 }), ...token.sql]
  const messagesPerSecond = await measureWebhooks(bindings, token.jwt, sql, load)
  console.log(
    `Webhooks: ${messagesPerSecond.toFixed(1)} messages/s in ${load.seconds} s to a receiver that ` +
      `answers in 50 ms, with a log of ${load.oldEvents.toLocaleString('en')} events.\n`,
  )
}

function benchStartup(): void {
  const output = execFileSync(
    'wrangler',
    ['check', 'startup', '--args=--env production', '--outfile', 'dist/bench/startup.cpuprofile'],
    { encoding: 'utf8' },
  )
  console.log(`Start-up: ${/Active: ([\d.]+ ms)/.exec(output)?.[1] ?? 'unknown'} of CPU time`)
}

if (import.meta.main) await start(command)
