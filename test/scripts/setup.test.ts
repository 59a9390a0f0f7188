/**
 * `npm run setup` against a stand-in of wrangler with an account of its own. What takes many calls of it
 * and is not on the way of most operators runs in `npm run test:long`.
 */
import { Resolver } from 'node:dns/promises'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Address } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { localAccount, toPrivateKey } from '../../scripts/local/chain/accounts.ts'
import { type Anvil, startAnvil } from '../../scripts/local/chain/anvil.ts'
import { deployDelivery } from '../../scripts/local/chain/delivery.ts'
import { command as contract } from '../../scripts/operate/contract.ts'
import { readSigners } from '../../scripts/operate/deploy/checks.ts'
import { command } from '../../scripts/operate/setup.ts'
import { ask, confirm } from '../../scripts/shell/ask.ts'
import { hashIdentity } from '../../src/identity/namespace.ts'
import { inLong } from '../support/cases.ts'
import { migrations } from '../support/migrations.ts'
import { serve } from '../support/server.ts'
import { type AccountProject, anAccountProject } from '../support/wrangler/account.ts'

vi.mock('../../scripts/shell/ask.ts')
vi.mock('../../scripts/shell/child.ts', () => import('../support/wrangler/child.ts'))

const relayer = localAccount(0)
const VALUES = ['--domain', 'shop.example.org', '--email-from', 'shop@example.org']
const PLACE = ['--location', 'weur']
const ALL = [...VALUES, ...PLACE, '--administrator', 'Ada@Example.org']
const FEES = 'maxFeePerGasGwei = 500\nmaxPriorityFeePerGasGwei = 50\n'
const DATABASE = '660ab69b-fdb9-a499-971a-6927535c529f'

let anvil: Anvil
let project: AccountProject
/** The wrangler.toml of the repository, with a network that has a contract. */
let toml: string
let delivery: Address
/** Whether the address of the marketplace does. */
let isAnswering = false
/** What DNS answers, by domain. */
let nameServers: Record<string, string[] | Error> = {}

beforeAll(async () => {
  vi.spyOn(Resolver.prototype, 'resolveNs').mockImplementation(async (name) => {
    const servers = nameServers[name]
    if (servers instanceof Error) throw servers
    return servers ?? Promise.reject(Object.assign(new Error(name), { code: 'ENODATA' }))
  })
  const { fetch } = globalThis
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (!String(input).startsWith('https://shop.example.org')) return fetch(input, init)
    return isAnswering ? Response.json({}) : Promise.reject(new TypeError('fetch failed'))
  })
  anvil = await startAnvil({ port: 0 })
  delivery = await deployDelivery(anvil.url, localAccount(6), [relayer.address])
  project = await anAccountProject()
  toml = (await readFile('wrangler.toml', 'utf8')).replace(
    /\[env\.staging\.vars\.NETWORKS\.sepolia\]\n([^\n]+\n)+/,
    `[env.staging.vars.NETWORKS.anvil]\nchainId = 31337\nrpcUrls = ["${anvil.url}"]\ndelivery = "${delivery}"\nfinality = 1\n${FEES}`,
  )
})

afterAll(async () => {
  vi.restoreAllMocks()
  await anvil.stop()
  await project.remove()
})

beforeEach(async () => {
  await project.reset(toml)
  isAnswering = false
  nameServers = { 'example.org': ['ada.ns.cloudflare.com'] }
})

const variables = { TRANSFER_SIGNER_KEYS: toPrivateKey(relayer) }

const setup = (args: string[] = [], env: Record<string, string> = variables) =>
  project.call(command, ['--env', 'staging', ...args], env)

/** The commands that change the account. */
const changesIn = (commands: string[]) =>
  commands
    .filter((command) => /^deploy | create | add |--file|--command insert/.test(command))
    .map((command) =>
      command.replace(/(--command insert).*/s, '$1').replace(/--file .*\//, '--file '),
    )

const CHANGES = [
  'd1 create --location weur marketplace-staging',
  'r2 bucket create marketplace-staging-avatars',
  'r2 bucket lifecycle add marketplace-staging-avatars abort-incomplete-uploads --abort-multipart-days 7 --force',
  'r2 bucket create marketplace-staging-content',
  'r2 bucket lifecycle add marketplace-staging-content abort-incomplete-uploads --abort-multipart-days 7 --force',
  'queues create marketplace-staging-deliveries',
  'queues create marketplace-staging-webhooks',
  'queues create marketplace-staging-master-webhooks',
  ...migrations.map((file) => `d1 execute DB --remote --env staging --yes --file ${file}`),
  'deploy --env staging --secrets-file secrets.staging.json',
  'd1 execute DB --remote --env staging --json --yes --command insert',
]

const query = (sql: string) =>
  new DatabaseSync(join(project.folder, 'remote.sqlite'))
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }))

const stepsIn = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ {2,}/, ': '))

/** Sets the project back to an account that is live. */
let restore: () => Promise<void>

it('makes an empty account live, and prints what is left to do', async () => {
  const { out, errors, status } = await setup(ALL)
  expect({ errors, status }).toEqual({ errors: '', status: 0 })
  const { commands, uploads } = await project.read()
  expect(changesIn(commands)).toEqual(CHANGES)
  expect(commands.slice(0, 3)).toEqual([
    'whoami --json',
    'd1 list --json',
    'd1 create --location weur marketplace-staging',
  ])
  const steps = stepsIn(out)
  expect(steps).toContain('login: ada@example.org, account Ada')
  expect(steps).toContain('zone: example.org: at Cloudflare')
  expect(steps).toContain('worker: marketplace-staging-api: deployed')
  expect(steps).toContain('address: https://shop.example.org does not answer yet')
  expect(steps).toContain('administrator: user 1, ada@example.org: appointed')
  expect(out).toMatch(/\nLeft to do by hand:\n1\. Move secrets\.staging\.json to your password/)
  expect(out).toContain(`Give the relayer ${relayer.address} coins of each network`)
  expect(out).toContain('npx wrangler email sending enable example.org')
  expect(out).toMatch(/^\d\. Let the servers of shops through: /m)
  expect(out).toMatch(
    /^\d\. Give each shop a token of its own with the permission “Only the orders/m,
  )
  expect(out).toContain('https://shop.example.org/api/public/stats does not answer')

  // The secrets are written before they are uploaded, for nobody else to read.
  const secrets = JSON.parse(await project.readText('secrets.staging.json'))
  expect(uploads).toEqual([{ file: 'secrets.staging.json', mode: '600', secrets }])
  expect(secrets).toEqual({
    JWT_KEYS: expect.stringMatching(/^\{"keys":\[\{.*"crv":"Ed25519"/),
    TRANSFER_SIGNER_KEYS: toPrivateKey(relayer),
    DELIVERY_KEY_SECRET: expect.stringMatching(/^[0-9a-f]{64}$/),
    CODE_KEYS: expect.stringMatching(/^\{"keys":\[\{"kty":"oct"/),
  })
  // The keys of the standby relayers are in a file of their own, and never go to the Worker.
  const standby = join(project.folder, 'secrets.staging.standby.json')
  expect(JSON.parse(await readFile(standby, 'utf8'))).toEqual({
    TRANSFER_SIGNER_KEYS: expect.stringMatching(/^0x[0-9a-f]{64},0x[0-9a-f]{64}$/),
  })
  expect((await stat(standby)).mode & 0o777).toBe(0o600)
  expect(out).toContain('Move secrets.staging.standby.json to a place that is offline')
  // The contract has one relayer.
  expect(out).toContain('Add 2 standby relayers to the contract of anvil')
  // No other byte of wrangler.toml changes.
  const before = toml.split('\n')
  const after = (await project.readText('wrangler.toml')).split('\n')
  expect(after).toHaveLength(before.length)
  expect(after.filter((line, i) => line !== before[i])).toEqual([
    'routes = [{ pattern = "shop.example.org", custom_domain = true }]',
    'PUBLIC_URL = "https://shop.example.org"',
    'EMAIL_FROM = "shop@example.org"',
    `database_id = "${DATABASE}"`,
  ])
  // The first sign-in by mail finds the administrator.
  expect(query('SELECT email, provider, roleId, identityHash FROM users')).toEqual([
    {
      email: 'ada@example.org',
      provider: 'email',
      roleId: 1,
      identityHash: hashIdentity('email', 'ada@example.org'),
    },
  ])
  restore = await project.save()
})

describe('an account that is live', () => {
  beforeEach(async () => {
    await restore()
    isAnswering = true
    query(`INSERT INTO findings (chainId, key, detail, nodes, seenAt, acknowledgedAt)
      VALUES (0, 'test', '', '[]', '', 'now')`)
  })

  it('stays as it is when the command runs again', async () => {
    const files = ['wrangler.toml', 'secrets.staging.json', 'secrets.staging.standby.json']
    const before = await Promise.all(files.map(project.readText))
    await project.change({ commands: [], senders: ['example.org'] })
    const { out, status } = await setup(ALL)
    expect(status).toBe(0)
    expect(changesIn((await project.read()).commands)).toEqual([])
    expect(await Promise.all(files.map(project.readText))).toEqual(before)
    expect(stepsIn(out).slice(2, 18)).toEqual([
      'database: marketplace-staging: already there',
      'bucket: marketplace-staging-avatars: already there',
      'lifecycle: marketplace-staging-avatars aborts incomplete uploads: already there',
      'bucket: marketplace-staging-content: already there',
      'lifecycle: marketplace-staging-content aborts incomplete uploads: already there',
      'queue: marketplace-staging-deliveries: already there',
      'queue: marketplace-staging-webhooks: already there',
      'queue: marketplace-staging-master-webhooks: already there',
      'wrangler.toml: database_id of [env.staging.d1_databases]: already there',
      'wrangler.toml: routes of [env.staging]: already there',
      'wrangler.toml: PUBLIC_URL of [env.staging.vars]: already there',
      'wrangler.toml: EMAIL_FROM of [env.staging.vars]: already there',
      'secrets: marketplace-staging-api has secrets: already there',
      'e-mail: example.org: sending is enabled',
      'worker: marketplace-staging-api: already there. To replace it: npm run deploy -- --env staging',
      'address: https://shop.example.org answers',
    ])
    expect(out).toContain('user 1, ada@example.org: already there')
    expect(out).not.toContain('Acknowledge the test alarm')
  })

  inLong(
    'gets read replication with an API token, and else is told how to turn it on',
    async () => {
      const calls: object[] = []
      let status = 403
      const site = await serve(async (request, response) => {
        const { method, url, headers } = request
        const body = (await request.toArray()).join('')
        calls.push({ method, url, token: headers.authorization, body })
        response.writeHead(status).end('{"success":false}')
      })
      const CLOUDFLARE_API_BASE_URL = `${site}/client/v4`
      const withToken = { ...variables, CLOUDFLARE_API_BASE_URL, CLOUDFLARE_API_TOKEN: 'secret' }
      const path = `/client/v4/accounts/a1/d1/database/${DATABASE}`
      const body = '{"read_replication":{"mode":"auto"}}'

      const loggedIn = await setup([], { ...withToken, CLOUDFLARE_API_TOKEN: '' })
      expect(calls).toEqual([])
      const refused = await setup([], withToken)
      for (const { out } of [loggedIn, refused]) {
        expect(out).toMatch(/^replication +marketplace-staging: off\. /m)
        expect(out).toContain('D1, marketplace-staging, Settings, Enable Read Replication.')
        expect(out).toContain(
          `curl -X PUT "${site}${path}" -H "Authorization: Bearer $CLOUDFLARE_API_TOKEN" -H "Content-Type: application/json" --data '${body}'`,
        )
      }
      expect(refused.out).toContain('Cloudflare answered 403: {"success":false}')

      status = 200
      const { out } = await setup([], withToken)
      expect(out).toMatch(/^replication +marketplace-staging: turned on$/m)
      expect(calls).toEqual(
        Array(2).fill({ method: 'PUT', url: path, token: 'Bearer secret', body }),
      )

      const { databases } = await project.read()
      await project.change({ databases: databases.map((it) => ({ ...it, replication: 'auto' })) })
      expect((await setup()).out).toMatch(/^replication +marketplace-staging: already on$/m)
    },
  )

  it('raises a test alarm once, and is advised to acknowledge it', async () => {
    query('DELETE FROM findings')
    const advice = 'Acknowledge the test alarm at https://shop.example.org/operations'
    for (const state of ['raised', 'not acknowledged yet']) {
      const { out } = await setup()
      expect(out).toMatch(new RegExp(`^alarm +a test: ${state}$`, 'm'))
      expect(out).toContain(advice)
    }
    expect(query('SELECT chainId, key FROM findings')).toEqual([{ chainId: 0, key: 'test' }])
  })

  it('gets no new DELIVERY_KEY_SECRET if delivery keys were made with another one', async () => {
    await rm(join(project.folder, 'secrets.staging.json'))
    await project.change({ uploads: [], workers: {} })
    query(`INSERT INTO instance VALUES (1, '${'ab'.repeat(32)}', '', 0)`)
    const { errors, status } = await setup(VALUES)
    expect(status).toBe(1)
    expect(errors).toMatch(/^The database was used with another DELIVERY_KEY_SECRET\. Put that one/)
    await expect(project.readText('secrets.staging.json')).rejects.toThrow('ENOENT')
  })

  inLong(
    'takes a wallet that nobody proved from an imported user who becomes administrator',
    async () => {
      query(`INSERT INTO users (id, externalId, provider, email, ethereumPublicAddr, identityHash, createdAt, updatedAt)
      VALUES (9, 'bo', 'email', 'bo@example.org', '${relayer.address}', 'x', '', '')`)
      await setup(['--administrator', 'bo@example.org'])
      expect(query('SELECT roleId, ethereumPublicAddr FROM users WHERE id = 9')).toEqual([
        { roleId: 1, ethereumPublicAddr: '' },
      ])
    },
  )

  inLong('gets an order of something that is for sale on a testnet', async () => {
    const sent: { url: string; token: string; body: unknown }[] = []
    const site = await serve(async (request, response) => {
      const text = (await request.toArray()).join('')
      const { url = '', headers } = request
      if (text) sent.push({ url, token: headers.authorization ?? '', body: JSON.parse(text) })
      response.setHeader('content-type', 'application/json')
      response.end('{"orders":[{"id":7}],"error":null}')
    })
    const text = await project.readText('wrangler.toml')
    const local = text.replace('https://shop.example.org', site)
    await writeFile(join(project.folder, 'wrangler.toml'), local)
    query(`UPDATE users SET ethereumPublicAddr = '${relayer.address}'`)
    query(`INSERT INTO nfts (id, externalId, amount, availableAmount, creatorPublicAddr, contractAddr, contractName,
        contractNetwork, payload, price, priceEths, priceCurrency, title, creatorId, tokenId, status,
        releaseAt, createdAt, updatedAt, changedAt)
      VALUES (4, 'one', 1, 1, '', '', '', 'anvil', '{}', 1, '0', 'USD', 'One', 1, '1', 'released', '', '', '', '')`)
    query(`INSERT INTO listings (id, externalId, priceCents, priceEths, priceWei, active, type, priceCurrency,
        sellerId, nftId, createdAt, updatedAt)
      VALUES (9, 'sale', 1, '0', '0', 1, 'regular', 'USD', 1, 4, '', '')`)
    const { out } = await setup(['--test-order'])
    expect(out).toMatch(/test order +order 7 of NFT 4: placed\. Follow it at http:/)
    expect(sent).toEqual([
      {
        url: '/api/externalOrders',
        token: expect.stringMatching(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/),
        body: [{ nftId: 4, listingId: 9, quantity: 1, buyerUserId: 1, providerId: 'test-order' }],
      },
    ])
  })
})

describe('a network without a contract', () => {
  const unset = () =>
    project.reset(toml.replace(FEES, '').replace(`"${delivery}"`, '"<address of the contract>"'))

  inLong(
    'needs a contract with two standby relayers and limits of fees, which are proposed',
    async () => {
      await unset()
      const first = await setup(ALL)
      expect(first.status).toBe(1)
      const [, relayers = ''] =
        /npm run contract -- deploy --network anvil --env staging --owner ADDRESS --guardian ADDRESS --relayer (\S+) --capacity PIECES --per-day PIECES\. /.exec(
          first.out,
        ) ?? []
      const { TRANSFER_SIGNER_KEYS } = JSON.parse(
        await project.readText('secrets.staging.standby.json'),
      )
      const { signers } = readSigners('staging', TRANSFER_SIGNER_KEYS)
      expect(signers).toHaveLength(2)
      expect(relayers).toBe([relayer.address, ...signers].join())
      const [fees = ''] =
        /maxFeePerGasGwei = \S+\n +maxPriorityFeePerGasGwei = \S+\n/.exec(first.out) ?? []

      const deployed = await project.call(
        contract,
        [
          ...['deploy', '--network', 'anvil', '--env', 'staging', '--relayer', relayers],
          ...['--capacity', '500', '--per-day', '3000'],
        ],
        { DELIVERY_OWNER_KEY: toPrivateKey(localAccount(6)) },
      )
      const [line = ''] = /^delivery = .*$/m.exec(deployed.out) ?? []
      const before = await project.readText('wrangler.toml')
      await writeFile(
        join(project.folder, 'wrangler.toml'),
        before.replace('delivery = "<address of the contract>"', `${line}\n${fees}`),
      )
      const second = await setup(ALL)
      expect(second).toMatchObject({ errors: '', status: 0 })
      expect(second.out).not.toContain('Add 2 standby relayers')
      expect(second.out).toContain('Move secrets.staging.standby.json to a place that is offline')
    },
  )
})

inLong(
  'goes on after an upload whose address was not published, and advises until it answers',
  async () => {
    await project.reset(toml, { lacks: ['zone'] })
    const first = await setup(ALL)
    expect(first).toMatchObject({ status: 1, errors: expect.stringContaining('is not live yet.') })
    expect(first.out).toMatch(
      /^1\. marketplace-staging-api is uploaded, but its address, queues and cron were not published\. wrangler says: “Could not find zone for `shop\.example\.org`/m,
    )
    await project.change({ lacks: undefined, commands: [] })
    const second = await setup(ALL)
    expect(second.status).toBe(0)
    const { commands, queues, uploads } = await project.read()
    expect(commands.filter((command) => /^(triggers )?deploy /.test(command))).toEqual([
      'triggers deploy --env staging',
    ])
    expect(uploads).toHaveLength(1)
    expect(queues['marketplace-staging-deliveries']).toEqual(['marketplace-staging-api'])
    expect(second.out).toContain('https://shop.example.org does not answer yet')
    for (const advice of ['Let the servers of shops through', 'run the same command again then'])
      expect(second.out).toContain(advice)
    expect(second.out).toContain('No mail tells that mail or the cron run does not work.')
    expect(query('SELECT * FROM findings')).toEqual([])
    isAnswering = true
    const { out } = await setup(ALL)
    expect(out).toContain('https://shop.example.org answers')
    expect(out).not.toContain('Let the servers of shops through')
  },
)

describe('a host without a zone at Cloudflare', () => {
  beforeEach(() => {
    nameServers = { 'example.org': ['ns1.other.net'] }
    process.stdin.isTTY = true
  })
  afterEach(() => {
    process.stdin.isTTY = isTerminal
  })
  const { isTTY: isTerminal } = process.stdin

  it.each([
    [false, 1],
    [true, 0],
  ])('is warned about, and asked about before anything is changed: %j', async (isYes, status) => {
    vi.mocked(confirm).mockResolvedValueOnce(isYes)
    const answers = ['alarms@example.org', 'Kite', '', 'help@example.org', '', 'https://kite.org/t']
    vi.mocked(ask).mockReset()
    for (const answer of answers) vi.mocked(ask).mockResolvedValueOnce(answer)
    const result = await setup(ALL)
    expect(result.status).toBe(status)
    expect(result.out).toMatch(
      /^zone +example\.org has the name server ns1\.other\.net, not those of Cloudflare$/m,
    )
    expect(changesIn((await project.read()).commands)).toEqual(status ? [] : CHANGES)
    const lines = [
      ...['EMAIL_FROM = "shop@example.org"', 'ALARM_EMAIL = "alarms@example.org"'],
      ...['INSTANCE_NAME = "Kite"', 'SUPPORT_EMAIL = "help@example.org"'],
      'LEGAL_LINKS = { terms = "https://kite.org/t" }',
    ]
    const toml = await project.readText('wrangler.toml')
    expect(toml.includes(`${lines.join('\n')}\n`)).toBe(isYes)
  })
})

inLong('goes on where it was killed, and makes nothing twice', async () => {
  const insert = 'd1 execute DB --remote --env staging --json --yes --command insert'
  for (const last of ['d1 create', 'deploy', insert]) {
    await project.change({ failure: { command: last, how: 'kill' } })
    const { status } = await project.run('setup', ['--env', 'staging', ...ALL], variables)
    expect(status).toBe(null)
  }
  await project.change({ failure: undefined })
  expect(await setup(ALL)).toMatchObject({ errors: '', status: 0 })
  const { commands, uploads } = await project.read()
  expect(changesIn(commands)).toEqual(CHANGES)
  expect(query('SELECT id, email FROM users WHERE roleId = 1')).toEqual([
    { id: 1, email: 'ada@example.org' },
  ])
  const secrets = JSON.parse(await project.readText('secrets.staging.json'))
  expect(uploads.map((upload) => upload.secrets)).toEqual([secrets])
})

it('changes nothing in a dry run, which needs no login, and prints what it would do', async () => {
  await project.reset(toml, { login: null })
  const { out, errors, status } = await setup([...ALL, '--dry-run'])
  expect({ errors, status }).toEqual({ errors: '', status: 0 })
  expect((await project.read()).commands).toEqual(['whoami --json'])
  expect(await project.readText('wrangler.toml')).toBe(toml)
  await expect(project.readText('secrets.staging.json')).rejects.toThrow('ENOENT')
  expect(stepsIn(out)).toEqual(
    expect.arrayContaining([
      'database: marketplace-staging: would be created unless it exists',
      'queue: marketplace-staging-deliveries: would be created unless it exists',
      'wrangler.toml: EMAIL_FROM of [env.staging.vars]: would be "shop@example.org"',
      'secrets: JWT_KEYS, TRANSFER_SIGNER_KEYS, DELIVERY_KEY_SECRET, CODE_KEYS: would be written to secrets.staging.json',
      'worker: marketplace-staging-api: would be deployed',
    ]),
  )
})

it('does not deploy while something must be done by hand, and prints all of it', async () => {
  const secrets = { JWT_KEYS: 'x', DELIVERY_KEY_SECRET: 'short', CODE_KEYS: '{}' }
  await project.reset(await readFile('wrangler.toml', 'utf8'))
  const file = join(project.folder, 'secrets.staging.json')
  await writeFile(file, JSON.stringify(secrets), { mode: 0o644 })
  const { out, status } = await setup(['--jurisdiction', 'eu'], { TRANSFER_SIGNER_KEYS: '' })
  expect(status).toBe(1)
  expect(changesIn((await project.read()).commands)).toEqual([
    'd1 create --jurisdiction eu marketplace-staging',
    ...CHANGES.slice(1, 8).map((change) => `${change} --jurisdiction eu`),
  ])
  const demands = out.slice(out.indexOf('Before the marketplace is live, do this'))
  for (const demand of [
    /^\d\. --domain and --email-from replace routes, PUBLIC_URL and EMAIL_FROM/m,
    /^\d\. Replace the placeholders in these lines of wrangler\.toml first:$/m,
    /^ {5}\d+: delivery = "<address of the Delivery contract/m,
    /^\d\. secrets\.staging\.json: JWT_KEYS must be a set of signing keys\.$/m,
    /^\d\. secrets\.staging\.json: DELIVERY_KEY_SECRET must be 64 hexadecimal digits\.$/m,
    /^\d\. secrets\.staging\.json: CODE_KEYS must be a set of AES keys\.$/m,
    /^\d\. The network sepolia was not checked/m,
  ])
    expect(demands).toMatch(demand)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

it.each([
  [{ login: null }, /^You are not logged in to Cloudflare\. Run `npx wrangler login`/],
  [
    { login: { email: 'a@b.org', accounts: ['a1', 'a2'].map((id) => ({ id, name: `of ${id}` })) } },
    /^Set the environment variable CLOUDFLARE_ACCOUNT_ID to one of these accounts:\n {2}a1 {2}of a1/,
  ],
])('changes nothing in an account that is not certain: %j', async (account, sentence) => {
  await project.reset(toml, account)
  const { errors, status } = await setup(VALUES)
  expect(status).toBe(1)
  expect(errors).toMatch(sentence)
  expect((await project.read()).commands).toEqual(['whoami --json'])
})

it.each([
  ['--domain https://shop.example.org', '--domain must be a host such as'],
  ['--location mars', '--location must be one of weur, eeur, apac, oc, wnam, enam.'],
  ['--jurisdiction us', '--jurisdiction must be one of eu, fedramp.'],
  ['--location weur --jurisdiction eu', 'Only one of --location and --jurisdiction can be given.'],
])('refuses a wrong value before it does anything: %s', async (args, message) => {
  const { errors, status } = await setup(args.split(' '))
  expect(status).toBe(1)
  expect(errors).toContain(message)
  expect((await project.read()).commands).toEqual([])
})

it('checks the keys of the relayers in a dry run, too', async () => {
  const { errors, status } = await setup(['--dry-run'], { TRANSFER_SIGNER_KEYS: 'abc' })
  expect(status).toBe(1)
  expect(errors).toContain('TRANSFER_SIGNER_KEYS')
})

const BUCKETS_IN_EU = `[[env.staging.r2_buckets]]
binding = "AVATARS"
bucket_name = "marketplace-staging-avatars"
jurisdiction = "eu"

[[env.staging.r2_buckets]]
binding = "CONTENT"
bucket_name = "marketplace-staging-content"
jurisdiction = "eu"
`

inLong(
  'keeps database, buckets and bindings in a jurisdiction, also when it runs again',
  async () => {
    const args = [...VALUES, '--jurisdiction', 'eu']
    expect((await setup(args)).status).toBe(0)
    const { buckets, commands } = await project.read()
    expect(buckets).toEqual({
      'marketplace-staging-avatars (eu)': ['abort-incomplete-uploads'],
      'marketplace-staging-content (eu)': ['abort-incomplete-uploads'],
    })
    expect(await project.readText('wrangler.toml')).toContain(BUCKETS_IN_EU)
    for (const again of [args, VALUES]) {
      expect((await setup(again)).status).toBe(0)
      const after = (await project.read()).commands.slice(commands.length)
      expect(changesIn(after)).toEqual([])
    }
    const { out, status } = await setup([...VALUES, '--jurisdiction', 'fedramp'])
    expect(status).toBe(1)
    expect(out).toMatch(
      /^1\. jurisdiction of \[env\.staging\.r2_buckets\] is "eu" in wrangler\.toml\./m,
    )
  },
)

it('makes a new bucket in the jurisdiction of the other one', async () => {
  const name = 'bucket_name = "marketplace-staging-avatars"\n'
  await project.reset(toml.replace(name, `${name}jurisdiction = "eu"\n`), {
    buckets: { 'marketplace-staging-avatars (eu)': ['abort-incomplete-uploads'] },
  })
  await setup([...VALUES, ...PLACE])
  expect(Object.keys((await project.read()).buckets)).toEqual([
    'marketplace-staging-avatars (eu)',
    'marketplace-staging-content (eu)',
  ])
  expect(await project.readText('wrangler.toml')).toContain(BUCKETS_IN_EU)
})

inLong('does not move a bucket that exists into a jurisdiction', async () => {
  await project.reset(toml, { buckets: { 'marketplace-staging-avatars': [] } })
  const { out, status } = await setup([...VALUES, '--jurisdiction', 'eu'])
  expect(status).toBe(1)
  expect(out).toMatch(
    /^1\. The bucket marketplace-staging-avatars exists outside of the jurisdiction eu, and cannot be moved\./m,
  )
  expect((await project.read()).buckets).toEqual({ 'marketplace-staging-avatars': [] })
  expect(await project.readText('wrangler.toml')).not.toContain('jurisdiction')
})

inLong.each([
  ['r2' as const, /^1\. Enable R2 in your account: https:\/\/dash\.cloudflare\.com\//m],
  [
    'subdomain' as const,
    /^1\. Open Workers in the dashboard once: https:\/\/dash\.cloudflare\.com\//m,
  ],
])('gives an account a numbered demand, and goes on after it: %s', async (what, demand) => {
  await project.reset(toml, { lacks: [what] })
  const refused = await setup(ALL)
  expect({ status: refused.status, errors: refused.errors }).toEqual({
    status: 1,
    errors: '\nThe marketplace is not live yet.\n',
  })
  expect(refused.out).toMatch(/\nBefore the marketplace is live, do this/)
  expect(refused.out).toMatch(demand)
  await project.change({ lacks: undefined })
  expect((await setup(ALL)).status).toBe(0)
  expect((await project.read()).uploads).toHaveLength(1)
})

it('asks where a new database is before it creates anything', async () => {
  const { errors, status } = await setup(VALUES)
  expect(status).toBe(1)
  expect(errors).toMatch(/^Choose where the new database is, which cannot be changed later\./)
  expect(errors).toMatch(/^ {2}weur +Western Europe$/m)
  expect(changesIn((await project.read()).commands)).toEqual([])
})
