/** What `npm run dev` begins with, as its buyer and its administrator see it. README.md shows both pages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rules } from '../../src/delivery/reasons.ts'
import { savePicture } from './accessibility.ts'
import { waitForText } from './browser.ts'
import { hasChromium } from './chromium.ts'
import { aMarketplace, type Marketplace, openAs } from './marketplace.ts'

const viewport = { width: 1280, height: 800 }

describe.skipIf(!hasChromium)('the demo', () => {
  let marketplace: Marketplace

  beforeAll(async () => {
    marketplace = await aMarketplace()
  })
  afterAll(() => marketplace?.close())

  it('shows its buyer orders that are delivered, on their way, cancelled and failed', async () => {
    const page = await openAs(marketplace, 'bo@example.com', { viewport })
    await page.goto('/orders')
    for (const text of ['demo-on-its-way', 'Waiting for the seller', 'Delivered', 'Not delivered'])
      await waitForText(page, text)
    await waitForText(page, 'The delivery was cancelled')
    expect(await page.locator('main li img').count()).toBeGreaterThanOrEqual(5)
    await savePicture(page, 'docs/images/orders.png')
  })

  it('shows its administrator the order that has failed', async () => {
    const page = await openAs(marketplace, 'ada@example.com', { viewport })
    await marketplace.runCron()
    await page.goto('/operations')
    await waitForText(page, 'Deliveries failed')
    await waitForText(page, new RegExp(rules.invalid_token_id.sentence, 'i'))
    await savePicture(page, 'docs/images/operations.png')
  })
})
