/** The documentation of the API in a browser: guides, and the reference. `test/client/guides.test.ts` runs the programs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible } from './accessibility.ts'
import { hasChromium } from './chromium.ts'
import { aMarketplace, type Marketplace, openAs, signInByMail } from './marketplace.ts'

describe.skipIf(!hasChromium)('the documentation', () => {
  let marketplace: Marketplace

  beforeAll(async () => {
    marketplace = await aMarketplace()
  })
  afterAll(() => marketplace?.close())

  it('finds an operation and sends its request, without errors and other hosts', async () => {
    const page = await marketplace.open()
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('request', (request) => {
      if (!request.url().startsWith(marketplace.url)) problems.push(request.url())
    })
    await page.goto('/docs/webhooks')
    await page.getByLabel('Search the documentation').fill('IDEMPOTENCY-KEY POST externalOrders')
    await page.getByRole('link', { name: 'Place paid orders' }).click()
    await page.waitForURL('**/docs/api-orders#placeOrders')
    await page.getByLabel('Token', { exact: true }).fill(marketplace.token)
    // The example is not edited: its ids exist in the demo catalogue.
    await page.getByRole('button', { name: 'Send the request: Place paid orders' }).click()
    const output = page.locator('#placeOrders output')
    await output.getByText(/^Status 200, \d+ ms$/).waitFor()
    expect(await output.locator('pre').textContent()).toContain('"status": "paid"')

    await page.evaluate("location.hash = 'listOrders'")
    const list = page.locator('#listOrders')
    await list.getByLabel('limit').fill('1')
    await list.getByLabel('deliveryStatus').fill('nonsense')
    await list.getByRole('button', { name: 'Send' }).click()
    await list.getByText(/^Status 400,/).waitFor()
    expect(problems).toEqual([expect.stringContaining('400')])
  })

  it('finds sections and codes by keyboard, and says if there is nothing', async () => {
    const page = await marketplace.open()
    await page.goto('/docs')
    const field = page.getByLabel('Search the documentation')
    await field.fill('sold_out')
    await page.getByText('sold_out', { exact: true }).waitFor()
    await field.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/errors#sold_out')
    await field.fill('change the secret')
    await page.getByRole('link', { name: 'Change the secret Webhooks' }).waitFor()
    await field.press('Enter')
    await page.waitForURL('**/docs/webhooks#change-the-secret')
    await field.fill('nothing-has-this')
    await page.getByText('Nothing was found.').waitFor()
    await field.press('Escape')
    expect(await page.getByText('Nothing was found.').isVisible()).toBe(false)
  })

  it('has contents of the page and buttons that copy, in the runbook too', async () => {
    const page = await marketplace.open()
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto('/docs/runbook')
    const contents = page.getByRole('navigation', { name: 'On this page' })
    await contents.getByRole('link', { name: 'Signer low' }).click()
    await page.waitForURL('**/docs/runbook#signer-low')
    const copy = page.getByRole('button', { name: 'Copy this text' })
    expect(await copy.count()).toBe(await page.locator('.content pre').count())
    await copy.first().click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^export URL=/)
    await page.setViewportSize({ width: 320, height: 800 })
    await contents.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'On this page' }).click()
    await contents.getByRole('link', { name: 'Chain stalled' }).click()
    await contents.waitFor({ state: 'hidden' })
    for (const path of ['/docs', '/docs/runbook', '/docs/errors', '/docs/api-orders#placeOrders']) {
      await page.goto(path)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    }
  })

  it('gets a token by a click, and sends it with requests', async () => {
    const page = await openAs(marketplace, 'reader@example.com')
    await page.goto('/docs/api-avatars#getAvatar')
    await page.getByRole('button', { name: 'Get a token for one hour' }).click()
    await page.getByText('This token acts as you until').waitFor()
    const token = await page.getByLabel('Token', { exact: true }).inputValue()
    expect(page.url()).not.toContain(token)
    await page.getByRole('button', { name: 'Copy', exact: true }).first().click()
    await page.getByText('Copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token)

    const request = page.waitForRequest('**/profile/avatar')
    await page.locator('#getAvatar').getByRole('button', { name: 'Send' }).click()
    expect((await request).headers().authorization).toBe(`Bearer ${token}`)
    await page
      .locator('#getAvatar')
      .getByText(/^Status 200/)
      .waitFor()

    await marketplace.ageSessions()
    await page.getByRole('button', { name: 'Get a token for one hour' }).click()
    await page.waitForURL('**/sign-in/again?redirect=%2Fdocs%2Fapi-avatars%23getAvatar')
  })

  it('is accessible', async () => {
    const page = await marketplace.open({ reducedMotion: 'reduce' })
    const check = (name: string) => expectAccessible(page, `docs, ${name}`)
    await page.goto('/docs/runbook')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Contents' }).click()
    await check('navigation opened')
    await page.goto('/docs')
    await page.getByLabel('Search the documentation').fill('order')
    await page.getByText('Place paid orders').first().waitFor()
    await check('search')

    await signInByMail(marketplace, page, 'ada@example.com')
    await page.goto('/docs/api-orders#placeOrders')
    await page.getByRole('button', { name: 'Get a token for one hour' }).click()
    await page.getByText('This token acts as you until').waitFor()
    const operation = page.locator('#placeOrders')
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.getByText(/^Status/).waitFor()
    await operation.getByText('Fields of the answer').click()
    await check('operation')
    await page.setViewportSize({ width: 1280, height: 900 })
    await check('operation on a wide screen')
  }, 300_000)
})
