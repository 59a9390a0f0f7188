/** `npm run archive`, `export -- --user` and `forget`, with a running instance. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient, type MarketplaceClient } from '../../client/src/index.ts'
import { aFreePort, aProject, databaseFile, type Project, tokenIn } from '../support/project.ts'

let project: Project
let url: string
let token: string
let client: MarketplaceClient

beforeAll(async () => {
  project = await aProject()
  const PORT = await aFreePort()
  const { out } = await project.start('dev', 'Ctrl-C', { PORT, RPC_PORT: await aFreePort() })
  url = `http://localhost:${PORT}`
  token = tokenIn(out)
  client = createClient({ url, token })
  const file = join(project.folder, 'wrangler.toml')
  const toml = await readFile(file, 'utf8')
  await writeFile(file, toml.replace('PUBLIC_URL = "https://staging', `PUBLIC_URL = "${url}" # "`))
})

afterAll(() => project.remove())

function change(sql: string) {
  const database = new DatabaseSync(databaseFile(project.folder), { timeout: 5_000 })
  database.exec(sql)
  database.close()
}

const buyerBillingData = { street: 'Road 1', postal: '0150', city: 'Oslo', country: 'NO' }

/** User 5 has no wallet. Places two orders, and makes the first one old and cancelled. */
async function anOldOrder(): Promise<number> {
  const order = { nftId: 3, listingId: 3, quantity: 1, buyerUserId: 5, buyerBillingData }
  const { orders } = await client.placeOrders({ body: [order, order] })
  const [{ id } = { id: 0 }] = orders
  change(`UPDATE deliveries SET state = 'failed', wish = 'cancel', reason = 'cancelled', awaits = NULL,
    createdAt = '2025-06-01', updatedAt = '2025-06-01' WHERE id = ${orders[0]?.orderItems[0]?.id}`)
  return id
}

it('archives old orders of the local instance, which are read as before', async () => {
  const id = await anOldOrder()
  const before = await client.getOrders({ order_ids: [id] })
  const { out, errors, status } = await project.run('archive', ['--before', '2025-07-01'])
  expect({ out, errors, status }).toEqual({
    out: 'Archived 1 orders that were placed before 2025-07-01.\n',
    errors: '',
    status: 0,
  })
  expect(await client.getOrders({ order_ids: [id] })).toEqual(before)
})

it('archives those of a deployed instance, with the token of a variable', async () => {
  await anOldOrder()
  const args = ['--before', '2025-07-01', '--remote', '--env', 'staging']
  const { out } = await project.run('archive', args, { MARKETPLACE_TOKEN: token })
  expect(out).toBe('Archived 1 orders that were placed before 2025-07-01.\n')
  const { errors, status } = await project.run('archive', args, { MARKETPLACE_TOKEN: '' })
  expect(errors).toContain('MARKETPLACE_TOKEN is not set.')
  expect(status).toBe(1)
})

it.each([
  [['--before', '2999-01-01'], 'before: must be at least 30 days ago (invalid_input, request '],
  [['--before', 'today'], 'before: must be a date, as in 2026-01-31 (invalid_input, request '],
  [[], '--before is missing.'],
  [['--before', '2025-07-01', '--env', 'staging'], '--env needs --remote.'],
])('prints what is wrong with %j', async (args, problem) => {
  const { errors, status } = await project.run('archive', args)
  expect(errors).toContain(problem)
  expect(status).toBe(1)
})

it('writes the data of a person with all orders to a file that only its owner can read', async () => {
  const order = { nftId: 3, listingId: 3, quantity: 1, buyerUserId: 5, buyerBillingData }
  await client.placeOrders({ body: Array.from({ length: 100 }, () => order) })
  const { out, errors } = await project.run('export', ['--user', '5', 'person.json'])
  expect(errors).toBe('')
  const file = join(project.folder, 'person.json')
  const data = JSON.parse(await readFile(file, 'utf8'))
  expect(data.orders.length).toBeGreaterThan(100)
  expect(new Set(data.orders.map(({ id }: { id: number }) => id)).size).toBe(data.orders.length)
  expect(out).toBe(`Wrote the data of user 5, with ${data.orders.length} orders, to person.json.\n`)
  expect(data).toMatchObject({ user: { id: 5 } })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

it('forgets a person only after the operator has said so', async () => {
  change(`INSERT INTO users (id, provider, email, identityHash, name, createdAt, updatedAt)
    VALUES (77, 'email', 'pia@example.com', 'pia', 'Pia', '2025-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z')`)
  const asked = await project.run('forget', ['--user', '77'])
  expect(asked.out).toContain('This removes the data of user 77 for good: Pia, pia@example.com.')
  expect(asked).toMatchObject({ errors: 'Nothing was changed. Add --yes to go on.\n', status: 1 })
  expect(await client.getPersonalData({ id: 77 })).toMatchObject({ user: { name: 'Pia' } })
  const { out, status } = await project.run('forget', ['--user', '77', '--yes'])
  expect(out).toMatch(/^User 77 is forgotten\. The account was closed at 2\d{3}-.+Z\.\n$/)
  expect(status).toBe(0)
  expect(await client.getPersonalData({ id: 77 })).toMatchObject({
    user: { name: null, email: '' },
  })
})

it('says why a person cannot be forgotten', async () => {
  const { errors, status } = await project.run('forget', ['--user', '5', '--yes'])
  expect(errors).toContain(
    'NFTs may still be delivered to or from the user: wait for them, or cancel',
  )
  expect(status).toBe(1)
})
