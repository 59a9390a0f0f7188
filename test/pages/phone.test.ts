/** From the claim of an order to a wallet on a phone, which has no session. */
import { eq } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import { phoneLinks, users } from '../../src/db/schema/users.ts'
import { answerOf } from '../support/api.ts'
import { stopClock } from '../support/fake-time.ts'
import { aUser, db, findRow } from '../support/makers.ts'
import {
  ageSession,
  anEmail,
  aVisitor,
  aWallet,
  CHAIN_ID,
  htmlAt,
  locationOf,
  pageOf,
  secretOf,
  signInByEmail,
  type Visitor,
} from '../support/visitor.ts'

/** A signed-in browser that shows a code. */
async function aCode() {
  const email = anEmail()
  const visitor = aVisitor()
  await signInByEmail(visitor, email)
  return { email, visitor, path: await newCode(visitor) }
}

const newCode = async (visitor: Visitor) => `${await locationOf(visitor.post('/claim/7/phone'))}`

/** A phone that has scanned the code. */
async function aPhone(path: string) {
  const phone = aVisitor()
  const { html } = await pageOf(phone.get(`/phone?secret=${secretOf(path)}`))
  expect(html).toContain('<form method="post" action="/phone" class="stack">')
  expect(phone.cookies.size).toBe(0)
  const scanned = await phone.post('/phone', { form: { secret: secretOf(path) } })
  expect(scanned.headers.get('location')).toBe('/phone/wallet')
  expect(scanned.headers.getSetCookie().join()).toMatch(
    /phone=[0-9a-f]{64}; Max-Age=600; Path=\/phone; HttpOnly; Secure; SameSite=Strict/,
  )
  return phone
}

async function prove(phone: Visitor, wallet = aWallet()) {
  const request = { address: wallet.address, chainId: CHAIN_ID }
  const asked = await answerOf<{ message: string }>(phone.postJson('/phone/message', request))
  const { message = '' } = asked
  const signature = message && (await wallet.signMessage({ message }))
  const proved = await answerOf(phone.postJson('/phone/wallet', { message, signature }))
  return { asked, message, wallet, proved }
}

const confirm = (visitor: Visitor, path: string, wallet: string) =>
  visitor.post('/claim/7/phone/confirm', {
    form: { secret: secretOf(path), wallet },
    headers: { accept: 'application/json' },
  })

const walletOf = async (email: string) =>
  (await db.select().from(users).where(eq(users.email, email)))[0]?.ethereumPublicAddr

it('links the wallet that a phone has proved, once the browser confirms its address', async () => {
  const { email, visitor, path } = await aCode()
  const shown = await htmlAt(visitor, path)
  expect(shown).toContain('data-state="waiting"')
  expect(shown).toMatch(/<svg class="qr" role="img" aria-label="Code to scan with your phone"/)
  expect(shown).toContain(`https://marketplace.test/phone?secret=${secretOf(path)}</textarea>`)
  const phone = await aPhone(path)
  expect((await pageOf(phone.get('/phone/wallet'))).text).toContain(
    `Your wallet is linked to the account ${email[0]}…@example.com .`,
  )
  const { message, wallet } = await prove(phone)
  expect(message).toContain(
    `\n\nLink this wallet to the account ${email[0]}...@example.com of marketplace.test.\n\n`,
  )
  expect(phone.cookies.has('token')).toBe(false)
  expect((await pageOf(phone.get('/phone/wallet'))).text).toContain(`Now confirm it`)
  expect(await walletOf(email)).toBe('')

  const proved = await htmlAt(visitor, path)
  expect(proved).toContain('data-state="proved"')
  expect(proved).toContain(`<p class="code">${wallet.address}</p>`)
  const mails = visitor.mails.length
  const linked = await confirm(visitor, path, wallet.address)
  expect(linked.headers.get('location')).toBe('/orders/7')
  expect(await walletOf(email)).toBe(wallet.address)
  expect(visitor.mails).toHaveLength(mails)
  expect(await db.select().from(phoneLinks)).toEqual([])
})

it('ends a code with the next one, after ten minutes, and for other accounts', async () => {
  const { visitor, path } = await aCode()
  const phone = await aPhone(path)
  const second = await newCode(visitor)
  expect((await prove(phone)).asked).toMatchObject({ status: 410, code: 'link_expired' })
  expect((await pageOf(phone.get('/phone/wallet'))).text).toContain('This code no longer works')
  expect(await htmlAt(visitor, path)).toContain('data-state="ended"')
  expect(await htmlAt((await aCode()).visitor, second)).toContain('data-state="ended"')
  const inTime = await aPhone(second)
  stopClock()
  vi.setSystemTime(Date.now() + 10 * 60_000)
  expect((await prove(inTime)).asked).toMatchObject({ status: 410 })
})

it('links no other wallet than the one that was shown, and only in the browser that has the session', async () => {
  const { email, visitor, path } = await aCode()
  const shown = await prove(await aPhone(path))
  await prove(await aPhone(path))
  // The page of the code says why.
  expect(await locationOf(confirm(visitor, path, shown.wallet.address))).toBe(path)
  const { wallet } = await prove(await aPhone(path))
  const other = (await aCode()).visitor
  expect(await locationOf(confirm(other, path, wallet.address))).toBe(path)
  expect(await htmlAt(other, path)).toContain('data-state="ended"')
  expect(await answerOf(confirm(aVisitor(), path, wallet.address))).toMatchObject({ status: 401 })
  await ageSession(visitor, 60)
  const old = { code: 'reauthentication_required' }
  expect(await answerOf(confirm(visitor, path, wallet.address))).toMatchObject(old)
  expect(
    await answerOf(visitor.post('/claim/7/phone', { headers: { accept: '*/*' } })),
  ).toMatchObject(old)
  expect(await walletOf(email)).toBe('')
})

const lastAccessAt = '2026-01-01T00:00:00.000Z'

it('refuses a wallet with an account as soon as the phone proves it, because others may have shown the code', async () => {
  const { email, visitor, path } = await aCode()
  const wallet = aWallet()
  const owner = await aUser({ ethereumPublicAddr: wallet.address, lastAccessAt })
  const phone = await aPhone(path)
  const { proved } = await prove(phone, wallet)
  expect(proved).toMatchObject({
    status: 409,
    code: 'wallet_has_account',
    error:
      'this wallet already has an account: open the link from the mail on the phone with this wallet, and sign in with the wallet there',
  })
  const advice =
    'This wallet already has an account Open the link from the mail about your order on the phone with this wallet, and sign in with the wallet there.'
  const onPhone = await pageOf(phone.get('/phone/wallet'))
  expect(onPhone.text).toContain(advice)
  // Another wallet of the phone may be used.
  expect(onPhone.html).toContain('id="wallets"')
  const shown = await pageOf(visitor.get(path))
  expect(shown.html).toContain('data-state="taken"')
  expect(shown.text).toContain(`${advice} Show a new code Back`)
  expect(shown.html).toContain('<a class="button" href="/claim/7">Back</a>')
  visitor.cookies.set('language', 'de')
  expect((await pageOf(visitor.get(path))).text).toContain(
    'Diese Wallet hat schon ein Konto Öffnen Sie den Link aus',
  )
  await prove(phone)
  expect(await htmlAt(visitor, path)).toContain('data-state="proved"')
  expect(await walletOf(email)).toBe('')
  expect(await findRow(users, owner.id)).toMatchObject({ email: '' })
})

it('leads from the confirmation back to the code if the wallet has got an account meanwhile', async () => {
  const { email, visitor, path } = await aCode()
  const { wallet, proved } = await prove(await aPhone(path))
  expect(proved).toEqual({ status: 200 })
  await aUser({ ethereumPublicAddr: wallet.address, lastAccessAt })
  expect(await locationOf(confirm(visitor, path, wallet.address))).toBe(path)
  expect(await htmlAt(visitor, path)).toContain('data-state="taken"')
  expect(await walletOf(email)).toBe('')
})

it('links a wallet of which an order has made a guest', async () => {
  const { email, visitor, path } = await aCode()
  const wallet = aWallet()
  await aUser({ ethereumPublicAddr: wallet.address, walletChainId: CHAIN_ID, lastAccessAt: null })
  expect((await prove(await aPhone(path), wallet)).proved).toEqual({ status: 200 })
  await confirm(visitor, path, wallet.address)
  expect(await walletOf(email)).toBe(wallet.address)
})

it('accepts no message that was signed for the account of somebody else, or without a code', async () => {
  const { path } = await aCode()
  const wallet = aWallet()
  const first = await prove(await aPhone(path), wallet)
  const victim = aVisitor()
  await signInByEmail(victim, `z${anEmail()}`)
  const phone = await aPhone(await newCode(victim))
  const { message } = first
  const signature = await wallet.signMessage({ message })
  const reused = answerOf(phone.postJson('/phone/wallet', { message, signature }))
  expect(await reused).toMatchObject({ status: 401 })
  expect((await prove(aVisitor())).asked).toMatchObject({ status: 410 })
})
