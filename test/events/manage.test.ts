import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { auditLog } from '../../src/db/schema/operations.ts'
import { ADMINISTRATOR, tokens, users } from '../../src/db/schema/users.ts'
import { webhookEndpoints } from '../../src/db/schema/webhooks.ts'
import { answerOf, call } from '../support/api.ts'
import { stopClock } from '../support/fake-time.ts'
import {
  aMasterToken,
  anAdministrator,
  aSession,
  aToken,
  aUser,
  aWebhook,
  aWebhookMessage,
  db,
  setRow,
} from '../support/makers.ts'
import { anEvent, endpointRow, errorOf, hasEvents, sent, testMessage } from './endpoints.ts'

type Webhook = Record<string, unknown> & { id: string }

const url = 'https://shop.example.com/hook'
const hook = { url, events: ['order.created', 'order.failed'] }

const create = (token: string, json: unknown = hook) =>
  call('POST', '/api/webhooks', { token, json })

async function created(token: string, json: unknown = hook) {
  const response = await create(token, json)
  expect(response.status).toBe(200)
  return response.json<{ webhook: Webhook; secret: string }>()
}

const change = (token: string, id: string, json: unknown) =>
  call('PUT', `/api/webhooks/${id}`, { token, json })

const rowOf = (id: string) => endpointRow({ id })

const recorded = (id: string) =>
  db
    .select({ action: auditLog.action, userId: auditLog.userId, details: auditLog.details })
    .from(auditLog)
    .where(eq(auditLog.subject, id))
    .orderBy(auditLog.id)

type Message = { id: string; type: string; state: string }

async function messagesOf(token: string, id: string) {
  const response = await call('GET', `/api/webhooks/${id}/messages`, { token })
  return (await response.json<{ messages: Message[] }>()).messages
}

describe('creating', () => {
  it('sends a test at once, and wakes the queue of its role', async () => {
    const administrator = await anAdministrator()
    for (const role of ['user', 'master'] as const) {
      const token = await aToken(administrator, role)
      const { response, wakeUps, masterWakeUps } = await sent('POST', '/api/webhooks', {
        token,
        json: hook,
      })
      const { webhook } = await response.json<{ webhook: Webhook }>()
      const woken = [{ endpointId: webhook.id, delaySeconds: 0 }]
      expect({ wakeUps, masterWakeUps }).toEqual(
        role === 'user'
          ? { wakeUps: woken, masterWakeUps: [] }
          : { wakeUps: [], masterWakeUps: woken },
      )
      expect(await messagesOf(token, webhook.id)).toEqual([testMessage(webhook.createdAt)])
      expect((await rowOf(webhook.id)).dueAt).toBe(webhook.createdAt)
    }
  })

  it('begins at the end of the log, also before the URL is verified', async () => {
    const user = await aUser()
    const token = await aToken(user)
    await anEvent({ sellerId: user.id })
    const { webhook } = await created(token)
    const event = await anEvent({ sellerId: user.id })
    expect(await messagesOf(token, webhook.id)).toMatchObject([
      { id: `evt_${event.id}`, state: 'waiting' },
      { type: 'webhook.test', state: 'pending' },
    ])
  })

  it('counts a URL that is set as a test', async () => {
    stopClock()
    const token = await aToken(await aUser())
    const { webhook } = await created(token)
    for (let i = 0; i < 10; i++)
      expect((await change(token, webhook.id, { url: `${url}/${i}` })).status).toBe(200)
    const tooMany = '429 rate_limited: tests of a webhook: at most 10 a minute'
    expect(await errorOf(await change(token, webhook.id, { url }))).toBe(tooMany)
    expect((await rowOf(webhook.id)).url).toBe(`${url}/9`)
    expect((await change(token, webhook.id, { enabled: false })).status).toBe(200)
  })

  it.each([
    [{ sources: ['A', 'B', 'A'] }, 'invalid_input: sources: must not have a name twice'],
    // No source is changed.
    [{ sources: ['A '] }, 'invalid_character: sources[0]: must not have U+0020 at position 2'],
    // Misspelled, it would be ignored.
    [{ Sources: ['Shop'] }, 'unknown_field: Sources: unknown; did you mean sources?'],
    [
      { events: ['order.failed', 'order.failed'] },
      'invalid_input: events: must not have an event twice',
    ],
    [
      { events: ['order.created', 'alarm.raised'] },
      'invalid_input: events: must not have alarms: only endpoints of administrators get them',
    ],
  ])('rejects %.40j of a user token', async (wrong, error) => {
    const answer = await answerOf(create(await aToken(await aUser()), { ...hook, ...wrong }))
    expect(`${answer.code}: ${answer.error}`).toEqual(error)
    expect(answer.status).toBe(400)
  })

  it.each([
    ['http://shop.example.com/hook', 'url: must be an https URL'],
    ['https://localhost/hook', 'url: must point to a public host'],
    ['https://10.0.0.1/hook', 'url: must point to a public host'],
    ['https://user:word@shop.example.com/', 'url: must not contain credentials'],
  ])('rejects the URL %.40s', async (wrong, message) => {
    const response = await create(await aToken(await aUser()), { ...hook, url: wrong })
    expect(await errorOf(response)).toBe(`400 invalid_input: ${message}`)
  })

  it('needs a recent sign-in with a session, because an endpoint outlives it', async () => {
    const user = await aUser()
    const session = await aSession(user)
    expect((await create(session)).status).toBe(200)
    const createdAt = new Date(Date.now() - 11 * 60_000).toISOString()
    await db.update(tokens).set({ createdAt }).where(eq(tokens.userId, user.id))
    const webhook = await aWebhook(user)
    const path = `/api/webhooks/${webhook.id}`
    for (const response of [
      await create(session),
      await change(session, webhook.id, { url }),
      await call('POST', `${path}/rotate`, { token: session }),
      await call('DELETE', path, { token: session }),
    ])
      expect(await errorOf(response)).toMatch(/^403 reauthentication_required/)
    expect((await call('GET', path, { token: session })).status).toBe(200)
    expect((await call('POST', `${path}/test`, { token: session })).status).toBe(200)
    expect((await create(await aToken(user))).status).toBe(200)
  })
})

describe('changing', () => {
  it('keeps what is absent', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const { id } = await aWebhook(user)
    const json = { events: ['order.failed'] }
    const { webhook } = await (await change(token, id, json)).json<{ webhook: Webhook }>()
    expect(webhook).toMatchObject({ url, events: ['order.failed'], enabled: true })
    await change(token, id, { url: 'https://shop.example.com/other' })
    expect(await rowOf(id)).toMatchObject({
      url: 'https://shop.example.com/other',
      events: ['order.failed'],
      secretId: '0'.repeat(32),
    })
  })

  it('checks the fields as a new endpoint does', async () => {
    const user = await aUser()
    const { id } = await aWebhook(user)
    const token = await aToken(user)
    expect(await errorOf(await change(token, id, { url: 'http://shop.example.com' }))).toBe(
      '400 invalid_input: url: must be an https URL',
    )
    const alarms = { events: ['alarm.raised'] }
    for (const caller of [token, await aMasterToken()])
      expect(await errorOf(await change(caller, id, alarms))).toMatch(/^400 invalid_input: events/)
    expect((await rowOf(id)).events).toEqual(['order.created', 'order.delivered'])
  })

  it('forgets the failures when it enables again, but not while it is enabled', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const at = '2026-01-01T00:00:00.000Z'
    const failed = { failingSince: at, warnedAt: at }
    const live = await aWebhook(user, failed)
    await change(token, live.id, { enabled: true })
    expect(await rowOf(live.id)).toMatchObject(failed)
    const disabled = await aWebhook(user, { ...failed, disabledAt: at, disabledReason: 'failing' })
    await change(token, disabled.id, { enabled: false })
    expect(await rowOf(disabled.id)).toMatchObject({ disabledAt: at, disabledReason: 'failing' })
    await change(token, disabled.id, { enabled: true })
    expect(await rowOf(disabled.id)).toMatchObject({
      failingSince: null,
      warnedAt: null,
      disabledAt: null,
      disabledReason: null,
    })
  })

  it('forgets the failures of another URL, but not of the same', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const at = '2026-01-01T00:00:00.000Z'
    const failed = { failingSince: at, warnedAt: at }
    const { id, url: old } = await aWebhook(user, failed)
    await change(token, id, { url: old })
    expect(await rowOf(id)).toMatchObject(failed)
    await change(token, id, { url: 'https://new.shop.com/hook' })
    expect(await rowOf(id)).toMatchObject({ failingSince: null, warnedAt: null })
  })

  it('sends a test to another URL, which has to be verified; a URL that stays needs none', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const webhook = await aWebhook(user)
    const { id } = webhook
    await change(token, id, { url: webhook.url, enabled: true })
    expect(await messagesOf(token, id)).toEqual([])
    expect(await rowOf(id)).toMatchObject({ verifiedAt: webhook.verifiedAt, dueAt: null })
    const other = { url: `${url}/other` }
    const { response, wakeUps } = await sent('PUT', `/api/webhooks/${id}`, {
      token,
      json: other,
    })
    const changed = (await response.json<{ webhook: Webhook }>()).webhook
    expect(changed).toMatchObject({ ...other, verifiedAt: null })
    expect(wakeUps).toEqual([{ endpointId: id, delaySeconds: 0 }])
    expect((await rowOf(id)).dueAt).toBe(changed.updatedAt)
    const test = { type: 'webhook.test', state: 'pending' }
    expect(await messagesOf(token, id)).toMatchObject([test])
    // Tests are limited, and a URL that waits for its test gets no more of them by being saved.
    await change(token, id, other)
    expect(await messagesOf(token, id)).toMatchObject([test])
    await change(token, id, { url })
    expect(await messagesOf(token, id)).toMatchObject([test, { ...test, state: 'failed' }])
  })

  it('of the events or sources lets the messages begin anew; the same ones do not', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const chosen = { events: ['order.created', 'order.delivered'], sources: ['Shop'] }
    for (const changes of [{ events: ['order.failed'] }, { sources: ['ERP'] }, { sources: null }]) {
      const webhook = await aWebhook(user, { sources: chosen.sources })
      const { id: position } = await anEvent({ sellerId: user.id, source: 'user:Shop' })
      const delivered = { position, dueAt: null }
      await db.update(webhookEndpoints).set(delivered).where(eq(webhookEndpoints.id, webhook.id))
      await change(token, webhook.id, { ...chosen, enabled: true })
      expect(await messagesOf(token, webhook.id)).toMatchObject([{ state: 'delivered' }])
      await change(token, webhook.id, changes)
      expect(await messagesOf(token, webhook.id)).toEqual([])
      expect(await rowOf(webhook.id)).toMatchObject({ position, logFrom: position })
    }
  })

  it('of the events lets what waits be sent as the new choice says', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const webhook = await aWebhook(user)
    const waiting = await anEvent({ sellerId: user.id })
    const failed = await anEvent({ type: 'order.failed', sellerId: user.id })
    expect(await messagesOf(token, webhook.id)).toMatchObject([{ id: `evt_${waiting.id}` }])
    await change(token, webhook.id, { events: ['order.failed'] })
    expect(await messagesOf(token, webhook.id)).toMatchObject([
      { id: `evt_${failed.id}`, state: 'waiting' },
    ])
    const { position, logFrom } = await rowOf(webhook.id)
    expect([position, logFrom]).toEqual([waiting.id - 1, waiting.id - 1])
  })

  it('disables, and enables at the event after which it was disabled', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const { id } = await aWebhook(user)
    expect(await (await change(token, id, { enabled: false })).json()).toMatchObject({
      webhook: { enabled: false, disabledAt: expect.any(String), disabledReason: 'owner' },
    })
    const event = await anEvent({ sellerId: user.id })
    const { position } = await rowOf(id)
    expect(position).toBeLessThan(event.id)
    expect(await rowOf(id)).toMatchObject({ dueAt: null })
    const path = `/api/webhooks/${id}`
    const { response, wakeUps } = await sent('PUT', path, { token, json: { enabled: true } })
    const { webhook } = await response.json<{ webhook: Webhook }>()
    expect(webhook).toMatchObject({ enabled: true, hasEvents: true })
    expect(await rowOf(id)).toMatchObject({ position, dueAt: webhook.updatedAt })
    expect(wakeUps).toEqual([{ endpointId: id, delaySeconds: 0 }])
    expect(await messagesOf(token, id)).toMatchObject([{ id: `evt_${event.id}`, state: 'waiting' }])
  })

  it('rotates the secret; the old one signs for 24 hours more, in which there is no other rotation', async () => {
    const token = await aToken(await aUser())
    const { webhook, secret } = await created(token)
    const before = await rowOf(webhook.id)
    const rotate = () => call('POST', `/api/webhooks/${webhook.id}/rotate`, { token })
    const rotated = await (await rotate()).json<{ webhook: Webhook; secret: string }>()
    expect(rotated.secret).toMatch(/^whsec_/)
    expect(rotated.secret).not.toBe(secret)
    const row = await rowOf(webhook.id)
    expect(row.secretId).not.toBe(before.secretId)
    expect(row.previousSecretId).toBe(before.secretId)
    const lasts = Date.parse(row.previousSecretUntil ?? '') - Date.parse(row.updatedAt)
    expect(lasts).toBe(24 * 60 * 60 * 1000)
    expect(rotated.webhook.previousSecretUntil).toBe(row.previousSecretUntil)
    expect(await errorOf(await rotate())).toMatch(
      /^409 conflict: the secret was rotated less than 24 hours ago/,
    )
    expect(await rowOf(webhook.id)).toEqual(row)
  })

  it('deletes at once, whatever has failed or waits', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const webhooks = []
    for (let i = 0; i < 10; i++) webhooks.push(await aWebhook(user))
    const [webhook = await aWebhook(user)] = webhooks
    const message = await aWebhookMessage(webhook, { state: 'failed' })
    const path = `/api/webhooks/${webhook.id}`
    expect(await (await call('DELETE', path, { token })).json()).toMatchObject({
      webhook: { id: webhook.id, url },
    })
    for (const response of [
      await call('GET', path, { token: await aMasterToken() }),
      await call('POST', `${path}/messages/${message.id}/resend`, { token }),
    ])
      expect(await errorOf(response)).toBe('404 not_found: there is no such webhook')
    const shownTo = async (path: string, token: string) => {
      const { webhooks } = await (await call('GET', path, { token })).json<{
        webhooks: Webhook[]
      }>()
      return webhooks.map(({ id }) => id).sort()
    }
    const others = webhooks
      .slice(1)
      .map(({ id }) => id)
      .sort()
    expect(await shownTo('/api/webhooks', token)).toEqual(others)
    expect(await shownTo(`/api/admin/users/${user.id}/data`, await aMasterToken())).toEqual(others)
    // Nothing is sent to it any more, and its place is free.
    await anEvent({ sellerId: user.id })
    expect(await rowOf(webhook.id)).toMatchObject({ url: '', dueAt: null })
    expect((await create(token)).status).toBe(200)
  })

  it('records what a master token does', async () => {
    const administrator = await anAdministrator()
    const token = await aToken(administrator, 'master')
    const events = ['order.failed', 'alarm.raised']
    const { webhook } = await created(token, { url, events })
    const { id } = webhook
    expect(webhook).toMatchObject({ userId: administrator.id, role: 'master', events })
    await setRow(webhookEndpoints, id, { verifiedAt: '2026-01-01T00:00:00.000Z' })
    const path = `/api/webhooks/${id}`
    const since = '2026-01-01T00:00:00.000Z'
    await call('POST', `${path}/replay`, { token, json: { since } })
    await change(token, id, { enabled: false, url: 'https://shop.example.com/secret-path' })
    await change(token, id, { enabled: true })
    await call('POST', `${path}/rotate`, { token })
    await call('DELETE', path, { token })
    const by = { userId: administrator.id }
    expect(await recorded(id)).toEqual([
      { ...by, action: 'webhook.create', details: { events, host: 'shop.example.com' } },
      { ...by, action: 'webhook.replay', details: { since } },
      { ...by, action: 'webhook.change', details: { enabled: false, host: 'shop.example.com' } },
      { ...by, action: 'webhook.change', details: { enabled: true } },
      { ...by, action: 'webhook.rotate', details: null },
      { ...by, action: 'webhook.delete', details: null },
    ])
  })
})

describe('the endpoints of others', () => {
  it('do not exist for a user token', async () => {
    const owner = await anAdministrator()
    const token = await aToken(owner)
    const foreign = await aWebhook(await aUser())
    const master = await aWebhook(owner, { role: 'master' })
    for (const { id, userId } of [foreign, master]) {
      const path = `/api/webhooks/${id}`
      const since = '2026-01-01T00:00:00.000Z'
      const message = await aWebhookMessage({ id, userId }, { state: 'failed' })
      for (const response of [
        await call('GET', path, { token }),
        await change(token, id, { enabled: false }),
        await call('DELETE', path, { token }),
        await call('POST', `${path}/rotate`, { token }),
        await call('POST', `${path}/test`, { token }),
        await call('GET', `${path}/messages`, { token }),
        await call('POST', `${path}/messages/${message.id}/resend`, { token }),
        await call('POST', `${path}/replay`, { token, json: { since } }),
      ])
        expect(await errorOf(response)).toBe('404 not_found: there is no such webhook')
      expect(await rowOf(id)).toMatchObject({ secretId: '0'.repeat(32), disabledAt: null })
    }
  })

  it('are open to a master token, and master endpoints to the session of their administrator', async () => {
    const administrator = await anAdministrator()
    const { id } = await aWebhook(administrator, { role: 'master' })
    const session = await aSession(administrator)
    const get = async (token: string) =>
      (await call('GET', `/api/webhooks/${id}`, { token })).status
    expect(await get(await aMasterToken())).toBe(200)
    expect(await get(session)).toBe(200)
    expect((await change(session, id, { events: ['alarm.raised'] })).status).toBe(200)
    expect(await recorded(id)).toMatchObject([
      { action: 'webhook.change', userId: administrator.id },
    ])
    await db.update(users).set({ roleId: null }).where(eq(users.id, administrator.id))
    expect(await get(session)).toBe(404)
  })
})

describe('a master endpoint whose user is no administrator any more', () => {
  async function aDemotedOwner() {
    const owner = await anAdministrator()
    const webhook = await aWebhook(owner, { role: 'master' })
    const own = await aWebhook(owner)
    const setRole = (roleId: number | null) =>
      db.update(users).set({ roleId }).where(eq(users.id, owner.id))
    await setRole(null)
    return { owner, webhook, own, setRole }
  }

  it('is disabled at once; the user keeps the others', async () => {
    const { owner, webhook, own } = await aDemotedOwner()
    const token = await aMasterToken()
    const response = await call('GET', `/api/webhooks/${webhook.id}`, { token })
    expect(await response.json()).toMatchObject({
      webhook: { enabled: false, disabledReason: 'demoted', disabledAt: expect.any(String) },
    })
    expect(await rowOf(own.id)).toMatchObject({ disabledAt: null })
    await anEvent({ sellerId: owner.id })
    expect(await rowOf(webhook.id)).toMatchObject({ dueAt: null })
    expect(await hasEvents(webhook)).toBe(true)
    expect(await hasEvents(own)).toBe(true)
  })

  it('can be enabled by nobody until the user is administrator again', async () => {
    const { owner, webhook, setRole } = await aDemotedOwner()
    const token = await aMasterToken()
    const enable = () => change(token, webhook.id, { enabled: true })
    expect(await errorOf(await enable())).toBe(
      '409 conflict: its user is no administrator any more',
    )
    expect((await change(token, webhook.id, { events: ['alarm.raised'] })).status).toBe(200)
    await setRole(ADMINISTRATOR)
    expect(await rowOf(webhook.id)).toMatchObject({ disabledReason: 'demoted' })
    expect((await enable()).status).toBe(200)
    expect(await rowOf(webhook.id)).toMatchObject({ userId: owner.id, disabledReason: null })
  })
})
