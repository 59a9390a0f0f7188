import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { auditLog } from '../../src/db/schema/operations.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { answerOf, call } from '../support/api.ts'
import { aMasterToken, aSession, aToken, aUser, db, findRow, setRow } from '../support/makers.ts'
import { aShop, recordWakeUps, sold, times } from './shop.ts'

const wakeUps = recordWakeUps()

const cancel = (token: string, { id }: { id: number }) =>
  call('POST', `/api/externalOrders/${id}/cancel`, { token })

/** An order that a token of the seller with this name has placed. */
async function anOrder(name = 'Shop') {
  const shop = await aShop()
  const shopToken = await aToken(shop.seller, 'user', 'api', name)
  const { order, item } = await sold(shopToken, shop.input)
  wakeUps.mockClear()
  return { ...shop, shopToken, order, item }
}

const deliveryOf = ({ id }: { id: number }) => findRow(deliveries, id)

const set = ({ id }: { id: number }, values: Partial<typeof deliveries.$inferInsert>) =>
  setRow(deliveries, id, { dueAt: null, ...values })

it('asks to use up the key of the order, and wakes its chain', async () => {
  const { shopToken, order, item } = await anOrder()
  const answer = await answerOf(cancel(shopToken, order))
  const row = await deliveryOf(item)
  const cancelRequestedAt = row?.updatedAt
  const requested = { state: 'queued', requestedAction: 'cancel', version: 1, cancelRequestedAt }
  expect(row).toMatchObject(requested)
  const shown = { id: order.id, status: null, sequence: 2, cancelRequestedAt }
  expect(answer).toMatchObject({ status: 200, orders: [shown], error: null })
  expect(wakeUps.mock.calls.flatMap(([messages]) => [...messages])).toMatchObject([
    { body: { chainId: 31337 } },
  ])
})

it('changes nothing if it was requested before, also at the same time', async () => {
  const { shopToken, order, item } = await anOrder()
  const answers = await Promise.all(times(20, () => cancel(shopToken, order)))
  const bodies = await Promise.all(answers.map((response) => response.json()))
  expect(answers.map(({ status }) => status)).toEqual(times(20, () => 200))
  for (const body of bodies) expect(body).toEqual(bodies[0])
  expect(await deliveryOf(item)).toMatchObject({ version: 1 })
  expect(wakeUps).toHaveBeenCalledOnce()
})

it('answers with the order if it is cancelled, and keeps the first time if it is again', async () => {
  const { shopToken, order, item } = await anOrder()
  await cancel(shopToken, order)
  const cancelRequestedAt = '2026-01-02T00:00:00.000Z'
  const ended = { ...explain('cancelled'), cancelRequestedAt } as const
  await set(item, { state: 'cancelled', ...ended })
  const shown = { status: 'failed', reasonCode: 'cancelled', cancelRequestedAt }
  expect(await answerOf(cancel(shopToken, order))).toMatchObject({ orders: [shown] })
  expect(await deliveryOf(item)).toMatchObject({ state: 'cancelled', version: 1 })
  await set(item, { state: 'failed', requestedAction: 'deliver', ...explain('no_relayer') })
  const again = { status: null, reasonCode: null, cancelRequestedAt }
  expect(await answerOf(cancel(shopToken, order))).toMatchObject({ orders: [again] })
})

it.each([
  ['transferred', {}, 'the NFT is transferred already'],
  ['written_off', explain('token_moved_nothing'), 'the item is written off'],
  ['failed', explain('token_moved_nothing'), 'the delivery key is used up: write the item off'],
] as const)('returns 409 for an order that is %s', async (state, reason, error) => {
  const { shopToken, order, item } = await anOrder()
  await set(item, { state, ...reason })
  const refused = { status: 409, orders: null, code: 'conflict', error }
  expect(await answerOf(cancel(shopToken, order))).toMatchObject(refused)
  expect(await deliveryOf(item)).toMatchObject({ state, requestedAction: 'deliver', version: 0 })
  expect(wakeUps).not.toHaveBeenCalled()
})

describe('an order is cancelled', () => {
  it('by the token name that placed it, and by any master token', async () => {
    const { order, seller, item } = await anOrder('ERP')
    for (const token of [await aToken(seller, 'user', 'api', 'ERP'), await aMasterToken()]) {
      await set(item, { state: 'failed', requestedAction: 'deliver', ...explain('no_relayer') })
      expect((await cancel(token, order)).status).toBe(200)
      expect(await deliveryOf(item)).toMatchObject({ requestedAction: 'cancel' })
    }
  })

  it('by a session only if a session of the user placed it', async () => {
    const { input, seller, order } = await anOrder()
    const session = await aSession(seller)
    expect((await cancel(session, order)).status).toBe(403)
    expect((await cancel(session, (await sold(session, input)).order)).status).toBe(200)
  })

  it('not by its buyer or its seller with another name, and nobody else learns of it', async () => {
    const { order, item, seller, buyer, token } = await anOrder()
    const { input } = await aShop()
    const { order: ofMaster } = await sold(token, input)
    wakeUps.mockClear()
    for (const user of [seller, buyer]) {
      const caller = await aToken(user, 'user', 'api', 'another')
      const refused = { status: 403, orders: null, code: 'forbidden' }
      expect(await answerOf(cancel(caller, order))).toMatchObject(refused)
    }
    for (const [caller, { id }] of [
      [await aToken(await aUser(), 'user', 'api', 'Shop'), order],
      [await aToken(seller, 'user', 'api', 'Shop'), ofMaster],
      [token, { id: 999_999 }],
    ] as const) {
      const error = `order ${id} does not exist`
      const unknown = { status: 400, code: 'order_not_found', error }
      expect(await answerOf(cancel(caller, { id }))).toMatchObject(unknown)
    }
    expect(await deliveryOf(item)).toMatchObject({ state: 'queued', requestedAction: 'deliver' })
    expect(wakeUps).not.toHaveBeenCalled()
  })
})

it('is in the audit log once, if an administrator did it', async () => {
  const { order, shopToken, token, item } = await anOrder()
  const entries = () =>
    db
      .select({ action: auditLog.action, subject: auditLog.subject })
      .from(auditLog)
      .where(eq(auditLog.subject, `${item.id}`))
  await cancel(shopToken, order)
  expect(await entries()).toEqual([])
  await set(item, { state: 'failed', requestedAction: 'deliver', ...explain('no_relayer') })
  for (let i = 0; i < 2; i++) await cancel(token, order)
  expect(await entries()).toEqual([{ action: 'transfer.cancel', subject: `${item.id}` }])
})
