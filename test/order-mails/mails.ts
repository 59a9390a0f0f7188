/** Orders whose mails are due, and the mails that are sent. */
import { beforeEach } from 'vitest'
import { deliveries, instance } from '../../src/db/schema/delivery.ts'
import { heldMails, mailOptOuts, quotas, sentMails } from '../../src/db/schema/operations.ts'
import { orderItems, orders } from '../../src/db/schema/orders.ts'
import { events } from '../../src/db/schema/webhooks.ts'
import { billingData, type Shop, sold } from '../orders/shop.ts'
import { aUser, db } from '../support/makers.ts'
import { anEmail } from '../support/visitor.ts'

export type Mail = { to: string; subject: string; text: string; html: string; headers: object }

/** Removes orders and what was mailed before each test of the file. */
export function removeOrders(): void {
  beforeEach(async () => {
    for (const table of [
      deliveries,
      orderItems,
      orders,
      quotas,
      sentMails,
      heldMails,
      mailOptOuts,
      events,
    ])
      await db.delete(table)
    await db.update(instance).set({ mailPosition: 0 })
  })
}

/** A binding for e-mail that records. `onMail` is called with the number of mails so far. */
export function inbox(onMail: (count: number) => unknown = () => {}) {
  const mails: Mail[] = []
  const send = async (mail: Mail) => {
    mails.push(mail)
    await onMail(mails.length)
    return { messageId: 'test' }
  }
  return { mails, email: { send } as unknown as SendEmail }
}

export const aGuest = (email = anEmail(), locale = 'en') =>
  aUser({ ethereumPublicAddr: '', provider: 'email', email, locale })

/** Sells a piece of the shop, and returns the ids of the order and its item. */
export async function sell(
  { token, input }: Pick<Shop, 'token' | 'input'>,
  buyer: { id: number },
  { providerId }: { providerId?: string } = {},
) {
  const buys = { buyerUserId: buyer.id, buyerBillingData: billingData }
  const given = { ...input, ...buys, ...(providerId && { providerId }) }
  const { order, item } = await sold(token, given)
  return { orderId: order.id, itemId: item.id }
}
