import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import { emailLinks, users } from '../../src/db/schema/users.ts'
import { stopClock } from '../support/fake-time.ts'
import { aUser, db } from '../support/makers.ts'
import {
  anEmail,
  aVisitor,
  mailedLink,
  pageOf,
  secretOf,
  signInByEmail,
  signInByWallet,
} from '../support/visitor.ts'

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
  const signedIn = { status: 303, location: '/orders' }
  expect(await pageOf(signInByEmail(visitor, email))).toMatchObject(signedIn)
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
  stopClock()
  vi.setSystemTime(start + LINK_LIFETIME - 10_000)
  expect((await visitor.get(link)).status).toBe(200)
  vi.setSystemTime(start + LINK_LIFETIME + 10_000)
  expect((await visitor.get(link)).status).toBe(410)
  expect((await visitor.post(CONFIRM, { form: { secret } })).status).toBe(410)
  expect(visitor.cookies.has('token')).toBe(false)
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
    // The browser knows the address that it has sent.
    headers['set-cookie'] = response.headers
      .getSetCookie()
      .filter((cookie) => !cookie.startsWith('bookmark='))
      .join()
      .replace(encodeURIComponent(email), '')
    responses.push({ status: response.status, headers, body: await response.text() })
  }
  expect(responses[0]).toEqual(responses[1])
  expect(visitor.mails.map(({ to }) => to)).toEqual([known, expect.any(String)])
  expect(visitor.mails[0]?.subject).toBe(visitor.mails[1]?.subject)
})

/** Requests links for the addresses, one after the other, from a client. */
async function requestLinks(emails: readonly string[], client: string) {
  const visitor = aVisitor()
  const headers = { 'cf-connecting-ip': client }
  const statuses = []
  for (const email of emails)
    statuses.push((await visitor.post('/sign-in/email', { form: { email }, headers })).status)
  const links = visitor.mails.map((_, i) =>
    secretOf(mailedLink({ ...visitor, mails: visitor.mails.slice(0, i + 1) })),
  )
  return { visitor, statuses, links }
}

const repeated = (email: string, count: number) => Array<string>(count).fill(email)

/** Uses links, and returns the status of each response. */
const useAll = async (secrets: readonly string[]) => {
  const statuses = []
  for (const secret of secrets)
    statuses.push((await aVisitor().post(CONFIRM, { form: { secret } })).status)
  return statuses
}

it('replaces the oldest link of a mailbox with a fourth one of the same client', async () => {
  const { visitor, links } = await requestLinks(repeated(anEmail(), 5), '192.0.2.1')
  expect(visitor.mails).toHaveLength(5)
  expect(await useAll(links)).toEqual([410, 410, 303, 303, 303])
})

it('sends a client six links for a mailbox in 15 minutes, with the same response', async () => {
  const email = anEmail()
  const start = Date.now()
  stopClock()
  const { visitor, statuses } = await requestLinks(repeated(email, 8), '192.0.2.1')
  expect(statuses).toEqual(Array(8).fill(303))
  expect(visitor.mails).toHaveLength(6)
  vi.setSystemTime(start + LINK_LIFETIME - 1000)
  expect((await requestLinks([email], '192.0.2.1')).links).toHaveLength(0)
  vi.setSystemTime(start + LINK_LIFETIME + 1000)
  expect((await requestLinks([email], '192.0.2.1')).links).toHaveLength(1)
})

it('counts addresses that differ in their plus tags as one mailbox', async () => {
  const [local = '', domain = ''] = anEmail().split('@')
  const emails = [0, 1, 2, 3, 4, 5, 6, 7].map((tag) => `${local}+${tag}@${domain}`)
  const { visitor, links } = await requestLinks(emails, '192.0.2.1')
  expect(visitor.mails.map(({ to }) => to)).toEqual(emails.slice(0, 6))
  expect(await useAll(links)).toEqual([410, 410, 410, 303, 303, 303])
  // The tag stays a part of the address, which is another account.
  const rows = await db
    .select({ email: users.email })
    .from(users)
    .where(eq(users.email, `${local}+5@${domain}`))
  expect(rows).toHaveLength(1)
})

it('neither blocks nor replaces the links of an owner when others request links', async () => {
  const email = anEmail()
  const owner = await requestLinks([email], '2001:db8:1::1')
  for (const stranger of ['192.0.2.1', '192.0.2.2', '2001:db8:2::1'])
    await requestLinks(repeated(email, 8), stranger)
  const account = aVisitor()
  await signInByWallet(account)
  for (let i = 0; i < 4; i++) await account.post('/settings/account/email', { form: { email } })
  // The same client has another address of its network.
  const again = await requestLinks(repeated(email, 2), '2001:db8:1::2')
  expect(again.visitor.mails).toHaveLength(2)
  expect(await useAll([...owner.links, ...again.links])).toEqual([303, 303, 303])
})

it('shows the form with the input again if the address is not valid', async () => {
  const visitor = aVisitor()
  const form = { email: '"><script>' }
  const { status, html } = await pageOf(visitor.post('/sign-in/email', { form }))
  expect(status).toBe(400)
  expect(html).toContain('This is not an e-mail address.')
  expect(html).toContain('value="&quot;&gt;&lt;script&gt;"')
  expect(visitor.mails).toEqual([])
})

it('rejects a closed account', async () => {
  const { email, secret, visitor } = await aLink()
  await aUser({ email, removedAt: '2026-01-01T00:00:00.000Z' })
  expect((await visitor.post(CONFIRM, { form: { secret } })).status).toBe(403)
  expect(visitor.cookies.has('token')).toBe(false)
})
