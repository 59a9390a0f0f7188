/** What operators do on the pages of an order and a user. */
import { env } from 'cloudflare:workers'
import { eq, like } from 'drizzle-orm'
import { beforeEach, expect, it, vi } from 'vitest'
import { auditLog, mailOptOuts, quotas } from '../../src/db/schema/operations.ts'
import { orders } from '../../src/db/schema/orders.ts'
import { users } from '../../src/db/schema/users.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { readSettings } from '../../src/env.ts'
import { hashAddress, mailboxOf } from '../../src/mail/mail.ts'
import { mailOrders } from '../../src/order-mails/send.ts'
import { aGuest, inbox, removeOrders, sell } from '../order-mails/mails.ts'
import { aShop, claimPathOf } from '../orders/shop.ts'
import { stopClock } from '../support/fake-time.ts'
import { anAdministrator, aUser, db, findRow } from '../support/makers.ts'
import { moveTo } from '../support/transitions.ts'
import {
  ageSession,
  anEmail,
  aVisitor,
  mailedLink,
  pageOf,
  signInByEmail,
  type Visitor,
} from '../support/visitor.ts'
import { anAdministratorVisitor, read } from './operator.ts'

let visitor: Visitor

removeOrders()

beforeEach(async () => {
  await db.delete(auditLog)
  visitor = (await anAdministratorVisitor()).visitor
})

/** Sends the mails that are due. */
async function mailDue() {
  const { mails, email } = inbox()
  await mailOrders({ db, email, settings: readSettings(env), now: new Date() })
  return mails
}

/** Sends them, and waits until they have arrived. */
async function mailed() {
  await mailDue()
  stopClock()
  vi.setSystemTime(Date.now() + 3 * 60_000)
}

const correct = (id: number, email: string) =>
  pageOf(visitor.post(`/operations/users/${id}/email`, { form: { email } }))

it('approves a seller, and takes that back, but not of an administrator', async () => {
  const seller = await aUser({ approved: false })
  const setTo = (id: number, approved: 'true' | 'false') =>
    pageOf(visitor.post(`/operations/users/${id}/approval`, { form: { approved } }))
  const stored = async () => (await db.select().from(users).where(eq(users.id, seller.id)))[0]
  expect((await setTo(seller.id, 'true')).location).toBe(
    `/operations/users/${seller.id}?notice=approved`,
  )
  expect(await stored()).toMatchObject({ approved: true, approvedAt: expect.any(String) })
  expect((await setTo(seller.id, 'true')).status).toBe(303)
  expect((await read(visitor, `/operations/users/${seller.id}`)).text).toContain(
    'Take back the approval',
  )
  await setTo(seller.id, 'false')
  expect(await stored()).toMatchObject({ approved: false, approvedAt: null })
  const log = await db
    .select()
    .from(auditLog)
    .where(eq(auditLog.subject, String(seller.id)))
  expect(log.map(({ action }) => action)).toEqual(['user.approve', 'user.disapprove'])
  const { id } = await anAdministrator()
  const refused = await setTo(id, 'false')
  expect([refused.status, refused.text]).toEqual([
    409,
    expect.stringContaining('Administrators are approved.'),
  ])
})

it('corrects the address of a guest, ends its links, and tells both addresses', async () => {
  const wrong = anEmail()
  const right = anEmail()
  const guest = await aGuest(wrong, 'de')
  const { orderId } = await sell(await aShop({ nft: { title: 'Tide' } }), guest)
  const stranger = aVisitor()
  const claim = await claimPathOf(orderId)
  expect((await pageOf(stranger.get(claim))).text).toContain('Tide')
  await stranger.post('/sign-in/email', { form: { email: wrong } })
  const link = mailedLink(stranger)
  expect((await read(visitor, `/operations/users/${guest.id}`)).text).toContain(
    'Right e-mail address',
  )
  expect(await correct(guest.id, ` ${right.toUpperCase()} `)).toMatchObject({
    status: 303,
    location: `/operations/users/${guest.id}?notice=corrected`,
  })
  // Both are sent at the same time.
  const mails = visitor.mails.toSorted((a, b) => Number(a.to === right) - Number(b.to === right))
  expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
    [wrong, 'Ihre Adresse wurde aus einer Bestellung entfernt (marketplace.test)'],
    [right, 'Ihre Bestellung hat jetzt Ihre Adresse (marketplace.test)'],
  ])
  expect(mails[0]?.text).not.toContain(right)
  expect(mails[1]?.text).not.toContain(wrong)
  expect((await pageOf(stranger.get(link))).text).toContain('This link no longer works')
  expect((await pageOf(stranger.get(claim))).text).not.toContain('Tide')
  expect((await pageOf(stranger.get(await claimPathOf(orderId)))).text).toContain('Tide')
  const entry = await read(visitor, '/operations/audit')
  expect(entry.text).toContain(`corrected the e-mail address of ${right}`)
  const buyer = aVisitor()
  await signInByEmail(buyer, right)
  expect((await pageOf(buyer.get('/orders'))).text).toContain(`${orderId}`)
})

it('mails the links of what waits for a wallet to the right address, once for each order', async () => {
  const wrong = anEmail()
  const right = anEmail()
  const guest = await aGuest(wrong)
  const shop = await aShop({ nft: { title: 'Tide' } })
  const { orderId } = await sell(shop, guest, { providerId: 'WRONG-1' })
  const claim = await claimPathOf(orderId)
  expect((await mailDue()).map(({ to }) => to)).toEqual([wrong])
  const ended = await sell(shop, guest)
  await moveTo(ended.itemId, 'cancelled')
  await correct(guest.id, right)
  const [mail, ...others] = await mailDue()
  expect(others).toEqual([])
  expect(mail).toMatchObject({
    to: right,
    subject: 'Connect a wallet to receive “Tide” (order WRONG-1)',
  })
  expect(mail?.text).toContain(`https://marketplace.test${await claimPathOf(orderId)}\n`)
  expect(mail?.text).not.toContain(claim)
  expect(await mailDue()).toEqual([])
  // Nothing was mailed to the wrong address yet.
  const second = await sell(shop, await aGuest())
  await correct((await findRow(orders, second.orderId))?.buyerId ?? 0, anEmail())
  expect(await mailDue()).toHaveLength(1)
})

it.each([
  ['taken', 'An account has this e-mail address.'],
  ['signed-in', 'This is no guest with an e-mail address: somebody has signed in.'],
  ['nonsense', 'Must be an e-mail address.'],
])('changes nothing if the address or the guest is not as it was: %s', async (reason, problem) => {
  const email = anEmail()
  const guest = await aGuest(email)
  const other = reason === 'nonsense' ? 'nonsense' : anEmail()
  if (reason === 'taken') await aGuest(other)
  if (reason === 'signed-in') await signInByEmail(aVisitor(), email)
  const { status, text } = await correct(guest.id, other)
  expect(status).toBe(reason === 'nonsense' ? 400 : 409)
  if (reason !== 'signed-in') expect(text).toContain(problem)
  expect((await findRow(users, guest.id))?.email).toBe(email)
  expect(visitor.mails).toEqual([])
  expect(await db.select().from(auditLog)).toEqual([])
})

it('asks for a recent sign-in before it corrects an address', async () => {
  const guest = await aGuest()
  await ageSession(visitor, 11)
  expect((await correct(guest.id, anEmail())).location).toContain('/sign-in/again')
  expect((await findRow(users, guest.id))?.email).toBe(guest.email)
})

const resend = (orderId: number, env = {}) =>
  pageOf(visitor.post(`/operations/orders/${orderId}/mail`, { env }))

it('sends the mail about the present state of an order again', async () => {
  const shop = await aShop({ nft: { title: 'Tide' } })
  const guest = await aGuest()
  const { orderId, itemId } = await sell(shop, guest, { providerId: 'AGAIN-1' })
  await mailed()
  const sent = await resend(orderId)
  expect(sent.location).toBe(`/operations/orders/${orderId}?notice=mailed`)
  expect((await pageOf(visitor.get(sent.location ?? ''))).text).toContain(
    'The mail was sent again.',
  )
  await moveTo(itemId, 'failed', explain('recipient_rejects'))
  await mailed()
  await resend(orderId)
  expect(visitor.mails.map(({ to, subject }) => [to, subject])).toEqual([
    [guest.email, 'Connect a wallet to receive “Tide” (order AGAIN-1)'],
    [guest.email, '“Tide” could not be delivered (order AGAIN-1)'],
  ])
  expect((await read(visitor, '/operations/audit')).text).toContain(
    `Olga sent the mail about Order ${orderId} again`,
  )
})

it('does not send a mail again that is on its way', async () => {
  const { orderId } = await sell(await aShop(), await aGuest())
  const onItsWay = 'This mail is just being sent: look again in a few minutes.'
  expect((await resend(orderId)).text).toContain(onItsWay)
  expect(await mailDue()).toHaveLength(1)
  expect((await resend(orderId)).text).toContain(onItsWay)
  expect(visitor.mails).toEqual([])
  await mailed()
  expect((await resend(orderId)).status).toBe(303)
})

it('sends none to who wants none, or got enough, and says so', async () => {
  const shop = await aShop()
  const guest = await aGuest()
  const { orderId, itemId } = await sell(shop, guest)
  await mailed()
  // More than a seller may cause.
  for (const _ of [1, 2, 3, 4]) expect((await resend(orderId)).status).toBe(303)
  await db.update(quotas).set({ used: 50 }).where(like(quotas.name, 'mails-again:%'))
  expect((await resend(orderId)).status).toBe(429)
  await db.delete(quotas)
  for (let i = 0; i < 10; i++) await resend(orderId)
  expect((await resend(orderId)).text).toContain('No mail was sent: the mailbox got enough.')
  expect((await resend(orderId, { MAX_ORDER_MAILS_PER_DAY: '0' })).status).toBe(503)
  await db
    .insert(mailOptOuts)
    .values({ addressHash: hashAddress(mailboxOf(guest.email)), createdAt: '' })
  expect((await resend(orderId)).text).toContain('No mail was sent: the recipient wants none.')
  await moveTo(itemId, 'cancelled')
  expect((await resend(orderId)).text).toContain('There is no mail about this state of an order.')
  expect(visitor.mails).toHaveLength(14)
  expect(await db.$count(auditLog, eq(auditLog.action, 'order.mail'))).toBe(14)
})
