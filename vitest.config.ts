import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig, defineProject } from 'vitest/config'
import { generateSigningKey } from './src/identity/tokens.ts'

const secrets = {
  JWT_KEYS: JSON.stringify({ keys: [await generateSigningKey()] }),
  // The first account that anvil funds.
  TRANSFER_SIGNER_KEY: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
}
// Wrangler looks for required secrets here, and warns when there are none.
Object.assign(process.env, secrets)

/** Set by `npm run fuzz`; the tests take the same way every time. */
const { FUZZ_SEED = '1', FUZZ_RUNS = '3000' } = process.env

/** What `npm run chaos` asks for; otherwise short campaigns of a few seeds. */
const { CHAOS_SEED, CHAOS_ITEMS = '80' } = process.env
const campaigns = { seeds: CHAOS_SEED ? [Number(CHAOS_SEED)] : [1, 2, 3], items: +CHAOS_ITEMS }

/** Everything that the Worker does, inside the platform's own runtime. */
const workers = defineProject({
  plugins: [
    cloudflareTest(async ({ inject }) => ({
      wrangler: { configPath: './wrangler.toml' },
      miniflare: {
        bindings: {
          MIGRATIONS: await readD1Migrations('./migrations'),
          PUBLIC_URL: 'https://marketplace.test',
          AVATAR_LOOPBACK_HOSTS: inject('remoteHost'),
          // Win over a .dev.vars that `npm run dev` has written.
          ...secrets,
        },
        // A test asks more often than a client may.
        ratelimits: {
          RATE_LIMIT: { namespace_id: '1001', simple: { limit: 1e9, period: 60 } },
          SIGN_IN_LIMIT: { namespace_id: '1002', simple: { limit: 1e9, period: 60 } },
        },
      },
    })),
  ],
  test: {
    name: 'workers',
    include: ['test/**/*.test.{ts,tsx}'],
    exclude: ['test/{scripts,client,browser}/**'],
    setupFiles: ['test/support/setup.ts'],
    // A test waits for real chains and pictures, and for the tests beside it.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    globalSetup: ['test/support/chain/server.ts', 'test/avatars/remote-server.ts'],
    provide: { fuzz: { seed: Number(FUZZ_SEED), runs: Number(FUZZ_RUNS) }, campaigns },
  },
})

/** What an operator types, and what an integrator's tools make of the API: plain Node. */
const scripts = defineProject({
  test: {
    name: 'scripts',
    include: ['test/{scripts,client}/**/*.test.ts'],
    testTimeout: 180_000,
  },
})

/** What people see: a real browser in front of `npm run dev`. */
const browser = defineProject({
  test: {
    name: 'browser',
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/browser/chromium.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})

export default defineConfig({
  test: {
    projects: [workers, scripts, browser],
    // Each request logs a line: shown for the tests that fail.
    silent: 'passed-only',
    // One core less is the default, which of two leaves one; and a test mostly waits for workerd.
    maxWorkers: '100%',
  },
})
