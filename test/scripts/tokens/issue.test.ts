import { beforeEach, expect, it } from 'vitest'
import type { Store } from '../../../scripts/database/remote.ts'
import { issueToken, standingToken } from '../../../scripts/tokens/issue.ts'
import { ADMINISTRATOR, tokens, users } from '../../../src/db/schema.ts'
import { generateSigningKey, verifyToken } from '../../../src/identity/tokens.ts'
import { aDatabase, storeOf } from '../../support/sqlite.ts'

const issuer = { url: 'https://marketplace.test', keys: [await generateSigningKey()] }
const NOW = new Date('2026-03-01T12:00:00.500Z')
const then = NOW.toISOString()
const BUYER = 3

let store: Store

beforeEach(async () => {
  store = storeOf(aDatabase())
  const person = { provider: 'email', createdAt: then, updatedAt: then }
  await store.insert(users).values({ ...person, id: 7, roleId: ADMINISTRATOR, removedAt: then })
  await store.insert(users).values({ ...person, id: 8, roleId: ADMINISTRATOR })
  await store.insert(users).values({ ...person, id: BUYER })
})

it("gives a user's token, and stores its claims", async () => {
  const jwt = await issueToken(store, issuer, { role: 'user', userId: BUYER, name: 'x' }, NOW)
  const caller = await verifyToken(issuer, jwt, NOW)
  expect(caller).toMatchObject({ userId: BUYER, role: 'user' })
  expect(await store.select().from(tokens)).toMatchObject([
    { id: caller?.tokenId, userId: BUYER, role: 'user', kind: 'api', name: 'x' },
  ])
})

it('gives a master token to the first administrator who was not removed', async () => {
  const jwt = await issueToken(store, issuer, { role: 'master', name: 'x' }, NOW)
  expect(await verifyToken(issuer, jwt, NOW)).toMatchObject({ userId: 8, role: 'master' })
})

it('gives no token to who is not there', async () => {
  for (const userId of [7, 99])
    await expect(
      issueToken(store, issuer, { role: 'user', userId, name: 'x' }, NOW),
    ).rejects.toThrow(`There is no user ${userId}.`)
})

it('says how to appoint an administrator when a master token has no owner', async () => {
  const wish = { role: 'master', userId: BUYER, name: 'x' } as const
  await expect(issueToken(store, issuer, wish, NOW)).rejects.toThrow(
    /^User 3 is no administrator.*\n.*UPDATE users SET roleId = 1 WHERE id = 3/,
  )
  expect(await store.select().from(tokens)).toEqual([])
})

it('gives a standing token again until a day before it expires or it is revoked', async () => {
  const wish = { role: 'master', name: 'standing' } as const
  const token = await standingToken(store, issuer, wish, NOW)
  const inDays = (days: number) => new Date(NOW.getTime() + days * 24 * 60 * 60 * 1000)
  expect(await standingToken(store, issuer, wish, inDays(363))).toBe(token)
  const next = await standingToken(store, issuer, wish, inDays(364.5))
  expect(next).not.toBe(token)
  await store.update(tokens).set({ revokedAt: then })
  expect(await standingToken(store, issuer, wish, inDays(365))).not.toBe(next)
})
