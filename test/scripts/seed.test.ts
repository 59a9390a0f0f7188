import { beforeAll, expect, it } from 'vitest'
import { command as seed } from '../../scripts/local/seed.ts'
import { openLocalDatabase } from '../../scripts/operate/database/local.ts'
import { events, webhookEndpoints } from '../../src/db/schema/webhooks.ts'
import { call } from '../support/call.ts'
import { aFolder, aLocalDatabase } from '../support/command.ts'

beforeAll(async () => {
  const { remove } = await aFolder()
  await aLocalDatabase()
  return remove
})

it('adds orders that leave no events', async () => {
  await call(seed, ['--users', '1', '--nfts', '3'])
  const { db, env, close } = await openLocalDatabase()
  await env.DB.exec('UPDATE users SET roleId = 1 WHERE id = 1')
  await db.insert(webhookEndpoints).values({
    id: 'we_1',
    userId: 1,
    role: 'master',
    url: 'https://shop.example/webhooks',
    events: ['order.created', 'order.delivered', 'order.failed'],
    secretId: 'secret',
    position: 0,
    logFrom: 0,
    verifiedAt: '2026-01-01T00:00:00.000Z',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  })
  const { out, errors } = await call(seed, ['--users', '2', '--nfts', '3', '--orders', '100'])
  const logged = await db.$count(events)
  await close()
  expect({ out, errors, logged }).toEqual({
    out: 'Added 2 users, 3 NFTs and 100 orders.\n',
    errors: '',
    logged: 0,
  })
})

it.each([
  [[], 'There is nothing to add.'],
  [['--nfts', '1'], 'NFTs need a creator: use --users 1 or more.'],
  [['--users', '1', '--nfts', '1', '--orders', '1'], 'Orders need NFTs for sale: use --users 1'],
  [['--orders=-3'], '--orders must be a whole number from 0, not "-3".'],
])('refuses %j', async (args, sentence) => {
  const { errors, status } = await call(seed, args)
  expect({ errors, status }).toEqual({ errors: expect.stringContaining(sentence), status: 1 })
})
