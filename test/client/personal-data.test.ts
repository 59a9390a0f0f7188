/** `npm run export -- --user` and `npm run forget`. */
import { readFile, stat } from 'node:fs/promises'
import { beforeAll, expect, it } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { command as exportData } from '../../scripts/operate/export.ts'
import { command as forget } from '../../scripts/operate/forget.ts'
import { call } from '../support/call.ts'
import { aFolder, pointStagingAt } from '../support/command.ts'
import { aPerson, instance, query } from '../support/instance/instance.ts'
import { placeOrders } from '../support/instance/orders.ts'

const client = createClient({ url: instance.url, token: instance.token })
const variables = { MARKETPLACE_TOKEN: instance.token }
const REMOTE = ['--remote', '--env', 'staging']

beforeAll(async () => {
  const { remove } = await aFolder()
  await pointStagingAt(instance.url)
  return remove
})
it('writes the data of a person with all orders to a file that only its owner can read', async () => {
  const id = await aPerson()
  await placeOrders(100, { buyerUserId: id })
  await placeOrders(1, { buyerUserId: id })
  const result = await call(exportData, ['--user', `${id}`, 'person.json', ...REMOTE], variables)
  expect(result).toEqual({
    out: `Wrote the data of user ${id}, with 101 orders, to person.json.\n`,
    errors: '',
    status: 0,
  })
  const data = JSON.parse(await readFile('person.json', 'utf8'))
  expect(data).toMatchObject({ user: { id } })
  expect(new Set(data.orders.map((order: { id: number }) => order.id)).size).toBe(101)
  expect((await stat('person.json')).mode & 0o777).toBe(0o600)
})

it('forgets a person only after the operator has said so', async () => {
  const id = await aPerson()
  const sql = 'UPDATE users SET name = ?, email = ? WHERE id = ?'
  await query(sql, 'Pia', `pia${id}@example.com`, `${id}`)
  const asked = await call(forget, ['--user', `${id}`, ...REMOTE], variables)
  expect(asked).toEqual({
    out: `This removes the data of user ${id} for good: Pia, pia${id}@example.com.\n`,
    errors: 'Nothing was changed. Add --yes to go on.\n',
    status: 1,
  })
  expect(await client.getPersonalData({ id })).toMatchObject({ user: { name: 'Pia' } })
  const { out, status } = await call(forget, ['--user', `${id}`, '--yes', ...REMOTE], variables)
  expect(out).toMatch(/^Removed the data of user \d+\. The account was closed at 2\d{3}-.+Z\.\n$/)
  expect(status).toBe(0)
  expect(await client.getPersonalData({ id })).toMatchObject({ user: { name: null, email: '' } })
})

it('says why a person cannot be forgotten, before it asks', async () => {
  const id = await aPerson()
  await query('UPDATE users SET roleId = 1 WHERE id = ?', `${id}`)
  const { out, errors, status } = await call(forget, ['--user', `${id}`, ...REMOTE], variables)
  expect({ out, status }).toEqual({ out: '', status: 1 })
  expect(errors).toContain('the user is an administrator: take that role away first')
})

it.each([
  [['--user', '3', '--remote'], '--remote needs --env.'],
  [['--user', '3', ...REMOTE], 'MARKETPLACE_TOKEN is not set.'],
  [['--user', 'x'], '--user must be a whole number from 1, not "x".'],
  [[], '--user is missing.'],
])('refuses %j', async (args, sentence) => {
  const { errors, status } = await call(forget, args)
  expect({ errors, status }).toEqual({ errors: expect.stringContaining(sentence), status: 1 })
})
