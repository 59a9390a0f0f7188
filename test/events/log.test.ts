/** `GET /api/events`: the log, for programs that ask instead of being called. */

import { beforeEach, describe, expect, it } from 'vitest'
import { events } from '../../src/db/schema/webhooks.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { pruneEvents } from '../../src/events/log.ts'
import { aShop, billingData, placed } from '../orders/shop.ts'
import { call } from '../support/api.ts'
import { bodiesOf } from '../support/events.ts'
import { aMasterToken, aToken, aUser, aWebhook, db } from '../support/makers.ts'
import { moveTo } from '../support/transitions.ts'
import { anEvent, errorOf, nameOf, someEvents } from './endpoints.ts'

type Event = { id: string; type: string; timestamp: string; data: Record<string, unknown> }
type Page = { events: Event[]; nextAfter: string | null; hasMore: boolean }

beforeEach(async () => {
  await db.delete(events)
})

const get = (token: string, query = '') => call('GET', `/api/events${query}`, { token })

async function read(token: string, query = '') {
  const response = await get(token, query)
  expect(response.status).toBe(200)
  const { events, ...page } = await response.json<Page>()
  return { ...page, ids: events.map(({ id }) => id) }
}

/** Events of orders that a user has sold, oldest first. Returns their ids. */
async function eventsOf({ id: sellerId }: { id: number }, count: number, at?: string) {
  return (await someEvents({ sellerId, ...(at && { at }) }, count)).map(nameOf)
}

/** Appends events of orders of somebody else, at once. */
async function eventsOfOthers(count: number, at = new Date().toISOString()) {
  const { id } = await aUser()
  await anEvent({ sellerId: id, at }, count)
}

describe('what a caller sees', () => {
  it('can be limited to a source', async () => {
    const { input, seller } = await aShop()
    const token = await aMasterToken('Shop')
    const byShop = (await placed(token, [input, input, input])).map(({ id }) => id)
    const sellerToken = await aToken(seller, 'user', 'api', 'Own site')
    const [bySeller] = await placed(sellerToken, [{ ...input, buyerBillingData: billingData }])
    const ordersOf = async (reader: string, source: string) => {
      const query = `?source=${encodeURIComponent(source)}`
      const page = await (await get(reader, query)).json<Page>()
      return page.events.map(({ data }) => data.orderId)
    }
    expect(await ordersOf(token, 'Shop')).toEqual(byShop)
    expect(await ordersOf(token, 'Own site')).toEqual([bySeller?.id])
    expect(await ordersOf(sellerToken, 'Shop')).toEqual(byShop)
    expect(await ordersOf(token, 'nobody')).toEqual([])
    // Events of others do not count towards the limit.
    const last = await (await get(token, '?limit=1&source=Own%20site')).json<Page>()
    expect(last.events.map(({ data }) => data.orderId)).toEqual([bySeller?.id])
  })

  it('is what happens to the orders that the user bought or sold', async () => {
    const { token: master, buyer, seller, input } = await aShop()
    const [order] = await placed(master, [input])
    const item = order?.orderItems[0]?.id
    await moveTo(item ?? 0, 'failed', explain('recipient_rejects'))
    const pageOf = async (token: string) => (await get(token)).json<Page>()
    const page = await pageOf(await aToken(buyer))
    const [created, failed] = await bodiesOf(db, order?.id ?? 0)
    expect(page).toEqual({
      events: [
        { id: expect.stringMatching(/^evt_\d{16}$/), ...created },
        { id: expect.stringMatching(/^evt_\d{16}$/), ...failed },
      ],
      nextAfter: page.events[1]?.id,
      hasMore: false,
    })
    expect([created?.type, failed?.type]).toEqual(['order.created', 'order.failed'])
    expect(await pageOf(await aToken(seller))).toEqual(page)
    expect(await pageOf(master)).toEqual(page)
    expect((await pageOf(await aToken(await aUser()))).events).toEqual([])
  })

  it('is all orders and alarms with a master token; a user token sees no alarm', async () => {
    const user = await aUser()
    const [own = ''] = await eventsOf(user, 1)
    const alarm = nameOf(await anEvent({ type: 'alarm.raised' }))
    const [other] = await eventsOf(await aUser(), 1)
    expect((await read(await aMasterToken())).ids).toEqual([own, alarm, other])
    expect((await read(await aToken(user))).ids).toEqual([own])
  })

  it('has no tests, which are for one endpoint', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const webhook = await aWebhook(user)
    const test = await call('POST', `/api/webhooks/${webhook.id}/test`, { token })
    const { message } = await test.json<{ message: { id: string } }>()
    const nothing = { ids: [], nextAfter: message.id, hasMore: false }
    expect(await read(token)).toEqual(nothing)
    expect(await read(await aMasterToken())).toEqual(nothing)
  })
})

describe('the order', () => {
  it('is that of the log, in pages that `after` goes on with', async () => {
    const user = await aUser()
    const ids = await eventsOf(user, 5)
    for (const token of [await aToken(user), await aMasterToken()]) {
      const first = await read(token, '?limit=2')
      expect(first).toEqual({ ids: ids.slice(0, 2), nextAfter: ids[1], hasMore: true })
      const second = await read(token, `?limit=2&after=${first.nextAfter}`)
      expect(second).toEqual({ ids: ids.slice(2, 4), nextAfter: ids[3], hasMore: true })
      const third = await read(token, `?limit=2&after=${second.nextAfter}`)
      expect(third).toEqual({ ids: ids.slice(4), nextAfter: ids[4], hasMore: false })
      const end = await read(token, `?limit=2&after=${third.nextAfter}`)
      expect(end).toEqual({ ids: [], nextAfter: ids[4], hasMore: false })
    }
  })

  it('has no gap between pages of just as many events as `limit`', async () => {
    const user = await aUser()
    const ids = await eventsOf(user, 3)
    for (const token of [await aToken(user), await aMasterToken()])
      expect(await read(token, '?limit=3')).toEqual({ ids, nextAfter: ids[2], hasMore: false })
  })

  it('begins at the oldest event, or at a time', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const early = await eventsOf(user, 2, '2026-03-02T09:00:00.000Z')
    const late = await eventsOf(user, 2, '2026-03-02T09:00:00.001Z')
    expect(late).toEqual(['evt_1772442000001000', 'evt_1772442000001001'])
    expect((await read(token)).ids).toEqual([...early, ...late])
    expect((await read(token, '?since=2026-03-02T09:00:00Z')).ids).toEqual([...early, ...late])
    expect((await read(token, '?since=2026-03-02T09:00:00.001Z')).ids).toEqual(late)
    expect((await read(token, '?since=2026-03-02T10:00:00.001999999+01:00')).ids).toEqual(late)
    const none = { ids: [], nextAfter: late[1], hasMore: false }
    expect(await read(token, '?since=2026-03-02T09:00:01Z')).toEqual(none)
  })

  it('is empty, with nothing to go on with, in an empty log', async () => {
    const none = { ids: [], nextAfter: null, hasMore: false }
    expect(await read(await aMasterToken())).toEqual(none)
    expect(await read(await aToken(await aUser()))).toEqual(none)
  })
})

it('returns a `nextAfter` that it accepts', async () => {
  const token = await aMasterToken()
  await anEvent()
  const { nextAfter } = await read(token, `?after=evt_${(Date.now() + 60_000) * 1000}`)
  expect((await get(token, `?after=${nextAfter}`)).status).toBe(200)
})

it('with `since` returns a `nextAfter` although nothing has followed yet', async () => {
  const event = await anEvent()
  const since = new Date(Date.now() + 3_600_000).toISOString()
  // With null, the programs of the guide begin at the oldest event again.
  expect(await read(await aMasterToken(), `?since=${since}`)).toMatchObject({
    nextAfter: nameOf(event),
  })
})

it('looks at 1,000 events of others in one call, and moves over them', async () => {
  const user = await aUser()
  const token = await aToken(user)
  const [first = ''] = await eventsOf(user, 1)
  await eventsOfOthers(1500)
  const [last = ''] = await eventsOf(user, 1)
  const start = await read(token)
  expect(start).toMatchObject({ ids: [first], hasMore: true })
  expect(start.nextAfter).not.toBe(first)
  const next = await read(token, `?after=${start.nextAfter}`)
  expect(next).toEqual({ ids: [last], nextAfter: last, hasMore: false })
})

describe('events that were removed', () => {
  const now = new Date('2026-04-01T00:00:00.000Z')

  it('are told to those who have not read them, and only to those', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const [read1 = '', missed = '', kept = ''] = await eventsOf(user, 3, '2026-03-01T00:00:00.000Z')
    const [fresh = ''] = await eventsOf(user, 1, '2026-03-30T00:00:00.000Z')
    const [prune] = pruneEvents(db, now)
    if (!prune) throw new Error('there is nothing to run')
    await db.batch([prune])
    for (const after of [read1, missed, 'evt_1', 'evt_8999999999999999'])
      expect(await errorOf(await get(token, `?after=${after}`))).toBe(
        '410 events_removed: after: it is not in the log, so events that followed it may be missing; read the orders, then go on with `since`',
      )
    expect((await read(token, `?after=${kept}`)).ids).toEqual([fresh])
    expect((await read(token)).ids).toEqual([kept, fresh])
  })

  it('are told also if nothing new has happened for those who ask', async () => {
    const user = await aUser()
    const [old = ''] = await eventsOf(user, 1)
    await db.delete(events)
    await eventsOfOthers(2)
    expect((await get(await aToken(user), `?after=${old}`)).status).toBe(410)
  })

  it('are none if the log has no later event', async () => {
    const user = await aUser()
    const [old = ''] = await eventsOf(user, 1)
    const page = { ids: [], nextAfter: old, hasMore: false }
    expect(await read(await aToken(user), `?after=${old}`)).toEqual(page)
  })
})
