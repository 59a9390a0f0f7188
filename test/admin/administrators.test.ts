/** Operations → Administrators. */
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { auditLog } from '../../src/db/schema/operations.ts'
import { ADMINISTRATOR, users } from '../../src/db/schema/users.ts'
import { webhookEndpoints } from '../../src/db/schema/webhooks.ts'
import { call } from '../support/api.ts'
import { aToken, aUser, aWebhook, db, findRow, setRow } from '../support/makers.ts'
import {
  ageSession,
  anEmail,
  aSignedInVisitor,
  locationOf,
  pageOf,
  type Visitor,
} from '../support/visitor.ts'

const PAGE = '/operations/administrators'
type Values = Parameters<typeof aSignedInVisitor>[0]

const anAdministrator = (values: Values = {}) =>
  aSignedInVisitor({ roleId: ADMINISTRATOR, ...values })

const change = (visitor: Visitor, to: 'appointed' | 'dismissed', { id }: { id: number }) =>
  visitor.post(PAGE, { form: { userId: String(id), to } })

const administrators = async () =>
  (await db.select().from(users).where(eq(users.roleId, ADMINISTRATOR))).map(({ id }) => id)

const open = async (visitor: Visitor, query = '') => (await pageOf(visitor.get(PAGE + query))).html

const find = (visitor: Visitor, person: string) =>
  open(visitor, `?${new URLSearchParams({ person })}`)

beforeEach(async () => {
  await db.update(users).set({ roleId: null })
  await db.delete(auditLog)
})

describe('appointing', () => {
  it('finds a user by e-mail address or username, whoever has signed in', async () => {
    const { visitor } = await anAdministrator()
    const { user } = await aSignedInVisitor({
      name: 'Grace Hopper',
      username: 'Grace-7',
      email: 'grace@xn--bcher-kva.example',
    })
    for (const text of ['GRACE@bücher.example', 'grace-7', ' Grace-7\u200e ']) {
      const html = await find(visitor, text)
      expect(html).toContain(`<input type="hidden" name="userId" value="${user.id}"/>`)
      expect(html).toContain('Grace Hopper')
    }
    await aUser({ email: 'guest@example.com', username: 'guest-7' })
    for (const text of ['guest@example.com', 'guest-7', 'Grace Hopper', '@', '%']) {
      const html = await find(visitor, text)
      expect(html).toContain('No other user with this name has signed in.')
      expect(html).not.toContain('value="appointed"')
    }
  })

  it('is recorded, and mailed to both', async () => {
    const { visitor, user } = await anAdministrator({ email: anEmail() })
    const other = await aSignedInVisitor({ name: 'Grace', email: anEmail() })
    expect((await other.visitor.get(PAGE)).status).toBe(403)
    const appointed = `${PAGE}?notice=appointed`
    expect(await locationOf(change(visitor, 'appointed', other.user))).toBe(appointed)
    expect(await open(other.visitor)).toContain('Administrators see all orders')
    expect(await db.select().from(auditLog)).toMatchObject([
      { action: 'administrator.appoint', subject: `${other.user.id}`, userId: user.id },
    ])
    const mail = {
      subject: 'An administrator was appointed (marketplace.test)',
      text: expect.stringContaining('Grace was appointed as administrator of the marketplace.'),
    }
    expect(visitor.mails).toMatchObject([
      { to: other.user.email, ...mail },
      { to: user.email, ...mail },
    ])
  })

  it('is refused for guests, removed users, administrators and unknown ones', async () => {
    const { visitor, user } = await anAdministrator()
    const guest = await aUser({ email: anEmail() })
    const { user: removed } = await aSignedInVisitor()
    await setRow(users, removed.id, { removedAt: new Date().toISOString() })
    for (const person of [guest, removed, user, { id: 1e9 }])
      expect((await change(visitor, 'appointed', person)).status).toBe(409)
    expect(await administrators()).toEqual([user.id])
    expect(await db.select().from(auditLog)).toEqual([])
    expect(visitor.mails).toEqual([])
  })
})

describe('dismissing', () => {
  it('ends the master tokens, the pages and the webhooks of all orders, and leaves the account', async () => {
    const { visitor } = await anAdministrator()
    const other = await anAdministrator({ email: anEmail() })
    const master = await aToken(other.user, 'master')
    const webhook = await aWebhook(other.user, { role: 'master' })
    const dismissed = `${PAGE}?notice=dismissed`
    expect(await locationOf(change(visitor, 'dismissed', other.user))).toBe(dismissed)
    expect((await call('GET', '/api/admin/transfers', { token: master })).status).toBe(401)
    expect((await other.visitor.get('/operations')).status).toBe(403)
    expect((await other.visitor.get('/settings/profile')).status).toBe(200)
    const disabled = { disabledReason: 'demoted' }
    expect(await findRow(webhookEndpoints, webhook.id)).toMatchObject(disabled)
    expect(visitor.mails).toMatchObject([
      { to: other.user.email, subject: 'An administrator was dismissed (marketplace.test)' },
    ])
    expect((await change(visitor, 'dismissed', other.user)).status).toBe(409)
    expect(await db.select().from(auditLog)).toMatchObject([
      { action: 'administrator.dismiss', subject: `${other.user.id}` },
    ])
  })

  it('is possible for oneself, unless one is the last', async () => {
    const first = await anAdministrator()
    const second = await anAdministrator()
    const dismissed = '/settings/profile?notice=dismissed'
    expect(await locationOf(change(first.visitor, 'dismissed', first.user))).toBe(dismissed)
    expect(await administrators()).toEqual([second.user.id])
    const html = await open(second.visitor)
    expect(html).toContain('The last one cannot be dismissed.')
    expect(html).not.toContain('value="dismissed"')
    expect((await change(second.visitor, 'dismissed', second.user)).status).toBe(409)
    expect(await administrators()).toEqual([second.user.id])
  })

  it('leaves one administrator when two go, or dismiss each other, at the same time', async () => {
    for (const isMutual of [false, true]) {
      await db.update(users).set({ roleId: null })
      const [a, b] = [await anAdministrator(), await anAdministrator()]
      const answers = await Promise.all([
        change(a.visitor, 'dismissed', isMutual ? b.user : a.user),
        change(b.visitor, 'dismissed', isMutual ? a.user : b.user),
      ])
      const refused = isMutual ? 403 : 409
      expect(answers.map(({ status }) => status).sort()).toEqual([303, refused])
      expect(await administrators()).toHaveLength(1)
    }
  })

  it('does not count an administrator whose account is closed', async () => {
    const { visitor, user } = await anAdministrator()
    await aUser({ roleId: ADMINISTRATOR, removedAt: new Date().toISOString() })
    expect((await change(visitor, 'dismissed', user)).status).toBe(409)
  })
})

it('asks for a recent sign-in', async () => {
  const { visitor, user } = await anAdministrator()
  const { user: other } = await aSignedInVisitor()
  await ageSession(visitor, 11)
  const html = await open(visitor)
  expect(html).toContain('Sign in again to appoint or dismiss an administrator.')
  expect(html).not.toMatch(/name="person"|value="dismissed"/)
  for (const changing of [change(visitor, 'appointed', other), change(visitor, 'dismissed', user)])
    expect(await locationOf(changing)).toMatch(/^\/sign-in\/again/)
  expect(await administrators()).toEqual([user.id])
})
