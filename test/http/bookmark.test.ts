/** A caller reads its own writes: at the primary for ten seconds, then at a replica that has them. */
import { expect, it } from 'vitest'
import { callWith } from '../support/api.ts'
import { stopClock } from '../support/fake-time.ts'
import { aSession, aToken, aUser } from '../support/makers.ts'
import { aLaggingReplica } from '../support/replica.ts'
import { aVisitor } from '../support/visitor.ts'

const ADDRESSES = '/api/public/user/me/deliveryAddresses'
const ADDRESS = '/api/public/deliveryAddress'
const STATE = '00000001-00000002-00000003-0123456789abcdef'

/** Reads with the bookmark of a write that was some milliseconds ago. */
async function readAfter(age: number | null) {
  const token = await aToken(await aUser())
  const { database: DB, answers } = await aLaggingReplica()
  stopClock()
  const bookmark = age === null ? STATE : `${STATE}.${Date.now() - age}`
  const headers = { 'x-d1-bookmark': bookmark }
  const response = await callWith({ DB }, 'GET', ADDRESSES, { token, headers })
  return { answers, bookmark, next: response.headers.get('x-d1-bookmark') ?? '' }
}

it('asks the primary within 10 seconds after a write, and keeps the bookmark', async () => {
  const { answers, bookmark, next } = await readAfter(9000)
  expect(answers).toEqual([{ copy: 'primary', from: 'first-primary' }])
  // A replica would wait until it has what the primary has just shown.
  expect(next).toBe(bookmark)
})

it.each([10_000, 3_600_000, -3_600_000, null])(
  'asks a replica %s ms after a write, at its bookmark',
  async (age) => {
    const { answers, next } = await readAfter(age)
    expect(answers).toEqual([{ copy: 'replica', from: STATE }])
    expect(next).not.toContain('.')
  },
)

it('asks any replica without a bookmark', async () => {
  const token = await aToken(await aUser())
  const { database: DB, answers } = await aLaggingReplica()
  const response = await callWith({ DB }, 'GET', ADDRESSES, { token })
  expect(answers).toEqual([{ copy: 'replica', from: 'first-unconstrained' }])
  expect(response.headers.get('x-d1-bookmark')).not.toContain('.')
})

it('returns the time of a write, and no cookie to a program', async () => {
  const token = await aToken(await aUser())
  const before = Date.now()
  const response = await callWith({}, 'POST', ADDRESS, { token, json: { city: 'Oslo' } })
  const [state, writtenAt] = response.headers.get('x-d1-bookmark')?.split('.') ?? []
  expect(state).toMatch(/^[\da-f]+(-[\da-f]+){3}$/)
  expect(Number(writtenAt)).toBeGreaterThanOrEqual(before)
  expect(response.headers.get('set-cookie')).toBeNull()
})

it('keeps the bookmark of a browser in a cookie for a minute', async () => {
  const session = await aSession(await aUser())
  const visitor = aVisitor()
  visitor.cookies.set('token', session)
  await visitor.get('/settings/profile')
  expect(visitor.cookies.has('bookmark')).toBe(false)
  const saved = await visitor.post('/settings/profile', { form: { name: 'Ada', username: '' } })
  expect(saved.headers.getSetCookie().find((cookie) => cookie.startsWith('bookmark='))).toMatch(
    /^bookmark=[\da-f-]+\.\d{13}; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  const { database: DB, copies } = await aLaggingReplica()
  const read = (cookie: string) =>
    callWith({ DB }, 'GET', '/settings/profile', {
      headers: { cookie: `token=${session}; ${cookie}` },
    })
  expect((await read(`bookmark=${visitor.cookies.get('bookmark')}`)).status).toBe(200)
  expect(copies()).toEqual(['primary'])
  for (const cookie of ['bookmark=first-primary', 'bookmark=x', 'other=1']) await read(cookie)
  expect(copies()).toEqual(['replica', 'replica', 'replica'])
})
