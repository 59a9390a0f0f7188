/** `npm run export -- --user` and `npm run forget` with a running instance. */
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

it('writes the data of a person with all orders to a file that only its owner can read', async () => {
  const order = { nftId: 3, listingId: 3, quantity: 1, buyerUserId: 5, buyerBillingData }
  await client.placeOrders({ body: [order] })
  await client.placeOrders({ body: Array.from({ length: 100 }, () => order) })
  const { out, errors } = await project.run('export', ['--user', '5', 'person.json'])
  expect(errors).toBe('')
  const file = join(project.folder, 'person.json')
  const data = JSON.parse(await readFile(file, 'utf8'))
  expect(data.orders).toHaveLength(101)
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
