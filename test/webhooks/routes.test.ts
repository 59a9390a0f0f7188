import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { webhookAttempts, webhookEndpoints, webhookMessages } from '../../src/db/schema/webhooks.ts'
import { call, callWith } from '../support/api.ts'
import { aMasterToken, aToken, aUser, aWebhook, aWebhookMessage, db } from '../support/makers.ts'

type Message = { id: string; state: string; attempts: unknown[]; payload: unknown }
type Log = { messages: Message[]; nextCursor: string | null }

async function anOwner() {
  const user = await aUser()
  const webhook = await aWebhook(user)
  return { user, webhook, token: await aToken(user), path: `/api/webhooks/${webhook.id}` }
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

const messageRow = async (id: string) => {
  const [row] = await db.select().from(webhookMessages).where(eq(webhookMessages.id, id))
  return row
}

const errorOf = async (response: Response) => {
  const { code, error } = await response.json<{ code: string; error: string }>()
  return `${response.status} ${code}: ${error}`
}

/** Sends a request, and returns the endpoints for which the consumer was woken. */
async function woken(token: string, path: string, json?: unknown) {
  const endpointIds: string[] = []
  const WEBHOOKS = {
    ...env.WEBHOOKS,
    sendBatch: async (messages: Iterable<{ body: { endpointId: string } }>) => {
      for (const { body } of messages) endpointIds.push(body.endpointId)
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
    },
  }
  const content = json === undefined ? { token } : { token, json }
  const response = await callWith({ WEBHOOKS }, 'POST', path, content)
  return { response, endpointIds }
}

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

  it.each(['1', 'me', '00000000-0000-0000-0000-00000000000g'])(
    'answers 400 if the id is no UUID: %s',
    async (id) => {
      const { token } = await anOwner()
      expect(await errorOf(await call('GET', `/api/webhooks/${id}`, { token }))).toBe(
        '400 invalid_input: webhook_id: must be a UUID',
      )
    },
  )
})

describe('the log', () => {
  it('shows each message with its attempts and its payload, newest first', async () => {
    const { webhook, token, path } = await anOwner()
    await aWebhookMessage(await aWebhook(await aUser()))
    const old = await aWebhookMessage(webhook, { createdAt: daysAgo(2) })
    const dueAt = new Date(Date.now() + 60_000).toISOString()
    const pending = { state: 'pending', dueAt, createdAt: daysAgo(1), orderId: null } as const
    const data = '{"message":"This is a test."}'
    const test = await aWebhookMessage(webhook, {
      ...pending,
      type: 'webhook.test',
      payload: `{"type":"webhook.test","timestamp":"2026-01-01T00:00:00.000Z","data":${data}}`,
    })
    const at = daysAgo(1)
    await db.insert(webhookAttempts).values([
      { messageId: test.id, at, duration: 120, status: 500, error: 'the answer is 500' },
      { messageId: test.id, at, duration: 15_000, status: null, error: 'no answer' },
    ])
    const log = await (await call('GET', `${path}/messages`, { token })).json<Log>()
    expect(log).toEqual({
      messages: [
        {
          id: test.id,
          type: 'webhook.test',
          orderId: null,
          state: 'pending',
          dueAt,
          createdAt: pending.createdAt,
          attempts: [
            { at, duration: 120, status: 500, error: 'the answer is 500' },
            { at, duration: 15_000, status: null, error: 'no answer' },
          ],
          payload: {
            type: 'webhook.test',
            timestamp: '2026-01-01T00:00:00.000Z',
            data: { message: 'This is a test.' },
          },
        },
        expect.objectContaining({ id: old.id, orderId: 1, state: 'delivered', attempts: [] }),
      ],
      nextCursor: null,
    })
  })

  it('has pages, also of messages of the same moment and of one state', async () => {
    const { webhook, token, path } = await anOwner()
    const createdAt = daysAgo(1)
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.unshift((await aWebhookMessage(webhook, { createdAt })).id)
    ids.sort().reverse()
    const failed = await aWebhookMessage(webhook, { createdAt: daysAgo(3), state: 'failed' })
    const read = async (filter: string) => {
      const pages: string[][] = []
      let cursor = ''
      do {
        const response = await call('GET', `${path}/messages?limit=2${filter}${cursor}`, { token })
        const { messages, nextCursor } = await response.json<Log>()
        pages.push(messages.map(({ id }) => id))
        cursor = nextCursor ? `&cursor=${nextCursor}` : ''
      } while (cursor)
      return pages
    }
    expect(await read('')).toEqual([ids.slice(0, 2), ids.slice(2, 4), [ids[4], failed.id]])
    expect(await read('&state=delivered')).toEqual([ids.slice(0, 2), ids.slice(2, 4), [ids[4]]])
    expect(await read('&state=failed')).toEqual([[failed.id]])
    expect(await read('&state=pending')).toEqual([[]])
  })

  it('looks at 1,000 messages in one call that selects a state', async () => {
    const { webhook, token, path } = await anOwner()
    const failed = await aWebhookMessage(webhook, { createdAt: daysAgo(3), state: 'failed' })
    for (let i = 0; i < 1000; i += 50)
      await Promise.all(
        Array.from({ length: 50 }, () => aWebhookMessage(webhook, { createdAt: daysAgo(2) })),
      )
    const get = async (query: string) =>
      (await call('GET', `${path}/messages?state=failed${query}`, { token })).json<Log>()
    const { messages, nextCursor } = await get('')
    expect(messages).toEqual([])
    expect(nextCursor).toMatch(/^msg_/)
    const next = await get(`&cursor=${nextCursor}`)
    expect(next.messages.map(({ id }) => id)).toEqual([failed.id])
    expect(next.nextCursor).toBeNull()
  })
})

describe('sending', () => {
  it('a test adds a message that is due now, and wakes the consumer', async () => {
    const { webhook, token, path } = await anOwner()
    const { response, endpointIds } = await woken(token, `${path}/test`)
    const { message } = await response.json<{ message: Message & { createdAt: string } }>()
    expect(message).toMatchObject({
      id: expect.stringMatching(/^msg_[\da-f]{32}$/),
      type: 'webhook.test',
      state: 'pending',
      dueAt: message.createdAt,
      attempts: [],
      payload: {
        type: 'webhook.test',
        timestamp: message.createdAt,
        data: { message: 'This is a test.' },
      },
    })
    expect(endpointIds).toContain(webhook.id)
  })

  it('a message again makes it due, also if it was delivered', async () => {
    const { webhook, token, path } = await anOwner()
    const message = await aWebhookMessage(webhook, { attempts: 3 })
    const { response, endpointIds } = await woken(token, `${path}/messages/${message.id}/resend`)
    expect(await response.json()).toMatchObject({ message: { id: message.id, state: 'pending' } })
    expect(await messageRow(message.id)).toMatchObject({
      state: 'pending',
      attempts: 0,
      dueAt: expect.any(String),
      payload: message.payload,
      createdAt: message.createdAt,
    })
    expect(endpointIds).toContain(webhook.id)
  })

  it('a message of another endpoint again answers 404, and changes nothing', async () => {
    const { user, token, path } = await anOwner()
    for (const owner of [user, await aUser()]) {
      const message = await aWebhookMessage(await aWebhook(owner))
      const resend = `${path}/messages/${message.id}/resend`
      expect(await errorOf(await call('POST', resend, { token }))).toBe(
        '404 not_found: there is no such message',
      )
      expect(await messageRow(message.id)).toEqual(message)
    }
  })

  it('a replay makes every message since a time due, delivered ones too', async () => {
    const { webhook, token, path } = await anOwner()
    const since = daysAgo(1)
    const before = await aWebhookMessage(webhook, { createdAt: daysAgo(1.1) })
    const delivered = await aWebhookMessage(webhook, { createdAt: since })
    const failed = await aWebhookMessage(webhook, { createdAt: daysAgo(0.5), state: 'failed' })
    const other = await aWebhookMessage(await aWebhook(await aUser()), { createdAt: daysAgo(0.5) })
    const { response, endpointIds } = await woken(token, `${path}/replay`, { since })
    expect(await response.json()).toEqual({ replayed: 2 })
    expect(endpointIds).toContain(webhook.id)
    const due = { state: 'pending', attempts: 0 }
    expect(await messageRow(delivered.id)).toMatchObject(due)
    expect(await messageRow(failed.id)).toMatchObject(due)
    expect(await messageRow(before.id)).toEqual(before)
    expect(await messageRow(other.id)).toEqual(other)
  })

  it('takes a time without fractions of a second', async () => {
    const { webhook, token, path } = await anOwner()
    await aWebhookMessage(webhook, { createdAt: '2026-01-01T12:00:00.500Z' })
    const json = { since: '2026-01-01T12:00:00Z' }
    const response = await call('POST', `${path}/replay`, { token, json })
    expect(await response.json()).toEqual({ replayed: 1 })
  })

  it.each([undefined, 'yesterday', 1, '2026-02-30T12:00:00Z'])(
    'rejects a replay since %s',
    async (since) => {
      const { token, path } = await anOwner()
      const response = await call('POST', `${path}/replay`, { token, json: { since } })
      expect(await errorOf(response)).toMatch(/^400 invalid_input: since: /)
    },
  )

  it('to a disabled endpoint answers 409', async () => {
    const user = await aUser()
    const disabled = { disabledAt: daysAgo(1), disabledReason: 'failing' } as const
    const webhook = await aWebhook(user, disabled)
    const message = await aWebhookMessage(webhook)
    const token = await aToken(user)
    const path = `/api/webhooks/${webhook.id}`
    for (const [action, json] of [
      ['test', undefined],
      [`messages/${message.id}/resend`, undefined],
      ['replay', { since: daysAgo(1000) }],
    ] as const) {
      const content = json ? { token, json } : { token }
      expect(await errorOf(await call('POST', `${path}/${action}`, content))).toBe(
        '409 conflict: the webhook is disabled: enable it first',
      )
    }
    expect(await messageRow(message.id)).toEqual(message)
  })
})
