/** The claim of an order, from the mail to the delivery, with the test wallet of `npm run dev`. */
import type { Page } from 'playwright-core'
import { describe, expect, inject, it, vi } from 'vitest'
import { createClient } from '../../client/src/index.ts'
import { translations } from '../../scripts/build/texts.ts'
import { en } from '../../src/texts/en.ts'
import { inLong } from '../support/cases.ts'
import { instance, linkMailedBy, mailsTo } from '../support/instance/instance.ts'
import { buyerBillingData } from '../support/instance/orders.ts'
import { PATIENCE } from '../support/patience.ts'
import { expectAccessible } from './accessibility.ts'
import { open } from './browser.ts'
import { hasChromium } from './chromium.ts'

/** Sells a piece of NFT 3 to a guest, and returns the link that is mailed. */
async function sellTo(email: string, locale: string, providerId: string): Promise<string> {
  const order = { nftId: 3, listingId: 3, quantity: 1, providerId, buyerBillingData }
  await createClient(instance).placeOrders({ body: [{ ...order, buyer: { email, locale } }] })
  // A run looks at 200 events, and those of other tests may be before it.
  const runUntilMailed = () =>
    vi.waitUntil(async () => {
      await fetch(`${instance.url}/cdn-cgi/local/scheduled`)
      return mailsTo(email).includes('claim link')
    }, PATIENCE)
  return linkMailedBy(email, runUntilMailed, 'claim')
}

const textsIn = (locale: string) => translations[locale] ?? en

/** Proves the address on the page of the link, as the guest does, and comes to the wallet. */
async function confirmEmail(page: Page, email: string, locale: string) {
  const { signIn, claim } = textsIn(locale)
  const link = await linkMailedBy(email, async () => {
    await page.getByRole('button', { name: signIn.send }).click()
    await page.getByRole('button', { name: signIn.sent.sendAnother }).waitFor()
  })
  await page.goto(link)
  await page.getByRole('button', { name: signIn.title, exact: true }).click()
  await page.getByRole('heading', { name: claim.connectWallet }).waitFor()
}

const waitForDelivery = (page: Page) => page.locator('.order .done').nth(2).waitFor()
const useTestWallet = (page: Page) => page.getByRole('button', { name: 'Test wallet' }).click()

const isLong = inject('isLong')

describe.skipIf(!hasChromium)('the claim of an order in a browser', () => {
  it.each(isLong ? ['en', 'de', 'fr', 'es', 'it'] : ['de'])(
    'leads a guest from the mail to the delivery: %s',
    async (locale) => {
      const email = `claim-${locale}@example.com`
      const texts = textsIn(locale)
      const page = await open({ locale, reducedMotion: 'reduce', timezoneId: 'Asia/Tokyo' })
      await page.goto(await sellTo(email, locale, `CLAIM-${locale}`))
      await page.getByText(`CLAIM-${locale}`).waitFor()
      if (isLong) await expectAccessible(page, `claim ${locale}, the address`)
      await confirmEmail(page, email, locale)
      await page.getByText(texts.claim.noWallet).click()
      await page.getByRole('button', { name: 'Test wallet' }).waitFor()
      if (isLong) await expectAccessible(page, `claim ${locale}, the wallet`)
      await useTestWallet(page)
      const heading = texts.orders.order(`CLAIM-${locale}`).join('')
      await page.getByRole('heading', { name: heading, exact: true }).waitFor()
      // Lost if the page is loaded again.
      await page.evaluate('globalThis.isSamePage = true')
      await waitForDelivery(page)
      expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
      const time = page.locator('.order time').last()
      const at = new Date((await time.getAttribute('datetime')) ?? '')
      const inTokyo = { dateStyle: 'long', timeStyle: 'medium', timeZone: 'Asia/Tokyo' } as const
      const language = locale === 'en' ? 'en-GB' : locale
      expect(await time.getAttribute('title')).toBe(at.toLocaleString(language, inTokyo))
      // Cron may have told of the delivery already.
      const mails = mailsTo(email).filter((kind) => kind !== 'mail')
      expect(mails).toEqual(['claim link', 'sign-in link'])
      expect(mailsTo(email).length).toBeLessThanOrEqual(3)
    },
    180_000,
  )

  inLong(
    'links the wallet of a phone by a code',
    async () => {
      const email = 'claim-phone@example.com'
      const page = await open({ locale: 'en', reducedMotion: 'reduce' })
      await page.goto(await sellTo(email, 'en', 'CLAIM-PHONE'))
      await confirmEmail(page, email, 'en')
      await page.getByRole('button', { name: 'My wallet is on my phone' }).click()
      await page.getByRole('img', { name: 'Code to scan with your phone' }).waitFor()
      await expectAccessible(page, 'the code for a phone')
      const url = await page.getByLabel('Open this address on your phone').inputValue()

      const phone = await open({ hasTouch: true, isMobile: true, reducedMotion: 'reduce' })
      await phone.goto(url.trim())
      await expectAccessible(phone, 'a phone that has scanned the code')
      await phone.getByRole('button', { name: 'Go on' }).click()
      await phone.getByText('Your wallet is linked to the account c…@example.com.').waitFor()
      await phone.getByRole('button', { name: 'Test wallet' }).waitFor()
      await expectAccessible(phone, 'the wallet of a phone')
      await useTestWallet(phone)
      await phone.getByRole('heading', { name: 'Now confirm it' }).waitFor()
      await expectAccessible(phone, 'a phone that has proved its wallet')

      // The script has noticed it.
      await page.getByRole('heading', { name: 'Is this your wallet?' }).waitFor()
      await expectAccessible(page, 'the wallet to confirm')
      const shown = await page.locator('.code').textContent()
      expect(await phone.locator('.code').textContent()).toBe(shown)
      await page.getByRole('button', { name: 'Yes, link this wallet' }).click()
      await waitForDelivery(page)
      await page.getByText(String(shown)).waitFor()
    },
    180_000,
  )
})
