import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import { emailLinks, users } from '../../src/db/schema.ts'
import { aUser, db } from '../support/makers.ts'
import { anEmail, aVisitor, mailedLink, secretOf, signInByEmail } from '../support/visitor.ts'

const CONFIRM = '/sign-in/email/confirm'
const LINK_LIFETIME = 15 * 60 * 1000

async function aLink(email = anEmail()) {
  const visitor = aVisitor()
  await visitor.post('/sign-in/email', { form: { email } })
  const link = mailedLink(visitor)
  return { visitor, email, link, secret: secretOf(link) }
}

const isSignedIn = async (visitor: ReturnType<typeof aVisitor>) =>
  (await visitor.get('/settings/account')).status === 200

it('creates a user for a new address, and signs in the same user the next time', async () => {
  const email = anEmail()
  const visitor = aVisitor()
  const response = await signInByEmail(visitor, email)
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe('/settings/api-access')
  expect(await isSignedIn(visitor)).toBe(true)
  const again = aVisitor()
  await signInByEmail(again, email.toUpperCase())
  expect(await isSignedIn(again)).toBe(true)
  const rows = await db.select().from(users).where(eq(users.email, email))
  expect(rows).toMatchObject([{ provider: 'email', ethereumPublicAddr: '' }])
})

it('stores only the hash of the secret', async () => {
  const { secret, email } = await aLink()
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  const [row] = await db.select().from(emailLinks).where(eq(emailLinks.email, email))
  expect(row?.secretHash).toBe(createHash('sha256').update(secret).digest('hex'))
  expect(JSON.stringify(row)).not.toContain(secret)
})

it('does not sign in when the link is only opened', async () => {
  const { visitor, link, email } = await aLink()
  for (let i = 0; i < 3; i++) {
    const response = await visitor.get(link)
    expect(response.status).toBe(200)
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await response.text()).toContain(email)
  }
  expect(await isSignedIn(visitor)).toBe(false)
  expect(await db.select().from(users).where(eq(users.email, email))).toEqual([])
})

it('signs in on another device than the one that requested the link', async () => {
  const { secret } = await aLink()
  const phone = aVisitor()
  await phone.post(CONFIRM, { form: { secret } })
  expect(await isSignedIn(phone)).toBe(true)
})

it('accepts a link only once', async () => {
  const { link, secret } = await aLink()
  const uses = await Promise.all(
    [aVisitor(), aVisitor()].map((visitor) => visitor.post(CONFIRM, { form: { secret } })),
  )
  expect(uses.map(({ status }) => status).sort()).toEqual([303, 410])
  const late = aVisitor()
  expect((await late.post(CONFIRM, { form: { secret } })).status).toBe(410)
  expect((await late.get(link)).status).toBe(410)
  expect(await isSignedIn(late)).toBe(false)
})

it('rejects a link after 15 minutes', async () => {
  const { visitor, link, secret } = await aLink()
  const start = Date.now()
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    vi.setSystemTime(start + LINK_LIFETIME - 10_000)
    expect((await visitor.get(link)).status).toBe(200)
    vi.setSystemTime(start + LINK_LIFETIME + 10_000)
    expect((await visitor.get(link)).status).toBe(410)
    expect((await visitor.post(CONFIRM, { form: { secret } })).status).toBe(410)
  } finally {
    vi.useRealTimers()
  }
  expect(visitor.cookies.has('token')).toBe(false)
})

it('rejects an unknown secret', async () => {
  const visitor = aVisitor()
  expect((await visitor.post(CONFIRM, { form: { secret: '0'.repeat(64) } })).status).toBe(410)
  expect((await visitor.post(CONFIRM, { form: { secret: 'x' } })).status).toBe(400)
})

it('gives the same response for a known and an unknown address', async () => {
  const known = anEmail()
  await aUser({ email: known })
  const visitor = aVisitor()
  const responses = []
  for (const email of [known, anEmail()]) {
    const response = await visitor.post('/sign-in/email', { form: { email } })
    const headers = Object.fromEntries(response.headers)
    delete headers['x-request-id']
    delete headers['x-d1-bookmark']
    responses.push({ status: response.status, headers, body: await response.text() })
  }
  expect(responses[0]).toEqual(responses[1])
  expect(visitor.mails.map(({ to }) => to)).toEqual([known, expect.any(String)])
  expect(visitor.mails[0]?.subject).toBe(visitor.mails[1]?.subject)
})

it('sends at most three mails to an address in 15 minutes, with the same response', async () => {
  const email = anEmail()
  const visitor = aVisitor()
  const statuses = []
  for (let i = 0; i < 5; i++)
    statuses.push((await visitor.post('/sign-in/email', { form: { email } })).status)
  expect(statuses).toEqual([303, 303, 303, 303, 303])
  expect(visitor.mails).toHaveLength(3)
})

it('shows the form with the input again if the address is not valid', async () => {
  const visitor = aVisitor()
  const response = await visitor.post('/sign-in/email', { form: { email: '"><script>' } })
  expect(response.status).toBe(400)
  const page = await response.text()
  expect(page).toContain('This is not an e-mail address.')
  expect(page).toContain('value="&quot;&gt;&lt;script&gt;"')
  expect(visitor.mails).toEqual([])
})

it('rejects requests of other sites', async () => {
  const { visitor, email, secret } = await aLink()
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }
  for (const [path, form] of [
    ['/sign-in/email', { email }],
    [CONFIRM, { secret }],
  ] as const)
    expect((await visitor.post(path, { form, headers })).status).toBe(403)
  expect(visitor.mails).toHaveLength(1)
  expect((await visitor.post(CONFIRM, { form: { secret } })).status).toBe(303)
})

it('rejects a closed account', async () => {
  const { email, secret, visitor } = await aLink()
  await aUser({ email, removedAt: '2026-01-01T00:00:00.000Z' })
  expect((await visitor.post(CONFIRM, { form: { secret } })).status).toBe(403)
  expect(visitor.cookies.has('token')).toBe(false)
})
