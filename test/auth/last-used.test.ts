import { expect, it, vi } from 'vitest'
import { storeTokenUse } from '../../src/auth/authenticate.ts'
import { newToken, signToken } from '../../src/auth/tokens.ts'
import { tokens } from '../../src/db/schema/users.ts'
import { callerOf } from '../orders/shop.ts'
import { stopClock } from '../support/fake-time.ts'
import { aToken, aUser, db, findRow, issuer } from '../support/makers.ts'
import { aVisitor } from '../support/visitor.ts'

const OWN = '/api/public/user/me/deliveryAddresses'
const HOUR = 60 * 60 * 1000

async function aTokenWithUse() {
  const user = await aUser()
  const jwt = await aToken(user)
  const { tokenId: id } = await callerOf(jwt)
  const visitor = aVisitor()
  const send = (path = OWN) => visitor.get(path, { headers: { authorization: `Bearer ${jwt}` } })
  const lastUsedAt = async () => (await findRow(tokens, id))?.lastUsedAt
  return { id, user, send, lastUsedAt }
}

it('stores when a token was used', async () => {
  const { send, lastUsedAt } = await aTokenWithUse()
  expect(await lastUsedAt()).toBeNull()
  const before = new Date().toISOString()
  expect((await send()).status).toBe(200)
  expect((await lastUsedAt()) ?? '').toSatisfy((at: string) => at >= before)
})

it('ignores rejected requests', async () => {
  const { send, lastUsedAt } = await aTokenWithUse()
  expect((await send('/api/public/user/999999999/deliveryAddresses')).status).toBe(403)
  expect(await lastUsedAt()).toBeNull()
})

it('stores the time at most once an hour', async () => {
  const { send, lastUsedAt } = await aTokenWithUse()
  await send()
  const first = await lastUsedAt()
  const start = Date.now()
  stopClock()
  vi.setSystemTime(start + HOUR / 2)
  await send()
  expect(await lastUsedAt()).toBe(first)
  vi.setSystemTime(start + HOUR + 60_000)
  await send()
  expect(await lastUsedAt()).toBe(new Date(start + HOUR + 60_000).toISOString())
})

it('does not overwrite a time that another isolate stored within the hour', async () => {
  const { id, user, lastUsedAt } = await aTokenWithUse()
  const token = { tokenId: id, userId: user.id }
  const noon = new Date('2026-06-01T12:00:00.000Z')
  await storeTokenUse(db, token, noon)
  await storeTokenUse(db, token, new Date(noon.getTime() + HOUR / 2))
  expect(await lastUsedAt()).toBe(noon.toISOString())
})

it('stores nothing for a forged token with the id of another one', async () => {
  const { id, send, lastUsedAt } = await aTokenWithUse()
  const forged = newToken(
    issuer,
    { userId: (await aUser()).id, role: 'user', id },
    HOUR,
    new Date(),
  )
  const authorization = `Bearer ${await signToken(issuer, forged)}`
  const response = await aVisitor().get('/api/public/stats', { headers: { authorization } })
  expect(response.status).toBe(200)
  expect(await lastUsedAt()).toBeNull()
  await send()
  expect(await lastUsedAt()).not.toBeNull()
})
