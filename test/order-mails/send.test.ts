/** Mails to buyers and sellers about orders. */
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { runCron } from '../../src/cron.ts'
import { nfts } from '../../src/db/schema/catalogue.ts'
import { deliveries, instance } from '../../src/db/schema/delivery.ts'
import { mailOptOuts, quotas, sentMails } from '../../src/db/schema/operations.ts'
import { users } from '../../src/db/schema/users.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { readSettings, type Settings } from '../../src/env.ts'
import { hashAddress } from '../../src/mail/mail.ts'
import { quotable } from '../../src/mail/quotable.ts'
import { mailOrders } from '../../src/order-mails/send.ts'
import { mailSummaries } from '../../src/order-mails/summary.ts'
import { aShop, claimPathOf, copies, placed, type Shop } from '../orders/shop.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import { aToken, aTransaction, aUser, db, setRow } from '../support/makers.ts'
import { moveTo } from '../support/transitions.ts'
import {
  anEmail,
  aVisitor,
  mailedLink,
  pageOf,
  signInByEmail,
  type Visitor,
} from '../support/visitor.ts'
import { aGuest, inbox, type Mail, removeOrders, sell } from './mails.ts'

const logged = recordLogs()
const TX = `0x${'ab'.repeat(32)}` as const
const WALLET = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
const localhost = readSettings(env).NETWORKS.localhost as Settings['NETWORKS'][string]

removeOrders()

type Bindings = Partial<Record<keyof Env | keyof Settings, unknown>>

const withMails = (bindings: Bindings) =>
  ({ ...env, MAX_ORDER_MAILS_PER_DAY: '100', ...bindings }) as Env

/** Sends what is due, and returns it. */
async function run(bindings: Bindings = {}, now = new Date()): Promise<Mail[]> {
  const { mails, email } = inbox()
  await mailOrders({ db, email, settings: readSettings(withMails(bindings)), now })
  return mails
}

const change = (itemId: number, values: Partial<typeof deliveries.$inferInsert>) =>
  setRow(deliveries, itemId, values)

async function deliver(itemId: number) {
  const transaction = await aTransaction({ hash: TX })
  await moveTo(itemId, 'transferred', { transactionId: transaction.id })
}

const fail = (itemId: number) => moveTo(itemId, 'failed', explain('gas_limit_exceeded'))

const position = async () => (await db.select().from(instance))[0]?.mailPosition ?? 0

const unsubscribeLink = ({ text }: Mail) =>
  /No more mails about orders\n(\S+)\n$/.exec(text)?.[1] ?? ''

describe('a buyer', () => {
  it('is asked for a wallet, with the link to the order', async () => {
    const guest = await aGuest()
    const { orderId } = await sell(await aShop({ nft: { title: 'Moon' } }), guest)
    const [mail, ...others] = await run()
    expect(others).toEqual([])
    const url = unsubscribeLink(mail as Mail)
    expect(url).toMatch(/^https:\/\/marketplace\.test\/mails\/unsubscribe\?token=[\w.-]+$/)
    expect(mail).toEqual({
      from: { name: 'Marketplace', email: 'marketplace@example.com' },
      to: guest.email,
      subject: `Connect a wallet to receive “Moon” (order ${orderId})`,
      text: [
        `You have bought “Moon” (order ${orderId}). Sign in with this e-mail address and connect a wallet: then it is sent there.`,
        '1 piece',
        `https://marketplace.test${await claimPathOf(orderId)}`,
        'If you have bought nothing, ignore this mail.',
        `No more mails about orders\n${url}\n`,
      ].join('\n\n'),
      html: expect.stringContaining('>Connect a wallet</a>'),
      headers: {
        'List-Unsubscribe': `<${url}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    })
    expect(mail?.html).toContain(`href="${url}"`)
    expect(mail?.html).not.toContain('<img')
  })

  it('is told what was delivered: with picture, pieces, wallet, transaction and order', async () => {
    const buyer = await aUser({ email: anEmail(), ethereumPublicAddr: WALLET })
    const shop = await aShop({ nft: { title: 'Moon', coverKey: 'a b/c.jpg' } })
    const { orderId, itemId } = await sell(shop, buyer, { providerId: 'SHOP-7' })
    await deliver(itemId)
    const mails = await run({ COVERS_URL: 'https://covers.example' })
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
      [buyer.email, '“Moon” was delivered (order SHOP-7)'],
    ])
    const [mail] = mails
    expect(mail?.text).toContain(`“Moon” (order SHOP-7) is in your wallet ${WALLET}.\n\n1 piece\n`)
    expect(mail?.text).toContain(`\nhttps://marketplace.test/orders/${orderId}\n`)
    expect(mail?.text).toContain(`Transaction: ${TX}`)
    const art = `https://marketplace.test/nfts/${shop.nft.id}/art/card`
    expect(mail?.html).toContain(`<img src="${art}" alt=""`)
  })

  it('is told what could not be delivered, but not that it was cancelled', async () => {
    const buyer = await aUser({ email: anEmail() })
    const shop = await aShop({ nft: { title: 'Moon' } })
    const failed = await sell(shop, buyer, { providerId: 'SHOP-8' })
    const cancelled = await sell(shop, buyer)
    await fail(failed.itemId)
    await change(cancelled.itemId, { state: 'cancelled', dueAt: null, ...explain('cancelled') })
    const mails = await run()
    expect(mails.map(({ subject }) => subject)).toEqual([
      '“Moon” could not be delivered (order SHOP-8)',
    ])
    expect(mails[0]?.text).toContain(
      '(order SHOP-8) has failed. It was not possible for a technical reason. Ask the shop where you have bought it, and name order SHOP-8: it decides',
    )
    expect(mails[0]?.text).toContain(`https://marketplace.test/orders/${failed.orderId}\n`)
    // Retried, and failed for the same reason, then for another one.
    await moveTo(failed.itemId, 'queued')
    await fail(failed.itemId)
    expect(await run()).toEqual([])
    await moveTo(failed.itemId, 'queued')
    await moveTo(failed.itemId, 'failed', explain('recipient_rejects'))
    const [other] = await run()
    expect(other?.text).toContain('Your wallet cannot receive it: link another one')
  })

  it('is not told of what has passed, and not without an address', async () => {
    const shop = await aShop()
    const waiting = await sell(shop, await aGuest())
    await change(waiting.itemId, { state: 'queued', awaits: null })
    const failed = await sell(shop, await aUser({ email: anEmail() }))
    await fail(failed.itemId)
    await change(failed.itemId, { state: 'queued', reasonCode: null })
    await fail((await sell(shop, await aUser())).itemId)
    const removed = await aGuest()
    await sell(shop, removed)
    await setRow(users, removed.id, { removedAt: '2026-01-01' })
    expect(await run()).toEqual([])
  })

  it('gets a mail once, however often the cron trigger runs', async () => {
    await sell(await aShop(), await aGuest())
    const { mails, email } = inbox()
    const bindings = { EMAIL: email, DELIVERIES: aRecordingQueue().queue }
    const now = new Date()
    for (let i = 0; i < 2; i++)
      await Promise.all([1, 2].map(() => runCron(withMails(bindings), now)))
    expect(mails).toHaveLength(1)
    expect(logged('cron_job_failed')).toEqual([])
  })

  it('loses one mail at most if a run dies', async () => {
    const shop = await aShop()
    const buyers = [await aGuest(), await aGuest(), await aGuest()]
    for (const buyer of buyers) await sell(shop, buyer)
    const died = Promise.withResolvers<void>()
    // Sending the second mail does not end.
    const { email } = inbox((count) => {
      if (count < 2) return
      died.resolve()
      return new Promise(() => {})
    })
    const settings = readSettings(withMails({}))
    await Promise.race([mailOrders({ db, email, settings, now: new Date() }), died.promise])
    expect((await run()).map(({ to }) => to)).toEqual([buyers[2]?.email])
  })

  it('gets the others if a mail cannot be sent', async () => {
    const shop = await aShop()
    for (let i = 0; i < 2; i++) await sell(shop, await aGuest())
    const { mails, email } = inbox((count) => {
      if (count === 1) throw new Error('no such domain')
    })
    await mailOrders({ db, email, settings: readSettings(withMails({})), now: new Date() })
    expect(mails).toHaveLength(2)
    expect(logged('mail_failed')).toEqual([
      { mail: 'order.awaiting_wallet', error: 'Error: no such domain' },
    ])
  })

  it('is not told of events from before: only of those of the last ten minutes after three days', async () => {
    await sell(await aShop(), await aGuest())
    const later = (minutes: number) => new Date(Date.now() + minutes * 60_000)
    expect(await run({}, later(11))).toEqual([])
    expect(await run({}, later(9))).toHaveLength(1)
    await sell(await aShop(), await aGuest())
    expect(await run({}, later(71 * 60))).toHaveLength(1)
    await sell(await aShop(), await aGuest())
    expect(await run({}, later(73 * 60))).toEqual([])
  })
})

it('sends up to 1,000 mails a day by default, and none with 0', async () => {
  await sell(await aShop(), await aGuest())
  const before = await position()
  expect(await run({ MAX_ORDER_MAILS_PER_DAY: '0' })).toEqual([])
  expect(await position()).toBe(before)
  expect(readSettings({ ...env } as Env).MAX_ORDER_MAILS_PER_DAY).toBe(1000)
  expect(await run({ MAX_ORDER_MAILS_PER_DAY: undefined })).toHaveLength(1)
})

it('goes on tomorrow when the mails of the instance are used up, which are not those for signing in', async () => {
  const shop = await aShop()
  const buyers = [await aGuest(), await aGuest()]
  for (const buyer of buyers) await sell(shop, buyer)
  const now = new Date()
  const limited = { MAX_ORDER_MAILS_PER_DAY: '1' }
  expect((await run(limited, now)).map(({ to }) => to)).toEqual([buyers[0]?.email])
  expect(await run(limited, now)).toEqual([])
  expect(logged('mail_skipped')).toEqual([])
  const used = await db.select().from(quotas).where(eq(quotas.name, 'mails'))
  expect(used).toEqual([])
  const tomorrow = new Date(new Date(now).setUTCHours(24, 0, 0, 0))
  expect((await run(limited, tomorrow)).map(({ to }) => to)).toEqual([buyers[1]?.email])
})

it('sends a mailbox three mails a day because of a seller, and ten in all', async () => {
  const [name, host] = anEmail().split('@')
  const shops = await Promise.all(Array.from({ length: 4 }, () => aShop()))
  let guests = 0
  // Addresses with a plus tag are the same mailbox.
  for (const shop of shops)
    for (let i = 0; i < 4; i++) await sell(shop, await aGuest(`${name}+${++guests}@${host}`))
  expect(await run()).toHaveLength(10)
  const mail = 'order.awaiting_wallet'
  const seller = { mail, reason: 'its seller caused enough' }
  const mailbox = { mail, reason: 'the mailbox got enough' }
  expect(logged('mail_skipped')).toEqual([seller, seller, seller, mailbox, mailbox, mailbox])
  const other = await aGuest()
  await sell(shops[0] as Shop, other)
  expect((await run()).map(({ to }) => to)).toEqual([other.email])
})

it('tells what it held back in one summary, on the next day', async () => {
  const shop = await aShop({ nft: { title: 'Moon' } })
  const guest = await aGuest()
  for (let i = 0; i < 3; i++) await sell(shop, guest)
  const [waiting, delivered] = [await sell(shop, guest), await sell(shop, guest)]
  // The same mailbox gets no second summary.
  await sell(shop, await aGuest(guest.email.replace('@', '+2@')))
  expect(await run()).toHaveLength(3)
  await deliver(delivered.itemId)
  const summaries = async (now: Date) => {
    const { mails, email } = inbox()
    await mailSummaries({ db, email, settings: readSettings(withMails({})), now })
    return mails
  }
  const tomorrow = new Date(new Date().setUTCHours(24, 1, 0, 0))
  expect(await summaries(new Date())).toEqual([])
  const [mail, ...others] = await summaries(tomorrow)
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: guest.email, subject: 'More news about your orders' })
  expect(mail?.text).toContain(
    [
      'these have changed:',
      `“Moon” (${waiting.orderId}) waits for your wallet`,
      `“Moon” (${delivered.orderId}) was delivered\n\nhttps://marketplace.test/orders\n`,
    ].join('\n'),
  )
  expect(await summaries(tomorrow)).toEqual([])
})

it('keeps half of the mails of the instance for others than one user with user tokens', async () => {
  const shop = await aShop()
  const token = await aToken(shop.seller)
  const guests = await Promise.all([1, 2, 3].map(() => aGuest()))
  for (const [i, guest] of guests.entries()) await sell(i < 2 ? { ...shop, token } : shop, guest)
  const mails = await run({ MAX_ORDER_MAILS_PER_DAY: '2' })
  expect(mails.map(({ to }) => to)).toEqual([guests[0]?.email, guests[2]?.email])
  expect(logged('mail_skipped')).toMatchObject([{ reason: 'its user caused enough' }])
})

it('sends 50 mails and looks at 200 events in a run, and goes on in the next', async () => {
  const shop = await aShop({ nft: { amount: 1000 } })
  const guests = await Promise.all(Array.from({ length: 51 }, () => aGuest()))
  for (const guest of guests) await sell(shop, guest)
  expect(await run()).toHaveLength(50)
  expect(await run()).toHaveLength(1)
  // Each order of a buyer with a wallet is one event.
  for (let i = 0; i < 2; i++) await placed(shop.token, copies(100, shop.input))
  await sell(shop, guests[0] as { id: number })
  expect(await run()).toEqual([])
  expect(await run()).toHaveLength(1)
})

it('writes a hostile title as text, on one line, and short', async () => {
  const title = `"><img src=x onerror='alert(1)'>\r\nBcc: all@example.com\u202e “${'x'.repeat(300)}`
  const { orderId } = await sell(await aShop({ nft: { title } }), await aGuest())
  const [mail] = await run()
  const shown = `"><img src=x onerror='alert(1)'> Bcc: all@\u200bexample.\u200bcom xxxxx…`
  expect(mail?.subject).toBe(`Connect a wallet to receive “${shown}” (order ${orderId})`)
  expect(mail?.text).toContain(`You have bought “${shown}” (order`)
  expect(mail?.html).not.toContain('<img')
  expect(mail?.html).toContain('“&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt; Bcc:')
})

it.each([
  ['👨‍👩‍👧'.repeat(70), `${'👨‍👩‍👧'.repeat(59)}…`],
  ['🇮🇹 e\u0301'.repeat(30), `${'🇮🇹 e\u0301'.repeat(19)}🇮🇹 …`],
  ['https://evil.example/x', 'https:\u200b/\u200b/\u200bevil.\u200bexample/\u200bx'],
  ['\u05d0\u05d1 1', '\u2068\u05d0\u05d1 1\u2069'],
  ['\u{1e900}\u{1e901} 1', '\u2068\u{1e900}\u{1e901} 1\u2069'],
  ['evil\u3002com', 'evil\u3002\u200bcom'],
])('quotes the title %j whole, isolated and without a link', (title, quoted) => {
  expect(quotable(title)).toBe(quoted)
})

/** The subject of the mail of an order with this number, and its id. */
async function subjectOf(providerId: string, locale = 'en') {
  const shop = await aShop({ nft: { title: 'Moon' } })
  const { orderId } = await sell(shop, await aGuest(anEmail(), locale), { providerId })
  const [mail] = await run()
  return { orderId, subject: mail?.subject, mail: JSON.stringify(mail) }
}

it.each([
  ['en', 'Connect a wallet to receive “Moon” (order #A_1/2-3)'],
  ['de', 'Verknüpfen Sie eine Wallet, um „Moon“ zu erhalten (Bestellung #A_1/2-3)'],
  ['fr', 'Associez un portefeuille pour recevoir «\u00a0Moon\u00a0» (commande #A_1/2-3)'],
])('names the number of the shop in %s', async (locale, subject) => {
  expect(await subjectOf('#A_1/2-3', locale)).toMatchObject({ subject })
})

it.each([
  ...['Visit evil', 'evil:1', 'evil@1', '<b>evil', 'evil\u0435', `evil${'1'.repeat(37)}`],
  ...['evil.example/1', 'evil1.example/x', '1.2.3.4/evil', '1.2.evil', '.1evil', 'evil1.'],
])('names the id in place of the number %s, which says more than a number', async (number) => {
  const { orderId, subject, mail } = await subjectOf(number)
  expect(subject).toBe(`Connect a wallet to receive “Moon” (order ${orderId})`)
  expect(mail).not.toContain('evil')
})

it.each(['2026.11/30', '1'.repeat(40)])('names the number %s', async (number) => {
  expect((await subjectOf(number)).subject).toContain(`(order ${number})`)
})

describe('a seller', () => {
  const NETWORKS = { localhost }

  /** An item that waits for the approval of its seller. */
  async function aWaitingItem(shop: Shop) {
    const { itemId } = await sell(shop, shop.buyer)
    const waitingSince = new Date().toISOString()
    await change(itemId, { waitingSince, ...explain('holder_not_approved') })
    return itemId
  }

  const withMail = async (shop: Shop, email = anEmail()) => {
    await setRow(users, shop.seller.id, { email })
    return email
  }

  it('is asked once for the approval of each token contract, and again after 30 days', async () => {
    const shop = await aShop({ nft: { title: 'Moon' } })
    const email = await withMail(shop)
    await aWaitingItem(shop)
    await aWaitingItem(shop)
    const [mail, ...others] = await run()
    expect(others).toEqual([])
    expect(mail).toMatchObject({ to: email, subject: 'Allow delivery of “Moon”' })
    expect(mail?.text).toContain(
      `With this wallet, call setApprovalForAll(${localhost.delivery}, true) of the token contract ${shop.nft.contractAddr} on localhost.`,
    )
    expect(mail?.text).toContain(`from your wallet ${shop.seller.ethereumPublicAddr}.`)
    expect(mail?.text).toContain('https://marketplace.test/settings/selling\n')
    expect(unsubscribeLink(mail as Mail)).not.toBe('')
    expect(await run()).toEqual([])
    await setRow(nfts, shop.nft.id, { contractAddr: WALLET })
    expect(await run()).toHaveLength(1)
    const later = new Date(Date.now() + 30 * 24 * 60 * 60_000 + 60_000)
    await runCron({ ...env, DELIVERIES: aRecordingQueue().queue }, later)
    expect(await db.select().from(sentMails)).toEqual([])
  })

  it('is not asked about what a treasury holds, for another reason, or without an address', async () => {
    const shop = await aShop()
    const itemId = await aWaitingItem(shop)
    expect(await run()).toEqual([])
    await withMail(shop)
    const treasury = { localhost: { ...localhost, treasury: WALLET } }
    expect(await run({ NETWORKS: treasury })).toEqual([])
    await setRow(nfts, shop.nft.id, { heldBySeller: true })
    expect(await run({ NETWORKS: treasury })).toHaveLength(1)
    await setRow(nfts, shop.nft.id, { contractAddr: WALLET })
    await change(itemId, explain('minter_role_missing'))
    expect(await run({ NETWORKS })).toEqual([])
    await change(itemId, explain('holder_not_approved'))
    expect(await run({ NETWORKS })).toHaveLength(1)
  })

  it('who wants no mails is not asked, and that is logged once', async () => {
    const shop = await aShop()
    const email = await withMail(shop)
    await db
      .insert(mailOptOuts)
      .values({ addressHash: hashAddress(email), createdAt: '2026-01-01T00:00:00.000Z' })
    await aWaitingItem(shop)
    expect([...(await run()), ...(await run())]).toEqual([])
    const skipped = { mail: 'approval.needed', reason: 'the recipient wants none' }
    expect(logged('mail_skipped')).toEqual([skipped])
  })
})

describe('the link in a mail', () => {
  async function aLink() {
    const guest = await aGuest()
    const shop = await aShop()
    await sell(shop, guest)
    const [mail] = await run()
    const path = unsubscribeLink(mail as Mail).slice('https://marketplace.test'.length)
    return { guest, shop, path }
  }
  const stored = () => db.select({ hash: mailOptOuts.addressHash }).from(mailOptOuts)
  const shownBy = async (visitor: Visitor, path: string) => (await visitor.get(path)).text()

  it('asks first, because mail scanners open links, and then ends mails about orders', async () => {
    const { guest, shop, path } = await aLink()
    const visitor = aVisitor()
    expect(await shownBy(visitor, path)).toContain('Send me no more mails about orders')
    expect(await stored()).toEqual([])
    const { status, text } = await pageOf(visitor.post(path))
    expect(status).toBe(200)
    expect(text).toContain('No more of them are sent to this address.')
    expect(await stored()).toEqual([{ hash: hashAddress(guest.email) }])
    await sell(shop, guest)
    await sell(shop, await aGuest(guest.email.replace('@', '+shop@')))
    expect(await run()).toEqual([])
    const settings = aVisitor()
    await signInByEmail(settings, guest.email)
    expect(await shownBy(settings, '/settings/account')).toContain('You get no mails about your')
    await settings.post('/settings/account/mails', { form: { wanted: 'yes' } })
    expect(await shownBy(settings, '/settings/account')).toContain('You get mails about your')
    await visitor.post(path)
    const again = await pageOf(visitor.post(path.replace('unsubscribe', 'subscribe')))
    expect(again.text).toContain('They are sent to this address again.')
    expect(await stored()).toEqual([])
    // Those that are asked for are sent.
    await visitor.post('/sign-in/email', { form: { email: guest.email } })
    expect(mailedLink(visitor)).toContain('/sign-in/email?secret=')
  })

  it('works with one click of a mail program: without a cookie, from anywhere, twice', async () => {
    const { path } = await aLink()
    const headers = { origin: 'https://mail.example', 'sec-fetch-site': 'cross-site' }
    const form = { 'List-Unsubscribe': 'One-Click' }
    for (const _ of [1, 2])
      expect((await aVisitor().post(path, { form, headers })).status).toBe(200)
    expect(await stored()).toHaveLength(1)
  })

  it('is no token of the API, and a token of the API is no such link', async () => {
    const { path, shop } = await aLink()
    const jwt = new URL(path, 'https://marketplace.test').searchParams.get('token') ?? ''
    const visitor = aVisitor()
    visitor.cookies.set('token', jwt)
    const headers = { accept: 'application/json' }
    expect((await visitor.get('/orders', { headers })).status).toBe(401)
    for (const token of [shop.token, `${jwt.slice(0, -4)}AAAA`, '']) {
      const broken = `/mails/unsubscribe?token=${token}`
      expect((await pageOf(visitor.get(broken))).text).toContain('This link is not complete')
      expect((await aVisitor().post(broken)).status).toBe(400)
    }
    expect(await stored()).toEqual([])
  })
})
