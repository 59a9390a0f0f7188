/** Operations → Shops: what buyers are told of where they have bought. */
import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { auditLog } from '../../src/db/schema/operations.ts'
import { shops } from '../../src/db/schema/orders.ts'
import { ADMINISTRATOR, users } from '../../src/db/schema/users.ts'
import { readSettings } from '../../src/env.ts'
import { mailOrders } from '../../src/order-mails/send.ts'
import { aGuest, inbox, removeOrders } from '../order-mails/mails.ts'
import { aShop, billingData, sold } from '../orders/shop.ts'
import { aMasterToken, aToken, db, setRow } from '../support/makers.ts'
import {
  ageSession,
  anEmail,
  aSignedInVisitor,
  aVisitor,
  locationOf,
  pageOf,
  signInByEmail,
} from '../support/visitor.ts'

const PAGE = '/operations/shops'
const KITE = { name: 'Kite & Söhne', email: 'help@kite.example', url: 'https://kite.example/' }

removeOrders()
beforeEach(async () => {
  for (const table of [shops, auditLog]) await db.delete(table)
})

const anAdministrator = () => aSignedInVisitor({ roleId: ADMINISTRATOR })
const form = (values: Partial<typeof KITE> = {}) => ({
  namespace: 'master:kite',
  ...KITE,
  ...values,
})

/** An order of a German guest, and how its page and its mail look. */
async function anOrderWith(token: string, shop: Awaited<ReturnType<typeof aShop>>) {
  const user = await aGuest(anEmail(), 'de')
  const visitor = aVisitor()
  await signInByEmail(visitor, user.email)
  const buys = { buyerUserId: user.id, buyerBillingData: billingData }
  const { order } = await sold(token, { ...shop.input, ...buys })
  const { mails, email } = inbox()
  const settings = readSettings({ ...env, MAX_ORDER_MAILS_PER_DAY: 100 } as unknown as Env)
  await mailOrders({ db, email, settings, now: new Date() })
  return { page: await pageOf(visitor.get(`/orders/${order.id}`)), mail: mails[0] }
}

it('names the shop of a master token on the page of an order and in its mails', async () => {
  const [{ visitor, user }, token] = [await anAdministrator(), await aMasterToken('kite')]
  const before = await pageOf(visitor.get(`${PAGE}?namespace=master%3Akite`))
  expect(before.text).toContain('kite Name E-mail address for questions')
  expect(await locationOf(visitor.post(PAGE, { form: form() }))).toBe(`${PAGE}?notice=saved`)
  const after = await pageOf(visitor.get(`${PAGE}?notice=saved`))
  expect(after.text).toContain('The shop is saved.')
  expect(after.text).toContain('kite Kite &amp; Söhne – Questions: help@kite.example Change')
  expect(await db.select().from(auditLog)).toMatchObject([
    { action: 'shop.change', subject: 'master:kite', userId: user.id },
  ])
  const { page, mail } = await anOrderWith(token, await aShop())
  expect(page.text).toContain('Ihr Shop Kite &amp; Söhne – Fragen: help@kite.example')
  expect(page.html).toContain('<a href="https://kite.example/">Kite &amp; Söhne</a>')
  expect(mail?.text).toContain('\n\nIhr Shop: Kite & Söhne – Fragen: help@kite.example\n')
  expect(mail?.html).toContain('Ihr Shop: Kite &amp; Söhne – Fragen: <a')
})

it('names the seller, and no address, of what a user token has sold, and only on the page', async () => {
  const shop = await aShop()
  await setRow(users, shop.seller.id, { name: 'Cleo' })
  const { page, mail } = await anOrderWith(await aToken(shop.seller), shop)
  expect(page.text).toContain('Verkauft von Cleo')
  expect(mail?.text).not.toContain('Ihr Shop')
})

it('says what is wrong with a field, and keeps the others', async () => {
  const [{ visitor }] = [await anAdministrator(), await aMasterToken('kite')]
  const { status, text, html } = await pageOf(
    visitor.post(PAGE, { form: form({ email: 'help', url: 'http://kite.example' }) }),
  )
  expect(status).toBe(400)
  expect(text).toContain('Must be an e-mail address.')
  expect(text).toContain('Must begin with https://.')
  const secret = form({ url: 'https://ada:secret@kite.example/' })
  const { text: answer } = await pageOf(visitor.post(PAGE, { form: secret }))
  expect(answer).toContain('Must not contain credentials.')
  expect(html).toContain('value="Kite &amp; Söhne"')
  expect(await db.select().from(shops)).toEqual([])
})

it('refuses names that no master token has, and an old sign-in', async () => {
  const { visitor } = await anAdministrator()
  for (const namespace of ['master:nobody', 'user:ab:kite', 'kite'])
    expect((await visitor.post(PAGE, { form: { ...form(), namespace } })).status).toBe(404)
  await aMasterToken('kite')
  await ageSession(visitor, 11)
  expect(await locationOf(visitor.post(PAGE, { form: form() }))).toMatch(/^\/sign-in\/again\?/)
  expect(await db.select().from(shops)).toEqual([])
})
