import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig, defineProject } from 'vitest/config'
import { generateSigningKey, generators } from './scripts/operate/keys/generate.ts'
import { isolateEnvironment } from './test/support/environment.ts'
import { PATIENCE } from './test/support/patience.ts'

const secrets = {
  JWT_KEYS: JSON.stringify({ keys: [await generateSigningKey()] }),
  // The first account of anvil.
  TRANSFER_SIGNER_KEYS: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  DELIVERY_KEY_SECRET: '07'.repeat(32),
  CODE_KEYS: await generators.CODE_KEYS(),
}

/** For `npm run fuzz`, `fuzz:hostile`, `chaos` and `chaos:lies`. A seed reproduces a run. */
const { FUZZ_SEED = '1', FUZZ_RUNS, HOSTILE_SEED = '1', HOSTILE_STEPS } = process.env
const { CHAOS_SEED, CHAOS_ITEMS } = process.env
const { LIES_SEED = '1', LIES_CASES = '200' } = process.env

isolateEnvironment()
// Wrangler reads required secrets from the environment, and warns if they are missing.
Object.assign(process.env, secrets)

/** Limits that a busy machine reaches only if something stands still. */
const limits = {
  testTimeout: 3 * PATIENCE,
  hookTimeout: 3 * PATIENCE,
  expect: { poll: { timeout: PATIENCE } },
}

/** Files that `npm run test:long` repeats with more cases, seeds or rows, by their project. */
const extended = {
  workers: [
    'test/{authorization,costs}.test.ts',
    'test/avatars/picture.test.ts',
    'test/fuzz/*.test.ts',
    'test/delivery/{campaign,fairness,lies,limits,nodes,reorganization,resilience,restore,run,wrong-answers}.test.ts',
    'test/catalogue/{check-listings,round-trip}.test.ts',
    'test/monitoring/thefts.test.ts',
    'test/reservations/model.test.ts',
  ],
  scripts: [
    'test/scripts/{backup,setup}.test.ts',
    'test/scripts/catalogue/chain/collection.test.ts',
  ],
  instance: [
    'test/browser/claim.test.ts',
    'test/client/{guides,import,import-local,package,trigger}.test.ts',
    'test/check-my-shop/check-my-shop.test.ts',
  ],
}

/**
 * Selects files: `npm run test:long` runs those named `*.long.test.ts` and the extended ones, and `npm
 * test` all but the former.
 */
const filesIn = (folders: string, isLong: boolean, extendedFiles: readonly string[]) =>
  isLong
    ? { include: [`${folders}/**/*.long.test.ts`, ...extendedFiles] }
    : { include: [`${folders}/**/*.test.{ts,tsx}`], exclude: ['**/*.long.test.ts'] }

/** Tests of the Worker. They run in workerd. */
const workers = (isLong: boolean) => {
  const { include, exclude = [] } = filesIn('test', isLong, extended.workers)
  return defineProject({
    plugins: [
      cloudflareTest(async ({ inject }) => ({
        wrangler: { configPath: './wrangler.toml' },
        miniflare: {
          bindings: {
            MIGRATIONS: await readD1Migrations('./migrations'),
            PUBLIC_URL: 'https://marketplace.test',
            LOOPBACK_HOSTS: inject('remoteHost'),
            // Tests send more mails and pictures than an instance may in a day.
            MAX_MAILS_PER_HOUR: '1000000',
            MAX_MAILS_PER_DAY: '1000000',
            MAX_PICTURES_PER_DAY: '1000000',
            MAX_ART_PER_DAY: '1000000',
            // These override .dev.vars, which `npm run dev` writes.
            ...secrets,
          },
          // Stands for a replica of DB: test/support/replica.ts.
          d1Databases: { REPLICA: 'replica' },
          // Queues without a consumer: a test that needs the consumer calls it.
          queueProducers: {
            DELIVERIES: 'deliveries',
            WEBHOOKS: 'webhooks',
            MASTER_WEBHOOKS: 'master-webhooks',
          },
          // Tests send more requests than a client may.
          ratelimits: {
            RATE_LIMIT: { namespace_id: '1001', simple: { limit: 1e9, period: 60 } },
            USER_RATE_LIMIT: { namespace_id: '1005', simple: { limit: 1e9, period: 60 } },
            MASTER_RATE_LIMIT: { namespace_id: '1006', simple: { limit: 1e9, period: 60 } },
            SIGN_IN_LIMIT: { namespace_id: '1002', simple: { limit: 1e9, period: 60 } },
            AVATAR_LIMIT: { namespace_id: '1003', simple: { limit: 1e9, period: 60 } },
            TOKEN_LIMIT: { namespace_id: '1004', simple: { limit: 1e9, period: 60 } },
            CONTENT_LIMIT: { namespace_id: '1007', simple: { limit: 1e9, period: 60 } },
            HOLDER_LIMIT: { namespace_id: '1008', simple: { limit: 1e9, period: 60 } },
          },
        },
      })),
    ],
    test: {
      name: 'workers',
      include,
      exclude: ['test/{scripts,client,check-my-shop,browser}/**', ...exclude],
      ...limits,
      setupFiles: ['test/support/setup.ts'],
      // Starting a worker and loading the modules takes longer than most test files. Files share them,
      // and setup.ts empties the database and the caches before each file.
      isolate: false,
      globalSetup: ['test/support/chain/server.ts', 'test/avatars/remote-server.ts'],
      provide: {
        isLong,
        fuzz: { seed: +FUZZ_SEED, runs: +(FUZZ_RUNS ?? (isLong ? 10_000 : 200)) },
        hostile: { seed: +HOSTILE_SEED, steps: +(HOSTILE_STEPS ?? (isLong ? 3000 : 100)) },
        campaigns: {
          seeds: CHAOS_SEED ? [+CHAOS_SEED] : isLong ? [1, 2, 3] : [1],
          items: +(CHAOS_ITEMS ?? (isLong ? 80 : 10)),
        },
        lies: { seed: +LIES_SEED, cases: +LIES_CASES },
      },
    },
  })
}

/** Tests of commands and documents. They run in Node. */
const scripts = (isLong: boolean) =>
  defineProject({
    test: {
      name: 'scripts',
      ...limits,
      ...filesIn('test/scripts', isLong, extended.scripts),
      provide: { isLong },
      // Importing wrangler takes two seconds for each process.
      isolate: false,
    },
  })

/** Tests of pages, in Chromium, and of what shops install. They share one `npm run dev`. */
const instance = (isLong: boolean) =>
  defineProject({
    test: {
      name: 'instance',
      ...limits,
      ...filesIn('test/{client,check-my-shop,browser}', isLong, extended.instance),
      provide: { isLong },
      isolate: false,
      globalSetup: ['test/support/instance/setup.ts', 'test/browser/chromium.ts'],
    },
  })

export default defineConfig(({ mode }) => ({
  test: {
    projects: [workers, scripts, instance].map((project) => project(mode === 'long')),
    // Every request logs a line. Only failed tests show theirs.
    silent: 'passed-only',
    // Vitest leaves one core free by default. That halves the speed of a machine with two cores.
    maxWorkers: '100%',
  },
}))
