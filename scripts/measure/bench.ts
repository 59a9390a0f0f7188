/** `npm run bench`: measures the speed of the API relative to a floor (bench/floor.ts). */
import { addressColumns } from '../../src/addresses/schema.ts'
import { publicKeys } from '../../src/auth/tokens.ts'
import { generateSigningKey } from '../operate/keys/generate.ts'
import { defineCommand, start } from '../shell/command.ts'
import { createPairs } from './bench/calls.ts'
import { createMasterToken, databaseSql } from './bench/database.ts'
import { measurePair } from './bench/measure.ts'
import { bindingsFor, serveWorker } from './bench/worker.ts'

const key = await generateSigningKey()
const issuer = { url: 'https://bench.test', keys: [key] }
const token = await createMasterToken(issuer)
const bindings = await bindingsFor(issuer)

const full = {
  catalogue: { users: 10_000, nfts: 10_000, orders: 100_000 },
  /** Of each call, and the seconds of a round. */
  rounds: 9,
  seconds: 2,
}
const brief: typeof full = {
  catalogue: { users: 1000, nfts: 300, orders: 5000 },
  rounds: 1,
  seconds: 1,
}

export const command = defineCommand(
  {
    name: 'npm run bench',
    purpose:
      'Measures the speed of calls relative to a floor. Compare ratios only: speeds depend on the machine and on what else it does.',
    options: { brief: { help: 'Measure next to nothing: does the bench still work?' } },
    example: 'npm run bench',
  },
  ({ brief: isBrief }) => bench(isBrief ? brief : full),
)

async function bench({ catalogue, rounds, seconds }: typeof full): Promise<void> {
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
  console.log('| call | requests/s | p99 ms | floor requests/s | ratio | bar |')
  console.log('|---|--:|--:|--:|--:|--:|')
  for (const pair of createPairs({ api: api.url, floor: floor.url }, token.jwt, catalogue)) {
    const measured = await measurePair(pair, rounds, seconds)
    const speeds = [measured.api, measured.p99, measured.floor].map(Math.round)
    const bar = pair.bar ? `≥ ${pair.bar.toFixed(2)}` : ''
    console.log(`| ${[pair.name, ...speeds, measured.ratio.toFixed(2), bar].join(' | ')} |`)
  }
}

if (import.meta.main) await start(command)
