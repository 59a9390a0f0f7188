/** Iterating over lists and over the log of events, with the real Worker. */
import { expect, it } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { aPerson, instance } from '../support/instance/instance.ts'
import { anOrder } from '../support/instance/orders.ts'

const client = createClient(instance)
/** Has no wallet, so that no delivery starts. */
const buyerUserId = await aPerson()
const start = new Date().toISOString()
const ids: number[] = []
for (let i = 0; i < 5; i++) ids.push((await anOrder({ buyerUserId })).id)

it('iterates over the items of a list', async () => {
  const found: number[] = []
  for await (const { id } of client.items('listOrders', { buyerUserId, limit: 2 })) found.push(id)
  expect(found).toEqual(ids.toReversed())
})

it('reads no page that nobody asks for', async () => {
  let calls = 0
  const counting = createClient({
    ...instance,
    fetch: (url, init) => {
      calls += 1
      return fetch(url, init)
    },
  })
  for await (const { id } of counting.items('listOrders', { buyerUserId, limit: 2 }))
    if (id === ids[3]) break
  expect(calls).toBe(1)
})

it('ends with an error if a server never comes to an end', async () => {
  const looping = createClient({
    ...instance,
    fetch: async () => Response.json({ orders: [], nextCursor: '7', error: null }),
  })
  const read = async () => {
    for await (const _ of looping.items('listOrders', {}));
  }
  await expect(read()).rejects.toThrow('listOrders: the next page is this one again')
})

/** The orders of an iteration that this test has placed. */
async function placedIn(input: { since: string } | { after: string }) {
  const found: { id: string; orderId: number }[] = []
  for await (const { id, type, data } of client.items('listEvents', { ...input, limit: 3 }))
    if (type === 'order.created' && ids.includes(data.orderId))
      found.push({ id, orderId: data.orderId })
  return found
}

it('iterates over the log of events from a time, and goes on after an event', async () => {
  const events = await placedIn({ since: start })
  expect(events.map(({ orderId }) => orderId)).toEqual(ids)
  const rest = await placedIn({ after: events[2]?.id ?? '' })
  expect(rest.map(({ orderId }) => orderId)).toEqual(ids.slice(3))
})

it('tells after each page of the log where the next run begins', async () => {
  let position: string | null = null
  for await (const page of client.pages('listEvents', { since: start, limit: 3 }))
    position = page.nextAfter
  expect(position).toMatch(/^evt_\d+$/)
  expect(await placedIn({ after: position ?? '' })).toEqual([])
})
