/** `npm run setup` against a stand-in of wrangler with an account of its own. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Address } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { localAccount, privateKeyOf } from '../../scripts/chain/accounts.ts'
import { type Anvil, startAnvil } from '../../scripts/chain/anvil.ts'
import { deployDelivery } from '../../scripts/chain/delivery.ts'
import { hashIdentity } from '../../src/identity/namespace.ts'
import { type Account, type AccountProject, anAccountProject } from '../support/wrangler/account.ts'

const relayer = localAccount(0)
const VALUES = ['--domain', 'shop.example.org', '--email-from', 'shop@example.org']
const ALL = [...VALUES, '--administrator', 'Ada@Example.org']
const DATABASE = '660ab69b-fdb9-a499-971a-6927535c529f'

let anvil: Anvil
let project: AccountProject
/** That of the repository. */
let original: string
/** The same with a network that has a contract. */
let toml: string

beforeAll(async () => {
  anvil = await startAnvil({ port: 0 })
  const delivery: Address = await deployDelivery(anvil.url, localAccount(6), {
    relayers: [relayer.address],
  })
  project = await anAccountProject()
  original = await readFile('wrangler.toml', 'utf8')
  toml = original.replace(
    /\[env\.staging\.vars\.NETWORKS\.sepolia\]\n([^\n]+\n)+/,
    `[env.staging.vars.NETWORKS.anvil]\nchainId = 31337\nrpcUrls = ["${anvil.url}"]\ndelivery = "${delivery}"\nfinality = 1\n`,
  )
})

afterAll(async () => {
  await anvil.stop()
  await project.remove()
})

beforeEach(() => project.reset(toml))

const setup = (args: string[] = [], env: Record<string, string> = {}) =>
  project.run('setup', ['--env', 'staging', ...args], {
    TRANSFER_SIGNER_KEYS: privateKeyOf(relayer),
    ...env,
  })

/** The commands that change the account. */
const changesIn = ({ commands }: Account) =>
  commands
    .filter((command) => /^deploy | create | add | apply |--command insert/.test(command))
    .map((command) => command.replace(/(--command insert).*/s, '$1'))

const CHANGES = [
  'd1 create marketplace-staging',
  'r2 bucket create marketplace-staging-avatars',
  'r2 bucket lifecycle add marketplace-staging-avatars abort-incomplete-uploads --abort-multipart-days 7 --force',
  'queues create marketplace-staging-deliveries',
  'queues create marketplace-staging-webhooks',
  'd1 migrations apply DB --remote --env staging',
  'deploy --env staging --secrets-file secrets.staging.json',
  'd1 execute DB --remote --env staging --json --yes --command insert',
]

const query = (sql: string) =>
  new DatabaseSync(join(project.folder, 'remote.sqlite'))
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }))

const linesOf = (text: string) => text.trimEnd().split('\n')
const stepsOf = (out: string) => linesOf(out).map((line) => line.replace(/ {2,}/, ': '))

/** What the setup of an empty account printed, and the account after it. */
let result: Awaited<ReturnType<typeof setup>>
let account: Account
/** Sets the project back to that. */
let restore: () => Promise<void>

beforeAll(async () => {
  await project.reset(toml)
  result = await setup(ALL)
  account = await project.read()
  restore = await project.save()
})

describe('an empty account', () => {
  beforeEach(() => restore())

  it('is made live, and what is left to do is printed', () => {
    const { out, errors, status } = result
    expect({ errors, status }).toEqual({ errors: '', status: 0 })
    expect(changesIn(account)).toEqual(CHANGES)
    expect(account.commands.slice(0, 3)).toEqual([
      'whoami --json',
      'd1 list --json',
      'd1 create marketplace-staging',
    ])
    expect(stepsOf(out)).toContain('login: ada@example.org, account Ada')
    expect(stepsOf(out)).toContain('worker: marketplace-staging-api: deployed')
    expect(out).toMatch(/\nLeft to do by hand:\n1\. Move secrets\.staging\.json to your password/)
    expect(out).toContain(`Give the relayer ${relayer.address} coins of each network`)
    expect(out).toContain('npx wrangler email sending enable example.org')
    expect(out).toContain('https://shop.example.org/api/public/stats does not answer')
  })

  it('gets secrets that were written before, for nobody else to read', async () => {
    const secrets = JSON.parse(await project.readText('secrets.staging.json'))
    expect(account.uploads).toEqual([{ file: 'secrets.staging.json', mode: '600', secrets }])
    expect(secrets).toEqual({
      JWT_KEYS: expect.stringMatching(/^\{"keys":\[\{.*"crv":"Ed25519"/),
      TRANSFER_SIGNER_KEYS: privateKeyOf(relayer),
      DELIVERY_KEY_SECRET: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it('changes four lines of wrangler.toml and no other byte', async () => {
    const before = toml.split('\n')
    const after = (await project.readText('wrangler.toml')).split('\n')
    expect(after).toHaveLength(before.length)
    expect(after.filter((line, i) => line !== before[i])).toEqual([
      'routes = [{ pattern = "shop.example.org", custom_domain = true }]',
      'PUBLIC_URL = "https://shop.example.org"',
      'EMAIL_FROM = "shop@example.org"',
      `database_id = "${DATABASE}"`,
    ])
  })

  it('gets an administrator whom the first sign-in by mail finds', () => {
    expect(result.out).toContain('user 1, ada@example.org: appointed')
    expect(query('SELECT email, provider, roleId, identityHash FROM users')).toEqual([
      {
        email: 'ada@example.org',
        provider: 'email',
        roleId: 1,
        identityHash: hashIdentity('email', 'ada@example.org'),
      },
    ])
  })

  it('stays as it is when the command runs again', async () => {
    const files = ['wrangler.toml', 'secrets.staging.json']
    const before = await Promise.all(files.map(project.readText))
    await project.change({ commands: [], senders: ['example.org'] })
    const { out, status } = await setup(ALL)
    expect(status).toBe(0)
    expect(changesIn(await project.read())).toEqual([])
    expect(await Promise.all(files.map(project.readText))).toEqual(before)
    expect(stepsOf(out).slice(2, 14)).toEqual([
      'database: marketplace-staging: already there',
      'bucket: marketplace-staging-avatars: already there',
      'lifecycle: marketplace-staging-avatars aborts incomplete uploads: already there',
      'queue: marketplace-staging-deliveries: already there',
      'queue: marketplace-staging-webhooks: already there',
      'wrangler.toml: database_id of [env.staging.d1_databases]: already there',
      'wrangler.toml: routes of [env.staging]: already there',
      'wrangler.toml: PUBLIC_URL of [env.staging.vars]: already there',
      'wrangler.toml: EMAIL_FROM of [env.staging.vars]: already there',
      'secrets: marketplace-staging-api has secrets: already there',
      'e-mail: example.org: sending is enabled',
      'worker: marketplace-staging-api: already there. To replace it: npm run deploy -- --env staging',
    ])
    expect(out).toContain('user 1, ada@example.org: already there')
  })
})

it('changes nothing in a dry run, and prints what it would do', async () => {
  const { out, errors, status } = await setup([...ALL, '--dry-run'])
  expect({ errors, status }).toEqual({ errors: '', status: 0 })
  expect(changesIn(await project.read())).toEqual([])
  expect(await project.readText('wrangler.toml')).toBe(toml)
  await expect(project.readText('secrets.staging.json')).rejects.toThrow('ENOENT')
  expect(stepsOf(out)).toEqual(
    expect.arrayContaining([
      'database: marketplace-staging: would be created',
      'queue: marketplace-staging-deliveries: would be created',
      'queue: marketplace-staging-webhooks: would be created',
      'wrangler.toml: EMAIL_FROM of [env.staging.vars]: would be "shop@example.org"',
      'secrets: JWT_KEYS, TRANSFER_SIGNER_KEYS, DELIVERY_KEY_SECRET: would be written to secrets.staging.json',
      'worker: marketplace-staging-api: would be deployed',
    ]),
  )
})

describe('goes on where it ended', () => {
  /** Lets each change fail once, in one run after the other. */
  async function interruptEach(how: 'refuse' | 'kill'): Promise<Account> {
    for (const command of CHANGES) {
      await project.change({ failure: { command, how } })
      const { status, errors } = await setup(ALL)
      expect(status).not.toBe(0)
      if (how === 'refuse') expect(errors).toMatch(/try again|exited with 1\.$/m)
    }
    await project.change({ failure: undefined })
    expect(await setup(ALL)).toMatchObject({ errors: '', status: 0 })
    return project.read()
  }

  const administrators = () =>
    query('SELECT id, email FROM users WHERE roleId = 1 AND removedAt IS NULL')

  it('if it is killed after any change', async () => {
    const account = await interruptEach('kill')
    // The migrations are applied again, which does nothing, before the deployment.
    expect(changesIn(account)).toEqual(
      CHANGES.toSpliced(5, 0, 'd1 migrations apply DB --remote --env staging'),
    )
    expect(administrators()).toEqual([{ id: 1, email: 'ada@example.org' }])
    const secrets = JSON.parse(await project.readText('secrets.staging.json'))
    expect(account.uploads.map((upload) => upload.secrets)).toEqual([secrets])
  })

  it('if Cloudflare refuses any change', async () => {
    const account = await interruptEach('refuse')
    const twice = CHANGES.flatMap((change) => [change, change])
    // The migrations are applied again, which does nothing, before each deployment.
    twice.splice(13, 0, 'd1 migrations apply DB --remote --env staging')
    expect(changesIn(account)).toEqual(twice)
    expect(administrators()).toEqual([{ id: 1, email: 'ada@example.org' }])
    const secrets = JSON.parse(await project.readText('secrets.staging.json'))
    expect(account.uploads.map((upload) => upload.secrets)).toEqual([secrets])
  })
})

describe('never makes DELIVERY_KEY_SECRET again', () => {
  beforeEach(async () => {
    await restore()
    await rm(join(project.folder, 'secrets.staging.json'))
    await project.change({ uploads: [] })
  })

  it('if the Worker has secrets, and the file was moved away', async () => {
    expect((await setup(VALUES)).status).toBe(0)
    expect((await project.read()).uploads).toEqual([])
    await expect(project.readText('secrets.staging.json')).rejects.toThrow('ENOENT')
  })

  it('if delivery keys were made with another one', async () => {
    await project.change({ workers: {} })
    query(`INSERT INTO instance VALUES (1, '${'ab'.repeat(32)}')`)
    const { errors, status } = await setup(VALUES)
    expect(status).toBe(1)
    expect(errors).toMatch(/^The database was used with another DELIVERY_KEY_SECRET\. Put that one/)
    await expect(project.readText('secrets.staging.json')).rejects.toThrow('ENOENT')
  })
})

it('does not deploy while something must be done by hand, and prints all of it', async () => {
  await project.reset(original)
  const { out, status } = await setup()
  expect(status).toBe(1)
  expect(changesIn(await project.read())).toEqual(CHANGES.slice(0, 5))
  expect(out).toContain(
    'Before the Worker can be deployed, do this and run the same command again:',
  )
  expect(out).toMatch(/^1\. --domain and --email-from replace routes, PUBLIC_URL and EMAIL_FROM/m)
  expect(out).toMatch(/^2\. Replace the placeholders in these lines of wrangler\.toml first:$/m)
  expect(out).toMatch(/^ {5}\d+: delivery = "<address of the Delivery contract/m)
  expect(out).toContain('3. The network sepolia was not checked')
})

it('demands that a relayer it has made is added to the contract', async () => {
  const { out, status } = await setup(VALUES, { TRANSFER_SIGNER_KEYS: '' })
  expect(status).toBe(1)
  expect(out).toMatch(/1\. The signer (0x\w{40}) is not a relayer of .* --relayer \1$/m)
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

it('changes nothing if wrangler.toml names a database of another account', async () => {
  await project.reset(toml.replace(/"<from: wrangler d1 create marketplace-staging>"/, '"d-1"'))
  const { errors } = await setup(VALUES)
  expect(errors).toMatch(/^wrangler\.toml names the database d-1, which this account does not have/)
  expect(changesIn(await project.read())).toEqual([])
})

describe('the administrator', () => {
  beforeEach(() => restore())

  it('is the user who has the address', async () => {
    query('UPDATE users SET roleId = NULL')
    expect((await setup(ALL)).out).toContain('user 1, ada@example.org: appointed')
    expect(query('SELECT id, roleId FROM users')).toEqual([{ id: 1, roleId: 1 }])
  })

  it('is not somebody whose account is closed', async () => {
    query(`UPDATE users SET roleId = NULL, removedAt = '2026-01-01'`)
    const { errors, status } = await setup(ALL)
    expect(status).toBe(1)
    expect(errors).toBe('The account of ada@example.org is closed. Name another address.\n')
    expect(query('SELECT roleId FROM users')).toEqual([{ roleId: null }])
  })

  it('may be appointed later', async () => {
    query('UPDATE users SET roleId = NULL')
    expect((await setup()).out).toContain(
      'Appoint the first administrator: --administrator <e-mail address>',
    )
  })
})

describe('values that are wrong', () => {
  it.each([
    ['--domain', 'https://shop.example.org', '--domain must be a host such as'],
    ['--domain', 'localhost', '--domain must be a host such as'],
    ['--email-from', 'shop', '--email-from must be an e-mail address, not "shop".'],
    ['--administrator', 'bad addr', '--administrator must be an e-mail address, not "bad addr".'],
  ])('are refused before anything is done: %s %s', async (option, value, message) => {
    const { errors, status } = await setup([option, value])
    expect(status).toBe(1)
    expect(errors).toContain(message)
    expect((await project.read()).commands).toEqual([])
  })

  it('that differ from wrangler.toml stop the setup', async () => {
    await restore()
    const { out, status } = await setup(['--domain', 'other.example.org'])
    expect(status).toBe(1)
    expect(out).toContain(
      'PUBLIC_URL of [env.staging.vars] is "https://shop.example.org" in wrangler.toml. Change it by hand',
    )
  })

  it('of secrets are not uploaded, and nobody else can read the file', async () => {
    const file = join(project.folder, 'secrets.staging.json')
    const values = { JWT_KEYS: 'x', DELIVERY_KEY_SECRET: 'short' }
    const secrets = { ...values, TRANSFER_SIGNER_KEYS: privateKeyOf(relayer) }
    await writeFile(file, JSON.stringify(secrets), { mode: 0o644 })
    const { out, status } = await setup(VALUES)
    expect(status).toBe(1)
    expect(out).toContain('secrets.staging.json: JWT_KEYS must be a set of signing keys.')
    expect(out).toContain(
      'secrets.staging.json: DELIVERY_KEY_SECRET must be 64 hexadecimal digits.',
    )
    expect(changesIn(await project.read())).not.toContain(CHANGES.at(-2))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('of relayer keys are not written', async () => {
    const { errors, status } = await setup(VALUES, { TRANSFER_SIGNER_KEYS: '0xabc' })
    expect(status).toBe(1)
    expect(errors).toMatch(/^TRANSFER_SIGNER_KEYS must be private keys/)
    expect(existsSync(join(project.folder, 'secrets.staging.json'))).toBe(false)
  })
})

it('takes a wallet that nobody proved from an imported user who becomes administrator', async () => {
  await restore()
  query(`INSERT INTO users (id, externalId, provider, email, ethereumPublicAddr, identityHash, createdAt, updatedAt)
    VALUES (9, 'bo', 'email', 'bo@example.org', '${relayer.address}', 'x', '', '')`)
  await setup(['--administrator', 'bo@example.org'])
  expect(query('SELECT roleId, ethereumPublicAddr FROM users WHERE id = 9')).toEqual([
    { roleId: 1, ethereumPublicAddr: '' },
  ])
})

describe('the test order', () => {
  /** What the API was sent. */
  let sent: { url: string; token: string; body: unknown }[]
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('')
    const { url = '', headers } = request
    if (text) sent.push({ url, token: headers.authorization ?? '', body: JSON.parse(text) })
    response.end('{"orders":[{"id":7}],"error":null}')
  })

  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })

  afterAll(() => void server.close())

  beforeEach(async () => {
    sent = []
    const { port } = server.address() as { port: number }
    await restore()
    const text = await project.readText('wrangler.toml')
    const local = text.replace('https://shop.example.org', `http://127.0.0.1:${port}`)
    await writeFile(join(project.folder, 'wrangler.toml'), local)
  })

  it('says what to import if nothing is for sale', async () => {
    const { out, status } = await setup(['--test-order'])
    expect(status).toBe(0)
    expect(out).toMatch(/\d\. Import an NFT of anvil with a listing \(npm run import\)/)
    expect(sent).toEqual([])
  })

  it('buys something that is for sale for the administrator, once', async () => {
    query(`UPDATE users SET ethereumPublicAddr = '${relayer.address}'`)
    query(`INSERT INTO nfts (id, externalId, amount, availableAmount, creatorPublicAddr, contractAddr, contractName,
        contractNetwork, payload, price, priceEths, priceCurrency, title, creatorId, tokenId, status,
        releaseAt, createdAt, updatedAt)
      VALUES (4, 'one', 1, 1, '', '', '', 'anvil', '{}', 1, '0', 'USD', 'One', 1, '1', 'released', '', '', '')`)
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
