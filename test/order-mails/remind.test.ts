/** Reminders to buyers without a wallet, and what is told of orders that nobody claims. */
import { env } from 'cloudflare:workers'
import { asc, eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { runCron } from '../../src/cron.ts'
import { batch } from '../../src/db/batch.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { events, webhookEndpoints } from '../../src/db/schema/webhooks.ts'
import { changeDeliveries, hasIdSql } from '../../src/delivery/transitions.ts'
import { readSettings } from '../../src/env.ts'
import { hashAddress, optOut } from '../../src/mail/mail.ts'
import { remindBuyers } from '../../src/order-mails/remind.ts'
import { mailOrders } from '../../src/order-mails/send.ts'
import { aShop, billingData, claimPathOf, placed } from '../orders/shop.ts'
import { answerOf, call } from '../support/api.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import { aMasterToken, aUser, aWebhook, db, findRow } from '../support/makers.ts'
import { anEmail, textOf } from '../support/visitor.ts'
import { aGuest, inbox, type Mail, removeOrders, sell } from './mails.ts'

const logged = recordLogs()
const DAY = 24 * 60 * 60 * 1000

removeOrders()

const withMails = (bindings: object) => ({ ...env, ...bindings }) as Env

/** Sends the reminders that are due after some days, and returns them. */
async function run(days: number, bindings: object = {}, box = inbox()): Promise<Mail[]> {
  const settings = readSettings(withMails(bindings))
  const now = new Date(Date.now() + days * DAY)
  await remindBuyers({ db, email: box.email, settings, now })
  return box.mails
}

/** The subjects, without the number of the order. */
const subjects = (mails: Mail[]) =>
  mails.map(({ subject }) => subject.replace(/ \((order|Bestellung|commande) \S+\)$/, ''))

async function sellToGuest(title = 'Moon', locale = 'en') {
  const guest = await aGuest(anEmail(), locale)
  const shop = await aShop({ nft: { title } })
  return { guest, ...(await sell(shop, guest, { providerId: 'SHOP-7' })) }
}

const change = (name: 'link_wallet' | 'unlink_wallet', itemId: number, days: number) =>
  batch(db, {
    changed: changeDeliveries(db, name, hasIdSql([itemId]), new Date(Date.now() + days * DAY)),
  })

const eventTypes = async () =>
  (await db.select().from(events).orderBy(asc(events.id))).map(({ type }) => type)

const first = '“Moon” waits for your wallet'
const last = 'Last reminder: “Moon” waits for your wallet'

describe('a buyer without a wallet', () => {
  it('is reminded after 3 and after 14 days, once each', async () => {
    const { guest, orderId } = await sellToGuest()
    const since = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
    expect(await run(2.99)).toEqual([])
    const [mail, ...others] = await run(3)
    expect(others).toEqual([])
    expect(mail).toMatchObject({
      to: guest.email,
      subject: `${first} (order SHOP-7)`,
      text: expect.stringContaining(
        [
          `“Moon” (order SHOP-7), which you have bought, has waited for your wallet since ${since.format(new Date())}. Sign in with this e-mail address and connect a wallet: then it is sent there.`,
          '1 piece',
          `https://marketplace.test${await claimPathOf(orderId)}`,
          'If you have bought nothing, ignore this mail.',
          'No more mails about orders\nhttps://marketplace.test/mails/unsubscribe?token=',
        ].join('\n\n'),
      ),
    })
    expect(await run(13.9)).toEqual([])
    const [final, ...more] = await run(14)
    expect(more).toEqual([])
    expect(final?.subject).toBe(`${last} (order SHOP-7)`)
    expect(final?.text).toContain(
      'This is the last reminder. If you have bought nothing, ignore this mail.',
    )
    expect(await run(15)).toEqual([])
    expect(await run(40)).toEqual([])
  })

  it.each([
    ['de', 'Letzte Erinnerung: „Moon“ wartet auf Ihre Wallet', 'Wallet verknüpfen'],
    ['\r\nBcc: x', last, 'Connect a wallet'],
  ])('is reminded in the language of the locale %s', async (locale, subject, button) => {
    await sellToGuest('Moon', locale)
    const mails = await run(14)
    expect(subjects(mails)).toEqual([subject])
    expect(mails[0]?.html).toContain(`>${button}</a>`)
  })

  it('gets only the last reminder if mails were off until then', async () => {
    await sellToGuest()
    expect(await run(5, { MAX_ORDER_MAILS_PER_DAY: '0' })).toEqual([])
    expect(subjects(await run(14))).toEqual([last])
    expect(await run(14)).toEqual([])
  })

  it('is not reminded of what was claimed or cancelled, nor after it was forgotten', async () => {
    const { itemId } = await sellToGuest()
    await change('link_wallet', itemId, 0)
    const cancelled = await sellToGuest()
    const cancel = `/api/externalOrders/${cancelled.orderId}/cancel`
    expect((await call('POST', cancel, { token: await aMasterToken() })).status).toBe(200)
    const forgotten = await sellToGuest()
    const forget = `/api/admin/users/${forgotten.guest.id}/forget`
    expect((await call('POST', forget, { token: await aMasterToken() })).status).toBe(200)
    expect(await run(3)).toEqual([])
    expect(await run(30)).toEqual([])
    expect(await eventTypes()).not.toContain('order.unclaimed')
  })

  it('is not reminded of what is claimed while the run sends others', async () => {
    const shop = await aShop({ nft: { title: 'Moon' } })
    const [one, two] = [await aGuest(), await aGuest()]
    await sell(shop, one)
    const { itemId } = await sell(shop, two)
    const box = inbox(() => change('link_wallet', itemId, 3))
    expect((await run(3, {}, box)).map(({ to }) => to)).toEqual([one.email])
    expect(await run(3)).toEqual([])
  })

  it('is reminded once, however often the cron trigger runs', async () => {
    await sellToGuest()
    const { mails, email } = inbox()
    const bindings = { EMAIL: email, DELIVERIES: aRecordingQueue().queue }
    const now = new Date(Date.now() + 3.5 * DAY)
    for (let i = 0; i < 2; i++)
      await Promise.all([1, 2].map(() => runCron(withMails(bindings), now)))
    expect(subjects(mails)).toEqual([first])
    expect(logged('cron_job_failed')).toEqual([])
  })

  it('loses a reminder that could not be sent, but not the next one', async () => {
    await sellToGuest()
    const broken = inbox(() => {
      throw new Error('no such domain')
    })
    await run(3, {}, broken)
    expect(broken.mails).toHaveLength(1)
    expect(logged('mail_failed')).toEqual([{ mail: 'reminder', error: 'Error: no such domain' }])
    expect(await run(4)).toEqual([])
    expect(subjects(await run(14))).toEqual([last])
  })

  it('gets on the next day what the mails of the day did not allow', async () => {
    const shop = await aShop({ nft: { title: 'Moon' } })
    const guests = [await aGuest(), await aGuest(), await aGuest()]
    for (const guest of guests) await sell(shop, guest)
    const limited = { MAX_ORDER_MAILS_PER_DAY: '1' }
    const sent: string[] = []
    for (const days of [3, 3, 4, 4, 5, 6])
      sent.push(...(await run(days, limited)).map(({ to }) => to))
    expect(sent).toEqual(guests.map(({ email }) => email))
    expect(logged('mail_skipped')).toEqual([])
  })

  it('gets none after opting out, and a user without an address none', async () => {
    const { guest } = await sellToGuest()
    await optOut({ db, now: new Date() }, hashAddress(guest.email))
    await sell(await aShop(), await aUser({ ethereumPublicAddr: '', email: '' }))
    expect(await run(3)).toEqual([])
    expect(logged('mail_skipped')).toEqual([
      { mail: 'reminder', reason: 'the recipient wants none' },
    ])
    const rows = await db.select({ reminders: deliveries.reminders }).from(deliveries)
    expect(rows).toEqual([{ reminders: 1 }, { reminders: 1 }])
  })

  it('is not reminded again of what waits again', async () => {
    const { itemId } = await sellToGuest()
    expect(subjects(await run(3))).toEqual([first])
    await change('link_wallet', itemId, 4)
    await change('unlink_wallet', itemId, 20)
    expect(await run(23)).toEqual([])
    // 14 days after it began to wait again.
    expect(await run(33)).toEqual([])
    expect(subjects(await run(34))).toEqual([last])
  })
})

describe('an order that nobody claims', () => {
  const unclaimed = () => db.select().from(events).where(eq(events.type, 'order.unclaimed'))

  it('is told once after 21 days, to the shop and whoever may read its events', async () => {
    const { guest, orderId, itemId } = await sellToGuest()
    const token = await aMasterToken()
    const admin = await aUser({ roleId: 1 })
    const { id } = await aWebhook(admin, { role: 'master', events: ['order.unclaimed'] })
    await run(20.9)
    expect(await unclaimed()).toEqual([])
    await Promise.all([run(21), run(21)])
    await run(21)
    await run(60)
    const log = await answerOf<{ events: { type: string }[] }>(
      call('GET', '/api/events', { token }),
    )
    expect(log.events.filter(({ type }) => type === 'order.unclaimed')).toMatchObject([
      {
        type: 'order.unclaimed',
        data: {
          orderId,
          orderItemId: itemId,
          buyerId: guest.id,
          status: 'awaiting_wallet',
          claimUrl: `https://marketplace.test${await claimPathOf(orderId)}`,
          txId: null,
          reasonCode: null,
        },
      },
    ])
    // The sequence of an event is the new version plus 1.
    const waits = { state: 'awaiting_wallet', version: 2 }
    expect(await findRow(deliveries, itemId)).toMatchObject(waits)
    expect((await unclaimed())[0]?.sequence).toBe(3)
    expect((await findRow(webhookEndpoints, id))?.dueAt).not.toBeNull()
  })

  it('is told when mails are off, used up or not wanted', async () => {
    const { guest } = await sellToGuest()
    await optOut({ db, now: new Date() }, hashAddress(guest.email))
    expect(await run(22, { MAX_ORDER_MAILS_PER_DAY: '0' })).toEqual([])
    expect(await unclaimed()).toHaveLength(1)
  })

  it('can be claimed afterwards, and is not told again if it waits again', async () => {
    const { itemId } = await sellToGuest()
    await run(21)
    await change('link_wallet', itemId, 22)
    expect(await findRow(deliveries, itemId)).toMatchObject({ state: 'queued' })
    await change('unlink_wallet', itemId, 23)
    expect(await run(60)).toEqual([])
    expect(await unclaimed()).toHaveLength(1)
  })

  it('is told of 100 in a run, and of the others in the next', async () => {
    const { token, input } = await aShop({ nft: { amount: 200 } })
    const guest = await aGuest()
    const order = { ...input, buyerUserId: guest.id, buyerBillingData: billingData }
    await placed(token, Array(100).fill(order))
    await placed(token, [order])
    await run(21, { MAX_ORDER_MAILS_PER_DAY: '0' })
    expect(await unclaimed()).toHaveLength(100)
    await run(21, { MAX_ORDER_MAILS_PER_DAY: '0' })
    expect(await unclaimed()).toHaveLength(101)
  })
})

it('sends through the binding of workerd, with what the operator has set', async () => {
  const { guest } = await sellToGuest('Moon', 'fr')
  const settings = readSettings(
    withMails({
      INSTANCE_NAME: 'Galerie, Söhne',
      INSTANCE_LOGO: 'https://cdn.example/logo.png',
      INSTANCE_COLOR: '#FFD400',
      OPERATOR_NAME: 'Galerie Söhne GmbH',
      SUPPORT_EMAIL: 'aide@galerie.example',
      LEGAL_LINKS: '{"imprint": "https://galerie.example/imprint"}',
    }),
  )
  await mailOrders({ db, email: env.EMAIL, settings, now: new Date() })
  expect(logged('mail_failed')).toEqual([])
  const { mails, email } = inbox()
  await remindBuyers({ db, email, settings, now: new Date(Date.now() + 3 * DAY) })
  expect(mails).toMatchObject([
    { from: { name: 'Galerie, Söhne', email: 'marketplace@example.com' }, to: guest.email },
  ])
  const [mail] = mails
  expect(mail?.html).toMatch(/<img src="https:\/\/cdn.example\/logo.png"[^>]*>Galerie, Söhne<\/td>/)
  const foot = [
    ...['Galerie Söhne GmbH', 'Questions: aide@galerie.example'],
    'Mentions légales: https://galerie.example/imprint',
  ]
  expect(mail?.text).toContain(`\n\n${foot.join('\n')}\n\n`)
  expect(textOf(mail?.html ?? '')).toContain(
    'marketplace.test · Galerie Söhne GmbH · Questions: aide@galerie.example · Mentions légales · ',
  )
  // Dark on yellow, in the dark as well.
  expect(mail?.html).toContain('background:#FFD400;color:#171b22')
  expect(mail?.html).not.toContain('.button {')
})

it('refuses a name that a mail cannot have, and what is no colour', () => {
  for (const INSTANCE_NAME of ['a\nb', '', 'x'.repeat(51), 'A <b>', 'A "B"'])
    expect(() => readSettings(withMails({ INSTANCE_NAME }))).toThrow('INSTANCE_NAME')
  expect(() => readSettings(withMails({ INSTANCE_COLOR: 'red;x' }))).toThrow('INSTANCE_COLOR')
})
