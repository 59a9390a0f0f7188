import { eq } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import { tokens } from '../../src/db/schema.ts'
import { storeUse } from '../../src/identity/last-used.ts'
import { verifyToken } from '../../src/identity/tokens.ts'
import { aToken, aUser, db, issuer } from '../support/makers.ts'
import { aVisitor } from '../support/visitor.ts'

const OWN = '/api/public/user/me/deliveryAddresses'
const HOUR = 60 * 60 * 1000

async function aUsedToken() {
  const jwt = await aToken(await aUser())
  const id = (await verifyToken(issuer, jwt, new Date()))?.tokenId ?? ''
  const visitor = aVisitor()
  const ask = (path = OWN) => visitor.get(path, { headers: { authorization: `Bearer ${jwt}` } })
  const lastUsedAt = async () => {
    const [row] = await db.select().from(tokens).where(eq(tokens.id, id))
    return row?.lastUsedAt
  }
  return { id, ask, lastUsedAt }
}

it('notes when a token was used, after the answer', async () => {
  const { ask, lastUsedAt } = await aUsedToken()
  expect(await lastUsedAt()).toBeNull()
  const before = new Date().toISOString()
  expect((await ask()).status).toBe(200)
  expect((await lastUsedAt()) ?? '').toSatisfy((at: string) => at >= before)
})

it('does not note what was refused', async () => {
  const { ask, lastUsedAt } = await aUsedToken()
  expect((await ask('/api/public/user/999999999/deliveryAddresses')).status).toBe(403)
  expect(await lastUsedAt()).toBeNull()
})

it('writes once an hour, however often the token is used', async () => {
  const { ask, lastUsedAt } = await aUsedToken()
  await ask()
  const first = await lastUsedAt()
  const start = Date.now()
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    vi.setSystemTime(start + HOUR / 2)
    await ask()
    expect(await lastUsedAt()).toBe(first)
    vi.setSystemTime(start + HOUR + 60_000)
    await ask()
    expect(await lastUsedAt()).toBe(new Date(start + HOUR + 60_000).toISOString())
  } finally {
    vi.useRealTimers()
  }
})

it('writes nothing when another isolate noted it within the hour', async () => {
  const { id, lastUsedAt } = await aUsedToken()
  const noon = new Date('2026-06-01T12:00:00.000Z')
  await storeUse(db, id, noon)
  await storeUse(db, id, new Date(noon.getTime() + HOUR / 2))
  expect(await lastUsedAt()).toBe(noon.toISOString())
})
