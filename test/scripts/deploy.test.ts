import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Address } from 'viem'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { localAccount, toPrivateKey } from '../../scripts/local/chain/accounts.ts'
import { type Anvil, startAnvil } from '../../scripts/local/chain/anvil.ts'
import { deployDelivery } from '../../scripts/local/chain/delivery.ts'
import { deploy as deployContract, sendAs } from '../../scripts/operate/contract/delivery.ts'
import { confirm, createNode } from '../../scripts/operate/contract/node.ts'
import { command } from '../../scripts/operate/deploy.ts'
import { command as migrate } from '../../scripts/operate/migrate.ts'
import { migrations } from '../support/migrations.ts'
import { type Account, type AccountProject, anAccountProject } from '../support/wrangler/account.ts'

vi.mock('../../scripts/shell/child.ts', () => import('../support/wrangler/child.ts'))

const relayer = localAccount(0)
const stranger = localAccount(1)

let anvil: Anvil
let project: AccountProject
let delivery: Address

beforeAll(async () => {
  anvil = await startAnvil({ port: 0 })
  project = await anAccountProject()
  // Of another account than that of local development, because its chain has the same id.
  delivery = await deployDelivery(anvil.url, localAccount(6), [relayer.address])
})

afterAll(async () => {
  await anvil.stop()
  await project.remove()
})

type Settings = { chainId?: number; rpcUrl?: string; delivery?: string; fees?: string }

const FEES = 'maxFeePerGasGwei = 500\nmaxPriorityFeePerGasGwei = 50\n'

function networkToml(environment: string, name: string, changes: Settings = {}): string {
  const settings = { chainId: 31337, rpcUrl: anvil.url, delivery, fees: FEES, ...changes }
  return `[env.${environment}.vars.NETWORKS.${name}]
chainId = ${settings.chainId}
rpcUrls = ["${settings.rpcUrl}"]
delivery = "${settings.delivery}"
finality = 1
${settings.fees}`
}

const DATABASE = '00000000-0000-0000-0000-000000000000'
const WORKER = 'marketplace-staging-api'

/** An account with everything that staging needs. */
const ready: Partial<Account> = {
  databases: [{ uuid: DATABASE, name: 'marketplace-staging' }],
  buckets: { 'marketplace-staging-avatars': [], 'marketplace-staging-content': [] },
  queues: {
    'marketplace-staging-deliveries': [WORKER],
    'marketplace-staging-webhooks': [WORKER],
    'marketplace-staging-master-webhooks': [WORKER],
  },
  workers: {
    [WORKER]: {
      secrets: ['JWT_KEYS', 'TRANSFER_SIGNER_KEYS', 'DELIVERY_KEY_SECRET', 'CODE_KEYS'],
      versions: ['version-1'],
    },
  },
}

/** Removes the placeholders, and configures these networks instead of those of both environments. */
async function configure(networks: string[], account: Partial<Account> = ready) {
  const toml = (await readFile('wrangler.toml', 'utf8'))
    .replaceAll(/\[env\.\w+\.vars\.NETWORKS\.\w+\]\n([^\n]+\n)+/g, '')
    .replaceAll('example.com', 'example.org')
    .replaceAll(/"<from[^"]*"/g, `"${DATABASE}"`)
  await project.reset([toml, ...networks].join('\n'), account)
}

/** Deploys staging. */
const deploy = (...signers: (typeof relayer)[]) =>
  project.call(command, ['--env', 'staging'], {
    TRANSFER_SIGNER_KEYS: signers.map(toPrivateKey).join(', '),
  })

/** The commands that change the account. */
const changes = async () =>
  (await project.read()).commands
    .filter((command) => /^deploy |--file/.test(command))
    .map((command) => command.replace(/--file .*\//, '--file '))
const IMPORT = 'd1 execute DB --remote --env staging --yes --file'
const MIGRATE = migrations.map((file) => `${IMPORT} ${file}`)
const DEPLOY = 'deploy --env staging'

it.each(['staging', 'production'])(
  'serves %s at the host of PUBLIC_URL only, and keeps secrets out of what Cloudflare records',
  (env) => {
    const { routes, workers_dev, preview_urls, observability, vars } = unstable_readConfig({ env })
    const { host } = new URL(`${vars.PUBLIC_URL}`)
    expect(routes).toEqual([{ pattern: host, custom_domain: true }])
    expect({ workers_dev, preview_urls }).toEqual({ workers_dev: false, preview_urls: false })
    expect(observability).toEqual({
      enabled: true,
      redact_query_string: true,
      logs: { enabled: true, invocation_logs: false },
      traces: { enabled: false },
    })
  },
)

it('does not deploy while networks have problems, and prints all of them', async () => {
  const { address } = stranger
  await configure([
    networkToml('staging', 'shared'),
    networkToml('production', 'any', { delivery: delivery.toLowerCase() }),
    networkToml('staging', 'other', { chainId: 1 }),
    networkToml('staging', 'gone', { chainId: 2, rpcUrl: 'http://127.0.0.1:1/secret' }),
    networkToml('staging', 'empty', { delivery: address }),
  ])
  const { out, errors, status } = await deploy(relayer, stranger)
  expect({ out, status }).toEqual({ out: '', status: 1 })
  const { host } = new URL(anvil.url)
  expect(errors.trim().split('\n')).toEqual([
    `The contract ${delivery} of shared is also used by production. Deploy one for each environment: the relayers of one could transfer the NFTs of the other.`,
    `The signer ${address} is not a relayer of ${delivery} on shared. Add it: npm run contract -- set-relayer --network shared --env staging --relayer ${address} --capacity PIECES --per-day PIECES`,
    `The node of other (${host}) has chain id 31337. Configured is 1.`,
    expect.stringMatching(/^Reading the chain id of gone from 127\.0\.0\.1:1 failed: HTTP/),
    `There is no contract at ${address} on empty.`,
  ])
})

/** Sets the project back to an account to which a version was deployed. */
let restore: () => Promise<void>

it('migrates, deploys, and prints before how to go back', async () => {
  await configure([networkToml('staging', 'anvil')])
  const { out, errors, status } = await deploy(relayer)
  expect({ errors, status }).toEqual({ errors: '', status: 0 })
  expect(await changes()).toEqual([...MIGRATE, DEPLOY])
  const { commands } = await project.read()
  const bookmark = commands.indexOf('d1 time-travel info DB --env staging --json')
  expect(bookmark).toBeGreaterThan(0)
  expect(bookmark).toBeLessThan(commands.findIndex((command) => command.includes('--file')))
  expect(out).toMatch(/^To go back to the version before/)
  expect(out).toContain('\n  npx wrangler rollback version-1 --env staging\n')
  expect(out).toContain(
    '\n  npx wrangler d1 time-travel restore DB --env staging --bookmark bookmark-1\n',
  )
  restore = await project.save()
})

it('does not deploy with a contract that does not know the keys of one that was used', async () => {
  await restore()
  const node = createNode([anvil.url])
  const account = localAccount(6)
  const relayers = [{ relayer: relayer.address, capacity: 1n, perDay: 1n }]
  const old = await deployContract(node, account, { relayers })
  await confirm(node, old.write.retire(sendAs(account)))
  const database = new DatabaseSync(join(project.folder, 'remote.sqlite'))
  database
    .prepare("INSERT INTO networks (chainId, leaseUntil, contracts) VALUES (31337, '', ?)")
    .run(JSON.stringify([old.address]))
  const { errors, status } = await deploy(relayer)
  expect({ errors, status }).toEqual({
    errors: `The contract ${delivery} of anvil does not know the keys that were used in ${old.address}, so orders could be delivered twice. Set \`delivery\` to a contract that replaces it: one that was deployed with --predecessor ${old.address}, or that follows such a contract.\n`,
    status: 1,
  })

  const between = await deployContract(node, account, { relayers, predecessor: old.address })
  await confirm(node, between.write.retire(sendAs(account)))
  const linked = await deployContract(node, account, { relayers, predecessor: between.address })
  const toml = await project.readText('wrangler.toml')
  await writeFile(join(project.folder, 'wrangler.toml'), toml.replace(delivery, linked.address))
  expect(await deploy(relayer)).toMatchObject({ errors: '', status: 0 })
})

it('does not deploy to an account that lacks something, and prints all of it', async () => {
  await configure([networkToml('staging', 'anvil')], {
    databases: [],
    buckets: {},
    queues: { 'marketplace-staging-deliveries': ['other'] },
    workers: { [WORKER]: { secrets: [], versions: ['v'] } },
  })
  const { out, errors, status } = await deploy(relayer)
  expect({ out, status }).toEqual({ out: '', status: 1 })
  const create = 'Create it: npm run setup -- --env staging'
  const set = (secret: string) =>
    `The Worker ${WORKER} has no secret ${secret}. Set it: npx wrangler secret put ${secret} --env staging`
  expect(errors.trim().split('\n')).toEqual([
    `The account has no database marketplace-staging with the id "${DATABASE}". ${create}`,
    `The account has no bucket marketplace-staging-avatars. ${create}`,
    `The account has no bucket marketplace-staging-content. ${create}`,
    'The Worker other reads the queue marketplace-staging-deliveries, and a queue has one reader. Remove that one: npx wrangler queues consumer remove marketplace-staging-deliveries other',
    `The account has no queue marketplace-staging-webhooks. ${create}`,
    `The account has no queue marketplace-staging-master-webhooks. ${create}`,
    set('JWT_KEYS'),
    set('TRANSFER_SIGNER_KEYS'),
    set('DELIVERY_KEY_SECRET'),
    set('CODE_KEYS'),
  ])
  expect(await changes()).toEqual([])
})

it('does not replace the Worker if the migrations fail', async () => {
  await configure([networkToml('staging', 'anvil')])
  await project.change({ failure: { command: IMPORT, how: 'refuse' } })
  const { errors, status } = await deploy(relayer)
  expect(status).toBe(1)
  expect(errors).toMatch(/^wrangler d1 execute DB failed:\n.*try again/s)
  expect(await changes()).toEqual(MIGRATE.slice(0, 1))
})

it('does not apply a migration that the running Worker would notice', async () => {
  await restore()
  const path = join(project.folder, 'migrations/9999_test.sql')
  await writeFile(path, 'ALTER TABLE `nfts` ADD `x` text;\nALTER TABLE `nfts` DROP COLUMN `fee`;\n')
  await project.change({ commands: [] })
  const { errors, status } = await deploy(relayer)
  await rm(path)
  expect({ errors, status }).toEqual({
    errors:
      'migrations/9999_test.sql:2 takes away what the running Worker may use: ALTER TABLE `nfts` DROP COLUMN `fee`;\n',
    status: 1,
  })
  expect(await changes()).toEqual([])
})

it('applies what is pending once, as `wrangler d1 migrations list` sees it', async () => {
  await configure([networkToml('staging', 'anvil')])
  const run = (args = ['--env', 'staging']) => project.call(migrate, args)
  expect(await run()).toEqual({
    out: `Applied ${migrations.join(', ')}.\n`,
    errors: '',
    status: 0,
  })
  expect((await run()).out).toBe('Nothing to apply.\n')
  const database = new DatabaseSync(join(project.folder, 'remote.sqlite'))
  const stored = database.prepare('SELECT name FROM d1_migrations ORDER BY id').all()
  expect(stored.map(({ name }) => name)).toEqual(migrations)
  const count = (sql: string) => [...sql.matchAll(/CREATE TRIGGER/g)].length
  const [triggers] = database
    .prepare("SELECT count(*) AS count FROM sqlite_master WHERE type = 'trigger'")
    .all()
  expect(triggers?.count).toBe(count(await readFile('migrations/0001_triggers.sql', 'utf8')))
})

it('refuses a migration by name that was changed after it was applied', async () => {
  await restore()
  const path = join(project.folder, 'migrations/0001_triggers.sql')
  const before = await readFile(path, 'utf8')
  await writeFile(path, `${before}\n-- changed`)
  await project.change({ commands: [] })
  const { errors, status } = await deploy(relayer)
  await writeFile(path, before)
  expect({ errors, status }).toEqual({
    errors:
      'migrations/0001_triggers.sql was changed after it was applied to this database. Take the file back as it was, and write the change as a new migration.\n',
    status: 1,
  })
  expect(await changes()).toEqual([])
})

it('announces the outage and the rows of tables, and wants an answer above a million', async () => {
  await restore()
  const path = join(project.folder, 'migrations/9999_test.sql')
  await writeFile(path, 'UPDATE `large` SET `id` = 0 WHERE `id` = 1;\n')
  await project.change({ commands: [] })
  const database = new DatabaseSync(join(project.folder, 'remote.sqlite'))
  database.exec(`CREATE TABLE large (id);
    INSERT INTO large WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000001)
    SELECT i FROM n`)
  const run = (...args: string[]) => project.call(migrate, ['--env', 'staging', ...args])
  const refused = await run()
  expect(refused.out).toMatch(/^D1 serves nothing while a migration runs: .*9999_test\.sql\.$/m)
  expect(refused.out).toMatch(/^ {2}large: 1000001 rows$/m)
  expect(refused.errors).toContain('more than 1000000 rows. Nothing was migrated.')
  expect(await changes()).toEqual([])
  const { out, status } = await run('--yes')
  await rm(path)
  expect({ status, last: out.trimEnd().split('\n').at(-1) }).toEqual({
    status: 0,
    last: 'Applied 9999_test.sql.',
  })
})
