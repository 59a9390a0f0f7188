/** Tests must depend neither on the shell in which they are started nor on the speed of the machine. */
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { call } from '../support/call.ts'
import { environment, INHERITED, OF_TESTS } from '../support/environment.ts'

/** What `vitest.config.ts`, Vitest and `scripts/operate/database/local.ts` set. */
const SET = [
  ...['JWT_KEYS', 'TRANSFER_SIGNER_KEYS', 'DELIVERY_KEY_SECRET'],
  ...['NODE_ENV', 'MODE', 'DEV', 'PROD', 'SSR', 'BASE_URL', 'FORCE_TTY'],
  ...['VITEST_MODE', 'VITEST_POOL_ID', 'VITEST_WORKER_ID', 'WRANGLER_LOG'],
  ...['CLOUDFLARE_CF_FETCH_ENABLED', 'WRANGLER_SEND_METRICS', 'NODE_COMPILE_CACHE'],
]

/** The files of the tests that may read the environment: the others use `environment()`. */
const READERS = [
  'test/browser/accessibility.ts',
  'test/browser/chromium.ts',
  'test/scripts/isolation.test.ts',
  'test/support/environment.ts',
]

it('gives tests no variable of the shell but those that every machine has', () => {
  const others = Object.keys(process.env).filter(
    (name) => ![...INHERITED, ...OF_TESTS, ...SET].includes(name),
  )
  expect(others).toEqual([])
})

it('gives a command that is called none of the variables of this process', async () => {
  process.env.RPC_PORT = '1'
  const printVariables = async () => {
    console.log(JSON.stringify(Object.keys(process.env).sort()))
    return 0
  }
  const { out } = await call(printVariables, [], { NAME: 'value' })
  const isLeft = process.env.RPC_PORT === '1'
  delete process.env.RPC_PORT
  expect(JSON.parse(out)).toEqual([...Object.keys(environment()), 'NAME'].sort())
  expect(isLeft).toBe(true)
})

it('reads the environment in no other file of the tests', () => {
  const files = globSync('test/**/*.{ts,tsx}').filter((file) => {
    const code = readFileSync(file, 'utf8').replaceAll(/'[^'\n]*'/g, "''")
    return /process\.env|import\.meta\.env/.test(code)
  })
  expect(files.sort()).toEqual(READERS)
})
