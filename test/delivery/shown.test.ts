/** The status of an order item follows from the state of its delivery, wherever it is shown. */
import { expect, it } from 'vitest'
import { deliveries, deliveryStates } from '../../src/db/schema/delivery.ts'
import { rules } from '../../src/delivery/reasons.ts'
import type { Order } from '../../src/orders/reading/schema.ts'
import { aShop, placed } from '../orders/shop.ts'
import { call } from '../support/api.ts'
import { aToken, aTransaction, setRow } from '../support/makers.ts'

type State = (typeof deliveryStates)[number]

const REASON = `${rules.recipient_rejects.sentence}: no code to run`

/** State, whether a transaction was sent, and what is shown: status and reason. */
const rows: [state: State, isSent: boolean, status: string | null, failReason: string | null][] = [
  ['awaiting_wallet', false, 'awaiting_wallet', null],
  ['queued', false, null, null],
  ['queued', true, 'transferring', null],
  ['in_flight', true, 'transferring', null],
  ['transferred', true, 'transferred', null],
  ['failed', false, 'failed', REASON],
  ['failed', true, 'failed', REASON],
  ['cancelled', false, 'failed', REASON],
  ['written_off', true, 'failed', REASON],
]

it.each(rows)('%s, sent: %s, is shown as %s: %s', async (state, isSent, status, failReason) => {
  const { token: master, buyer, input } = await aShop()
  const token = await aToken(buyer)
  const [order] = await placed(master, [input])
  const [item] = order?.orderItems ?? []
  const transaction = isSent ? await aTransaction() : null
  await setRow(deliveries, item?.id, {
    state,
    reasonCode: 'recipient_rejects',
    reasonDetail: 'no code to run',
    transactionId: transaction?.id ?? null,
    awaits: state === 'awaiting_wallet' ? buyer.id : null,
  })
  const txId = transaction?.hash ?? null

  // Reading an order.
  const response = await call('GET', `/api/externalOrders/${order?.id}`, { token })
  const { orders } = await response.json<{ orders: Order[] }>()
  expect(orders).toMatchObject([{ failReason, orderItems: [{ status, txId }] }])

  // The filter of lists.
  const path = `/api/externalOrders?deliveryStatus=${status ?? 'pending'}`
  const list = await (await call('GET', path, { token })).json<{ orders: Order[] }>()
  expect(list.orders.map(({ id }) => id)).toEqual([order?.id])
})

it('every state of a delivery is in the table above', () => {
  expect([...new Set(rows.map(([state]) => state))].sort()).toEqual([...deliveryStates].sort())
})
