import { eq } from 'drizzle-orm'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { auditLog } from '../../src/db/schema/operations.ts'
import { ADMINISTRATOR } from '../../src/db/schema/users.ts'
import { events, webhookEndpoints, webhookMessages } from '../../src/db/schema/webhooks.ts'
import { anEvent, receive } from '../events/endpoints.ts'
import { aShop, sold } from '../orders/shop.ts'
import { stopClock } from '../support/fake-time.ts'
import { aUser, aWebhook, aWebhookMessage, db, findRow, setRow } from '../support/makers.ts'
import {
  ageSession,
  aSignedInVisitor,
  htmlAt,
  locationOf,
  pageOf,
  type Visitor,
} from '../support/visitor.ts'

const PAGE = '/settings/webhooks'
const HOOK = 'https://shop.example.com/hook'

const rowsOf = ({ id }: { id: number }) =>
  db.select().from(webhookEndpoints).where(eq(webhookEndpoints.userId, id))

const rowOf = (id: string) => findRow(webhookEndpoints, id)

const messagesOf = (id: string) =>
  db
    .select()
    .from(webhookMessages)
    .where(eq(webhookMessages.endpointId, id))
    .orderBy(webhookMessages.eventId)

/** The fields of a form with these boxes ticked. */
const form = (url: string, events: string[], others: Record<string, string> = {}) => [
  ...Object.entries({ url, ...others }),
  ...events.map((event): [string, string] => ['events', event]),
]

async function aVisitorWithWebhook(values: Parameters<typeof aWebhook>[1] = {}) {
  const signedIn = await aSignedInVisitor()
  const webhook = await aWebhook(signedIn.user, values)
  return { ...signedIn, webhook, path: `${PAGE}/${webhook.id}` }
}

describe('the list', () => {
  it('says that there are none yet, and offers events of orders', async () => {
    const { visitor } = await aSignedInVisitor()
    const html = await htmlAt(visitor, PAGE)
    expect(html).toContain('You have no webhooks yet.')
    expect(html).toContain('<input type="checkbox" name="events" value="order.failed" checked=""/>')
    expect(html).not.toMatch(/alarm\.raised|All orders/)
  })

  it('shows own endpoints with their state, and nobody else’s', async () => {
    const { visitor, user } = await aVisitorWithWebhook()
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
    await aWebhook(user, { url: 'https://failing.example.com/', failingSince: hoursAgo(3) })
    await aWebhook(user, { url: 'https://new.example.com/', verifiedAt: null })
    for (const disabledReason of ['failing', 'gone', 'owner', 'demoted'] as const)
      await aWebhook(user, { disabledAt: hoursAgo(48), disabledReason })
    await aWebhook(await aUser(), { url: 'https://foreign.example.com/' })
    await aWebhook(user, { role: 'master', url: 'https://master.example.com/' })
    const text = (await htmlAt(visitor, PAGE)).replaceAll(/<[^>]+>/g, '')
    expect(text).toContain('https://shop.example.com/hookLive2 events')
    expect(text).toContain('https://failing.example.com/Failing: first 3 hours ago')
    expect(text).toContain('Disabled 2 days ago: it accepted nothing for 5 days')
    expect(text).toContain('Disabled 2 days ago: it answered 410 Gone')
    expect(text).toContain('https://new.example.com/Not verified')
    expect(text).toContain('Disabled 2 days ago: by its owner')
    expect(text).toContain('Disabled 2 days ago: its user is no administrator any more')
    expect(text).not.toMatch(/foreign|master/)
  })
})

describe('the form', () => {
  it('creates an endpoint, and shows its secret', async () => {
    const { visitor, user } = await aSignedInVisitor()
    const events = ['order.delivered', 'order.failed']
    const path = await locationOf(visitor.post(PAGE, { form: form(HOOK, events) }))
    const [row] = await rowsOf(user)
    expect(row).toMatchObject({ role: 'user', url: HOOK, events, sources: null, verifiedAt: null })
    expect(path).toBe(`${PAGE}/${row?.id}?notice=webhook-created`)
    const html = await htmlAt(visitor, path)
    expect(html).toContain('The webhook is created. Your program needs its secret.')
    expect(html).toMatch(/<textarea[^>]*>whsec_[\w+/]{43}=<\/textarea>/)
    // Its first test is on its way.
    expect(html).toContain('Not verified')
    expect(html).toContain('webhook.test')
  })

  it('takes names of tokens, one on each line, and none for all', async () => {
    const { visitor, webhook, path } = await aVisitorWithWebhook()
    const save = (sources: string) =>
      visitor.post(path, { form: form(HOOK, ['order.failed'], { enabled: 'on', sources }) })
    await save(' Berlin, Shop\r\nERP \r\n')
    expect(await rowOf(webhook.id)).toMatchObject({ sources: ['Berlin, Shop', 'ERP'] })
    expect(await htmlAt(visitor, path)).toContain('>Berlin, Shop\nERP</textarea>')
    const wrong = await pageOf(save(`Shop\r\n${'a'.repeat(101)}`))
    const problem = '<p class="problem" id="sources-problem">Must be 1 to 100 characters.'
    expect(wrong.status).toBe(400)
    expect(wrong.html).toContain(problem)
    await save('')
    expect(await rowOf(webhook.id)).toMatchObject({ sources: null })
  })

  it('shows again what was entered, and what is wrong with it', async () => {
    const { visitor, user } = await aSignedInVisitor()
    const send = (url: string, events: string[]) =>
      pageOf(visitor.post(PAGE, { form: form(url, events) }))
    const { status, html } = await send('http://shop.example.com/"x', [])
    expect(status).toBe(400)
    expect(html).toContain('value="http://shop.example.com/&quot;x"')
    expect(html).toContain('<p class="problem" id="events-problem">Choose at least one event.')
    const wrong = await send('http://shop.example.com', ['order.failed'])
    expect(wrong.html).toContain('<p class="problem" id="url-problem">Must be an https URL.')
    expect(await rowsOf(user)).toEqual([])
  })

  it('lets an administrator choose all orders and alarms, and records it', async () => {
    const { visitor, user } = await aSignedInVisitor({ roleId: ADMINISTRATOR })
    expect(await htmlAt(visitor, PAGE)).toContain('All orders and alarms')
    const events = ['order.failed', 'alarm.raised']
    const asUser = form(HOOK, events, { role: 'user' })
    const rejected = await pageOf(visitor.post(PAGE, { form: asUser }))
    expect(rejected.status).toBe(400)
    expect(rejected.html).toContain(
      '<p class="problem" id="events-problem">Alarms are only for “All orders and alarms”: choose that, or no alarms.',
    )
    await visitor.post(PAGE, { form: form(HOOK, events, { role: 'master' }) })
    const [row] = await rowsOf(user)
    expect(row).toMatchObject({ role: 'master', events })
    const records = await db
      .select()
      .from(auditLog)
      .where(eq(auditLog.subject, row?.id ?? ''))
    expect(records).toMatchObject([{ action: 'webhook.create', userId: user.id, tokenName: null }])
  })

  it('offers alarms once all orders are chosen, with a button for browsers without scripts', async () => {
    const { visitor, user } = await aSignedInVisitor({ roleId: ADMINISTRATOR })
    const alarm = (html: string) => /<input[^>]* value="alarm.raised"[^>]*>/.exec(html)?.[0]
    const html = await htmlAt(visitor, PAGE)
    expect(alarm(html)).toContain('disabled=""')
    expect(html).toContain('Alarms are only for “All orders and alarms”.')
    const chosen = form('not yet', ['order.failed'], { role: 'master', update: 'on' })
    const { status, html: updated } = await pageOf(visitor.post(PAGE, { form: chosen }))
    expect(status).toBe(200)
    expect(alarm(updated)).not.toContain('disabled')
    expect(updated).toContain('value="not yet"')
    expect(updated).not.toMatch(/class="problem"|value="order.created" checked/)
    expect(await rowsOf(user)).toEqual([])
  })

  it('lets nobody else choose them', async () => {
    const { visitor, user } = await aSignedInVisitor()
    const master = form(HOOK, ['order.failed'], { role: 'master' })
    expect((await visitor.post(PAGE, { form: master })).status).toBe(403)
    expect(await rowsOf(user)).toEqual([])
  })
})

describe('an endpoint', () => {
  it('can be changed, disabled and enabled', async () => {
    const { visitor, webhook, path } = await aVisitorWithWebhook()
    const other = 'https://shop.example.com/other'
    const saving = visitor.post(path, { form: form(other, ['order.failed']) })
    expect(await locationOf(saving)).toBe(`${path}?notice=webhook-saved`)
    const changed = { url: other, events: ['order.failed'] }
    expect(await rowOf(webhook.id)).toMatchObject({ ...changed, disabledReason: 'owner' })
    expect(await htmlAt(visitor, path)).not.toMatch(/Send a test|Replay|Resend/)
    await visitor.post(path, { form: form(other, ['order.failed'], { enabled: 'on' }) })
    expect(await rowOf(webhook.id)).toMatchObject({ ...changed, disabledAt: null })
    const wrong = await pageOf(visitor.post(path, { form: form('ftp://shop.example.com', []) }))
    expect(wrong.status).toBe(400)
    expect(wrong.html).toContain('value="ftp://shop.example.com"')
    expect(await rowOf(webhook.id)).toMatchObject(changed)
  })

  it('offers only a test until its URL is verified', async () => {
    const { visitor, webhook, path } = await aVisitorWithWebhook({ verifiedAt: null })
    await aWebhookMessage(webhook)
    const html = await htmlAt(visitor, path)
    expect(html).toContain('Not verified')
    expect(html).toContain('Send a test')
    expect(html).not.toMatch(/Replay|Resend/)
  })

  it('hides the secret, and cannot be changed, if the sign-in was long ago', async () => {
    const { visitor, webhook, path } = await aVisitorWithWebhook()
    await ageSession(visitor, 11)
    expect(await htmlAt(visitor, PAGE)).toContain('Sign in again to create a webhook.')
    const html = await htmlAt(visitor, path)
    expect(html).toContain('Sign in again to see the secret, or to change or delete the webhook.')
    expect(html).not.toMatch(/whsec_|Rotate|Save/)
    const content = { form: form('https://evil.example.com/', ['order.created']) }
    for (const action of [PAGE, path, `${path}/rotate`, `${path}/delete`])
      expect(await locationOf(visitor.post(action, content))).toMatch(/^\/sign-in\/again/)
    expect(await rowOf(webhook.id)).toEqual(webhook)
    receive()
    expect((await visitor.post(`${path}/test`)).status).toBe(303)
  })
})

describe('the log', () => {
  it('shows messages with attempts and payload, escaped', async () => {
    const { visitor, webhook, path } = await aVisitorWithWebhook()
    expect(await htmlAt(visitor, path)).toContain('There are no such messages yet.')
    const at = new Date(Date.now() - 3_600_000).toISOString()
    const message = await aWebhookMessage(webhook, {
      state: 'failed',
      attempts: JSON.stringify([
        { at, duration: 42, status: 500, error: 'it answered 500' },
        { at, duration: 15_000, status: null, error: 'no answer' },
      ]),
    })
    const { userId: buyerId } = webhook
    const { token, input } = await aShop()
    const { order } = await sold(token, { ...input, providerId: 'SHOP-7' })
    const unset = { claimUrl: null, status: null, txId: null, reasonCode: null }
    const data = { ...unset, buyerId, failReason: '<b>no</b>' }
    const values = { type: 'order.failed', orderId: order.id, at, data } as const
    await setRow(events, message.eventId, values)
    const html = await htmlAt(visitor, path)
    expect(html).not.toContain('<b>')
    const text = html.replaceAll(/<[^>]+>/g, '')
    expect(text).toContain('The NFT could not be deliveredFailed')
    expect(text).toContain(`order.failedOrder SHOP-7 (id ${order.id})`)
    expect(text).toContain(`2 attempts of ${message.id}`)
    expect(text).toContain('1 hour ago: it answered 500 (42 ms)')
    expect(text).toContain('1 hour ago: no answer (15000 ms)')
    expect(text).toContain('&quot;failReason&quot;: &quot;&lt;b&gt;no&lt;/b&gt;&quot;')
  })

  it('says what fails since when, and when the next attempt is', async () => {
    stopClock()
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
    const { visitor, webhook, path } = await aVisitorWithWebhook()
    const attempts = ['the connection failed', 'it answered 500'].map((error) => ({
      at: at(-5),
      duration: 42,
      status: null,
      error,
    }))
    const failing = { state: 'pending', dueAt: at(20), attempts: JSON.stringify(attempts) } as const
    await aWebhookMessage(webhook, failing)
    const set = (values: Partial<typeof webhookEndpoints.$inferInsert>) =>
      setRow(webhookEndpoints, webhook.id, values)
    await set({ failingSince: at(-180), dueAt: at(20) })
    const banner = async () =>
      /<p class="notice warn".*?<\/p>/
        .exec(await htmlAt(visitor, path))?.[0]
        .replaceAll(/<[^>]*>/g, '')
    expect(await banner()).toBe(
      'Nothing has arrived since 3 hours ago. It answered 500. Next attempt: in 20 minutes.',
    )
    await set({ failingSince: null })
    expect(await banner()).toBe(undefined)
  })

  it('sends a test, one message again, and all since a time', async () => {
    const { visitor, webhook, path } = await aVisitorWithWebhook()
    const delivered = await aWebhookMessage(webhook)
    const resent = await aWebhookMessage(webhook)
    receive(() => new Response(null, { status: 500 }))
    await visitor.post(`${path}/test`)
    const again = visitor.post(`${path}/messages/${resent.id}/resend`)
    expect(await locationOf(again)).toBe(`${path}?notice=webhook-sent`)
    const tested = { eventId: expect.any(Number), state: 'pending' }
    expect(await messagesOf(webhook.id)).toMatchObject([
      { eventId: delivered.eventId, state: 'delivered' },
      { eventId: resent.eventId, state: 'pending' },
      tested,
    ])
    const replay = visitor.post(`${path}/replay`, { form: { since: '2026-01-01T12:00' } })
    expect(await locationOf(replay)).toBe(`${path}?notice=webhook-replayed`)
    expect(await rowOf(webhook.id)).toMatchObject({ position: 1_767_268_799_999_999 })
    expect((await visitor.post(`${path}/replay`, { form: { since: 'Z' } })).status).toBe(400)
  })
})

describe('a test', () => {
  const sendTest = async (visitor: Visitor, path: string) => {
    const location = await locationOf(visitor.post(`${path}/test`))
    expect(location).toMatch(/\?test=evt_\d+$/)
    const html = await htmlAt(visitor, location)
    return /<p class="notice[^>]*>(.*?)<\/p>/.exec(html)?.[1] ?? ''
  }

  it('shows what the program answered, without waiting for the queue', async () => {
    const { visitor, webhook, path } = await aVisitorWithWebhook({ verifiedAt: null })
    let answer = (body: string) => new Response(JSON.parse(body).data.challenge)
    const received = receive(({ body }) => answer(body))
    expect(await sendTest(visitor, path)).toMatch(/^Test: it answered 200 \(\d+ ms\)\.$/)
    expect(await rowOf(webhook.id)).toMatchObject({
      verifiedAt: expect.any(String),
      leaseUntil: null,
    })
    answer = () => new Response('secret text of the program', { status: 500 })
    expect(await sendTest(visitor, path)).toMatch(/^Test: it answered 500 \(\d+ ms\)\.$/)
    expect(received.map(({ url }) => url)).toEqual([webhook.url, webhook.url])
  })

  it('is sent alone: what waits is left to the queue', async () => {
    const { visitor, webhook, path } = await aVisitorWithWebhook()
    const event = await anEvent({ sellerId: webhook.userId })
    const received = receive()
    await sendTest(visitor, path)
    expect(received).toHaveLength(1)
    expect(received[0]?.body).toContain('webhook.test')
    const row = await rowOf(webhook.id)
    expect(row).toMatchObject({ leaseUntil: null })
    expect(row?.position).toBeLessThan(event.id)
    expect(row?.dueAt).not.toBe(null)
  })

  it('is waited for 5 seconds at most', async () => {
    const { visitor, path } = await aVisitorWithWebhook()
    const { promise, resolve } = Promise.withResolvers<Response>()
    receive(() => promise)
    const wait = vi.spyOn(scheduler, 'wait').mockImplementation(async () => {
      resolve(new Response())
    })
    onTestFinished(() => wait.mockRestore())
    await visitor.post(`${path}/test`)
    expect(wait).toHaveBeenCalledExactlyOnceWith(5000)
  })
})
