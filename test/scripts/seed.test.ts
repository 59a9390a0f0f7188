import { beforeAll, expect, it } from 'vitest'
import { command as seed } from '../../scripts/local/seed.ts'
import { openLocalDatabase } from '../../scripts/operate/database/local.ts'
import { events } from '../../src/db/schema/webhooks.ts'
import { call } from '../support/call.ts'
import { aFolder, aLocalDatabase } from '../support/command.ts'

beforeAll(async () => {
  const { remove } = await aFolder()
  await aLocalDatabase()
  return remove
})

it('adds orders that leave no events', async () => {
  const { db, close } = await openLocalDatabase()
  const { out, errors } = await call(seed, ['--users', '2', '--nfts', '3', '--orders', '100'])
  const logged = await db.$count(events)
  await close()
  expect({ out, errors, logged }).toEqual({
    out: 'Added 2 users, 3 NFTs and 100 orders.\n',
    errors: '',
    logged: 0,
  })
})
