import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { events, webhookEndpoints } from '../../src/db/schema/webhooks.ts'
import { call } from '../support/api.ts'
import { aMasterToken, aToken, aUser, aWebhook, aWebhookMessage, db } from '../support/makers.ts'
import {
  anEvent,
  endpointRow,
  errorOf,
  messageRow,
  nameOf,
  resendPath,
  sent,
  testMessage,
} from './endpoints.ts'

type Message = { id: string; state: string; dueAt: string | null; createdAt: string }
type Log = { messages: Message[]; nextCursor: string | null }

async function anOwner(values: Parameters<typeof aWebhook>[1] = {}) {
  const user = await aUser()
  const webhook = await aWebhook(user, values)
  return { user, webhook, token: await aToken(user), path: `/api/webhooks/${webhook.id}` }
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/** Moves the endpoint over an event, as a run does. */
const moveTo = ({ id }: { id: string }, position: number) =>
  db.update(webhookEndpoints).set({ position, dueAt: null }).where(eq(webhookEndpoints.id, id))

describe('the list', () => {
  it('has the endpoints of the user with a user token, without secrets', async () => {
    const { user, webhook, token } = await anOwner()
    await aWebhook(user, { role: 'master' })
    await aWebhook(await aUser())
    const { webhooks, nextCursor } = await (await call('GET', '/api/webhooks', { token })).json<{
      webhooks: { id: string }[]
      nextCursor: null
    }>()
    expect(webhooks.map(({ id }) => id)).toEqual([webhook.id])
    expect(nextCursor).toBeNull()
    expect(JSON.stringify(webhooks)).not.toMatch(/secretId|whsec/)
  })

  it('has all endpoints with a master token, in pages', async () => {
    await db.delete(webhookEndpoints)
    const ids = []
    for (let i = 0; i < 3; i++) ids.push((await aWebhook(await aUser())).id)
    const token = await aMasterToken()
    const pages: string[][] = []
    let query = '?limit=2'
    while (query) {
      const response = await call('GET', `/api/webhooks${query}`, { token })
      const page = await response.json<{ webhooks: { id: string }[]; nextCursor: string | null }>()
      pages.push(page.webhooks.map(({ id }) => id))
      query = page.nextCursor ? `?limit=2&cursor=${page.nextCursor}` : ''
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 1])
    expect(pages.flat()).toEqual(ids.sort())
  })
})

describe('the messages', () => {
  beforeEach(async () => {
    await db.delete(events)
  })

  const read = async (token: string, path: string, query = '') =>
    (await call('GET', `${path}/messages${query}`, { token })).json<Log>()

  /** Follows `nextCursor` to the end. Returns the ids of each page. */
  async function pagesOf(token: string, path: string, filter: string) {
    const pages: string[][] = []
    let cursor = ''
    do {
      const { messages, nextCursor } = await read(token, path, `${filter}${cursor}`)
      pages.push(messages.map(({ id }) => id))
      cursor = nextCursor ? `&cursor=${nextCursor}` : ''
    } while (cursor)
    return pages
  }

  it('are what the endpoint got and gets, newest first, with attempts and payload', async () => {
    const { user, webhook, token, path } = await anOwner({ events: ['order.created'] })
    const at = daysAgo(1)
    const accepted = await anEvent({ sellerId: user.id, at })
    const failed = await aWebhookMessage(webhook, { state: 'failed' })
    const attempts = [
      { at, duration: 120, status: 500, error: 'it answered 500' },
      { at, duration: 15_000, status: null, error: 'it did not answer within 15 s' },
    ]
    const dueAt = new Date(Date.now() + 60_000).toISOString()
    const retried = { state: 'pending', dueAt, attempts: JSON.stringify(attempts) } as const
    const pending = await aWebhookMessage(webhook, retried)
    // Not for it, and of others.
    await anEvent({ type: 'order.delivered', sellerId: user.id })
    await anEvent({ sellerId: (await aUser()).id })
    await aWebhookMessage(await aWebhook(await aUser()))
    const waiting = await anEvent({ buyerId: user.id })
    expect(await read(token, path)).toEqual({
      messages: [
        expect.objectContaining({ id: nameOf(waiting), state: 'waiting', attempts: [] }),
        {
          id: pending.id,
          type: 'order.created',
          orderId: 1,
          state: 'pending',
          dueAt,
          createdAt: expect.any(String),
          attempts,
          payload: {
            type: 'order.created',
            timestamp: expect.any(String),
            data: expect.objectContaining({ orderId: 1, sellerId: user.id }),
          },
        },
        expect.objectContaining({ id: failed.id, state: 'failed', dueAt: null, attempts: [] }),
        {
          id: nameOf(accepted),
          type: 'order.created',
          orderId: null,
          state: 'delivered',
          dueAt: null,
          createdAt: at,
          attempts: [],
          payload: JSON.parse(accepted.body),
        },
      ],
      nextCursor: null,
    })
  })

  it('come in pages, also of one state', async () => {
    const { user, webhook, token, path } = await anOwner()
    const accepted = []
    for (let i = 0; i < 3; i++) accepted.unshift(nameOf(await anEvent({ sellerId: user.id })))
    const [late = '', middle = '', early = ''] = accepted
    const old = (await aWebhookMessage(webhook, { state: 'failed' })).id
    const delivered = (await aWebhookMessage(webhook, { state: 'delivered' })).id
    const failed = (await aWebhookMessage(webhook, { state: 'failed' })).id
    const pending = { state: 'pending', dueAt: daysAgo(0) } as const
    const due = (await aWebhookMessage(webhook, pending)).id
    const waiting = nameOf(await anEvent({ sellerId: user.id }))
    const all = [
      [waiting, due, failed],
      [delivered, old, late],
      [middle, early],
    ]
    expect(await pagesOf(token, path, '?limit=3')).toEqual(all)
    expect(await pagesOf(token, path, '?limit=3&state=delivered')).toEqual([
      [delivered, late, middle],
      [early],
    ])
    expect(await pagesOf(token, path, '?limit=1&state=failed')).toEqual([[failed], [old]])
    expect(await pagesOf(token, path, '?state=pending')).toEqual([[due]])
    expect(await pagesOf(token, path, '?state=waiting')).toEqual([[waiting]])
  })

  it('look at 1,000 events of the marketplace in one call', async () => {
    const { user, webhook, token, path } = await anOwner()
    const failed = await aWebhookMessage(webhook, { state: 'failed' })
    const first = await anEvent({ sellerId: user.id })
    const other = await aUser()
    await anEvent({ sellerId: other.id }, 1500)
    const page = await read(token, path)
    expect(page.messages).toEqual([])
    expect(await read(token, path, `?cursor=${page.nextCursor}`)).toMatchObject({
      messages: [{ id: nameOf(first) }, { id: failed.id }],
      nextCursor: null,
    })
    expect(await pagesOf(token, path, '?state=waiting')).toEqual([[], [nameOf(first)]])
    // Those that failed are found without the others.
    expect(await pagesOf(token, path, '?state=failed')).toEqual([[failed.id]])
  })

  it('wait again after a replay, whatever became of them', async () => {
    const { webhook, token, path } = await anOwner()
    const delivered = (await aWebhookMessage(webhook)).id
    const failed = (await aWebhookMessage(webhook, { state: 'failed' })).id
    await call('POST', `${path}/replay`, { token, json: { since: daysAgo(1) } })
    const { messages } = await read(token, path)
    expect(messages).toMatchObject([
      { id: failed, state: 'waiting' },
      { id: delivered, state: 'waiting' },
    ])
    expect(await pagesOf(token, path, '?state=waiting')).toEqual([[failed, delivered]])
    expect(await pagesOf(token, path, '?state=failed')).toEqual([[]])
    expect(await pagesOf(token, path, '?state=delivered')).toEqual([[]])
  })
})

describe('a test', () => {
  it('is due now, and wakes the consumer', async () => {
    const { webhook, token, path } = await anOwner()
    const { response, wakeUps } = await sent('POST', `${path}/test`, { token })
    const { message } = await response.json<{ message: Message }>()
    expect(message).toEqual(testMessage(message.createdAt))
    expect(wakeUps).toEqual([{ endpointId: webhook.id, delaySeconds: 0 }])
    expect((await endpointRow(webhook)).dueAt).toBe(message.createdAt)
  })
})

describe('sending a message again', () => {
  it.each(['delivered', 'failed'] as const)('makes one that was %s due', async (state) => {
    const { webhook, token } = await anOwner()
    const message = await aWebhookMessage(webhook, { state, tries: 3 })
    const { response, wakeUps } = await sent('POST', resendPath(webhook, { id: message.eventId }), {
      token,
    })
    const answer = await response.json<{ message: Message }>()
    expect(answer).toMatchObject({ message: { id: message.id, state: 'pending' } })
    const { dueAt } = answer.message
    expect(await messageRow({ id: message.eventId })).toMatchObject({
      state: 'pending',
      tries: 0,
      dueAt,
    })
    expect((await endpointRow(webhook)).dueAt).toBe(dueAt)
    expect(wakeUps).toEqual([{ endpointId: webhook.id, delaySeconds: 0 }])
  })

  it('works for one that was accepted at once, which has no row', async () => {
    const { user, webhook, token } = await anOwner()
    const event = await anEvent({ sellerId: user.id })
    await moveTo(webhook, event.id)
    expect(await messageRow(event)).toBeUndefined()
    const { response } = await sent('POST', resendPath(webhook, event), { token })
    const { message } = await response.json<{ message: Message }>()
    expect(message).toMatchObject({ id: nameOf(event), state: 'pending' })
    expect(await endpointRow(webhook)).toMatchObject({ position: event.id, dueAt: message.dueAt })
  })

  it('answers 404 for events that are unknown or not for the endpoint, and changes nothing', async () => {
    const { user, webhook, token, path } = await anOwner({ events: ['order.created'] })
    const other = await aWebhook(user)
    const test = await call('POST', `/api/webhooks/${other.id}/test`, { token })
    const { message } = await test.json<{ message: Message }>()
    const names = [
      'evt_1',
      message.id,
      nameOf(await anEvent({ sellerId: (await aUser()).id })),
      nameOf(await anEvent({ type: 'order.failed', sellerId: user.id })),
      nameOf(await anEvent({ type: 'alarm.raised' })),
    ]
    const before = await endpointRow(webhook)
    for (const name of names)
      expect(await errorOf(await call('POST', `${path}/messages/${name}/resend`, { token }))).toBe(
        '404 not_found: there is no such message',
      )
    expect(await endpointRow(webhook)).toEqual(before)
    const log = await (await call('GET', `${path}/messages`, { token })).json<Log>()
    expect(log.messages).toEqual([])
  })
})

describe('a replay', () => {
  it('moves the endpoint back, so that it gets everything since a time again', async () => {
    const { user, webhook, token, path } = await anOwner()
    const since = daysAgo(1)
    const from = Date.parse(since) * 1000
    const event = await anEvent({ sellerId: user.id })
    await moveTo(webhook, event.id)
    const json = { since }
    const { response, wakeUps } = await sent('POST', `${path}/replay`, { token, json })
    expect(await response.json()).toMatchObject({ webhook: { id: webhook.id, hasEvents: true } })
    expect(wakeUps).toEqual([{ endpointId: webhook.id, delaySeconds: 0 }])
    expect(await endpointRow(webhook)).toMatchObject({
      position: from - 1,
      logFrom: from - 1,
      dueAt: expect.any(String),
    })
  })

  it('never moves it forward', async () => {
    const { user, webhook, token, path } = await anOwner()
    const event = await anEvent({ sellerId: user.id })
    const { position, logFrom } = await endpointRow(webhook)
    expect(position).toBe(event.id - 1)
    await call('POST', `${path}/replay`, { token, json: { since: daysAgo(0) } })
    expect(await endpointRow(webhook)).toMatchObject({ position, logFrom })
  })

  it('does not begin in the future, and is not counted then', async () => {
    const { token, path } = await anOwner()
    const replay = (since: string) => call('POST', `${path}/replay`, { token, json: { since } })
    for (let i = 0; i < 7; i++)
      expect(await errorOf(await replay(daysAgo(-1)))).toBe(
        '400 invalid_input: since: must not be in the future',
      )
    expect((await replay(daysAgo(1))).status).toBe(200)
  })
})

describe('sending', () => {
  /** Tries to send a test, one message and everything again. Returns the answers. */
  async function trySending(values: Parameters<typeof aWebhook>[1]) {
    const { webhook, token, path } = await anOwner(values)
    const message = await aWebhookMessage(webhook)
    const before = await endpointRow(webhook)
    const replay = { token, json: { since: daysAgo(1000) } }
    const answers = [
      await call('POST', `${path}/messages/${message.id}/resend`, { token }),
      await call('POST', `${path}/replay`, replay),
    ]
    expect(await endpointRow(webhook)).toEqual(before)
    const test = await call('POST', `${path}/test`, { token })
    return { answers: await Promise.all(answers.map(errorOf)), test }
  }

  it('to a disabled endpoint answers 409', async () => {
    const values = { disabledAt: daysAgo(1), disabledReason: 'failing' } as const
    const { answers, test } = await trySending(values)
    const error = '409 conflict: the webhook is disabled: enable it first'
    expect([...answers, await errorOf(test)]).toEqual([error, error, error])
  })

  it('to an endpoint that is not verified answers 409, unless it is a test', async () => {
    const { answers, test } = await trySending({ verifiedAt: null })
    const error = '409 conflict: the webhook is not verified: send a test, and answer its challenge'
    expect(answers).toEqual([error, error])
    expect(test.status).toBe(200)
  })
})
