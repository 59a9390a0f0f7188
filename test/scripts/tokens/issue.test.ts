import { beforeEach, expect, it } from 'vitest'
import type { SqliteDatabase } from '../../../scripts/operate/database/remote.ts'
import { generateSigningKey } from '../../../scripts/operate/keys/generate.ts'
import { issueToken, parseTokenName } from '../../../scripts/operate/tokens/issue.ts'
import { verifyToken } from '../../../src/auth/tokens.ts'
import { ADMINISTRATOR, tokens, users } from '../../../src/db/schema/users.ts'
import { aDatabase, withDrizzle } from '../../support/sqlite.ts'

const issuer = { url: 'https://marketplace.test', keys: [await generateSigningKey()] }
const NOW = new Date('2026-03-01T12:00:00.500Z')
const created = NOW.toISOString()
const BUYER = 3

let db: SqliteDatabase

beforeEach(async () => {
  db = withDrizzle(aDatabase())
  const user = { provider: 'email', createdAt: created, updatedAt: created }
  const aUser = (id: number, values: Partial<typeof users.$inferInsert> = {}) =>
    db.insert(users).values({ ...user, id, identityHash: String(id), ...values })
  await aUser(7, { roleId: ADMINISTRATOR, removedAt: created })
  await aUser(8, { roleId: ADMINISTRATOR })
  await aUser(9, { roleId: ADMINISTRATOR })
  await aUser(BUYER)
})

it('issues a token of a user and stores its claims', async () => {
  const jwt = await issueToken(db, issuer, { role: 'user', userId: BUYER, name: 'x' }, NOW)
  const caller = await verifyToken(issuer, jwt, NOW)
  expect(caller).toMatchObject({ userId: BUYER, role: 'user' })
  expect(await db.select().from(tokens)).toMatchObject([
    { id: caller?.tokenId, userId: BUYER, role: 'user', kind: 'api', name: 'x' },
  ])
})

it('issues a master token to the first administrator who is not removed', async () => {
  const jwt = await issueToken(db, issuer, { role: 'master', name: 'x' }, NOW)
  expect(await verifyToken(issuer, jwt, NOW)).toMatchObject({ userId: 8, role: 'master' })
})

it('issues no token to a removed or unknown user', async () => {
  for (const userId of [7, 99])
    await expect(issueToken(db, issuer, { role: 'user', userId, name: 'x' }, NOW)).rejects.toThrow(
      `There is no user ${userId}.`,
    )
})

it('issues a master token to administrators only, and says how to appoint one', async () => {
  const request = { role: 'master', userId: BUYER, name: 'x' } as const
  await expect(issueToken(db, issuer, request, NOW)).rejects.toThrow(
    /^User 3 is not an administrator.*\n.*UPDATE users SET roleId = 1 WHERE id = 3/,
  )
  expect(await db.select().from(tokens)).toEqual([])
})

it('returns an existing token until it is revoked or valid for less than a day', async () => {
  const request = { role: 'master', name: 'reused' } as const
  const token = await issueToken(db, issuer, request, NOW)
  const inDays = (days: number) => new Date(NOW.getTime() + days * 24 * 60 * 60 * 1000)
  expect(await issueToken(db, issuer, request, inDays(363))).toBe(token)
  const next = await issueToken(db, issuer, request, inDays(364.5))
  expect(next).not.toBe(token)
  await db.update(tokens).set({ revokedAt: created })
  expect(await issueToken(db, issuer, request, inDays(365))).not.toBe(next)
})

it('issues a token for metrics, and none with the name of a token that may do more', async () => {
  const request = { role: 'master', scope: 'metrics', name: 'metrics' } as const
  const jwt = await issueToken(db, issuer, request, NOW)
  expect(await verifyToken(issuer, jwt, NOW)).toMatchObject({ role: 'master', scope: 'metrics' })
  expect(await issueToken(db, issuer, request, NOW)).toBe(jwt)
  for (const [scope, name] of [
    ['write', 'metrics'],
    ['metrics', 'shop'],
  ] as const) {
    await issueToken(db, issuer, { role: 'master', name: 'shop' }, NOW)
    await expect(issueToken(db, issuer, { role: 'master', scope, name }, NOW)).rejects.toThrow(
      `There is a live token with the name "${name}" and another permission.`,
    )
  }
})

it('issues no master token with the name of another administrator’s live one', async () => {
  const request = { role: 'master', userId: 9, name: 'shop' } as const
  await issueToken(db, issuer, request, NOW)
  await expect(issueToken(db, issuer, { ...request, userId: 8 }, NOW)).rejects.toThrow(
    'User 9 has a live master token with the name "shop". Choose another --name',
  )
  await db.update(tokens).set({ revokedAt: created })
  await issueToken(db, issuer, { ...request, userId: 8 }, NOW)
  expect(await db.$count(tokens)).toBe(2)
})

it('stores one of two tokens that are issued under a name at the same time', async () => {
  const request = { role: 'master', name: 'shop' } as const
  const results = await Promise.allSettled([1, 2].map(() => issueToken(db, issuer, request, NOW)))
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await db.$count(tokens)).toBe(1)
})

it('takes a name as it is, and rejects the name of sessions', () => {
  expect(parseTokenName('shop 1 é')).toBe('shop 1 é')
  expect(() => parseTokenName('shop ')).toThrow('--name: must not have U+0020 at position 5')
  expect(() => parseTokenName('Session')).toThrow('--name: must not be "session"')
  expect(() => parseTokenName('')).toThrow('--name: must be 1 to 100 characters')
})
