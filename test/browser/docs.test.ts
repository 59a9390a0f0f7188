/** The API reference in a browser. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from './chromium.ts'
import { aMarketplace, type Marketplace } from './marketplace.ts'

const { SCREENSHOTS } = process.env

describe.skipIf(!hasChromium)('the API reference', () => {
  let marketplace: Marketplace

  beforeAll(async () => {
    marketplace = await aMarketplace()
  })
  afterAll(() => marketplace?.close())

  it('places an order, without errors and without requests to other hosts', async () => {
    const page = await marketplace.open()
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('request', (request) => {
      if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(marketplace.url))
        problems.push(request.url())
    })
    await page.goto('/docs')
    await page.getByRole('button', { name: 'Authorize' }).click()
    const scheme = page.locator('.auth-container').first()
    await scheme.getByRole('textbox').fill(marketplace.masterToken)
    await scheme.getByRole('button', { name: 'Apply credentials' }).click()
    await scheme.getByRole('button', { name: 'Close' }).click()

    const operation = page.locator('#operations-Orders-postExternalOrders')
    await operation.getByRole('button').first().click()
    // The example is not edited: its ids exist in the demo catalogue.
    if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, 'docs.png') })
    await operation.getByRole('button', { name: 'Execute' }).click()
    const response = operation.locator('.live-responses-table')
    await response.waitFor()
    if (SCREENSHOTS) await response.scrollIntoViewIfNeeded()
    if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, 'docs-order.png') })
    expect(await response.locator('tbody .response-col_status').first().textContent()).toContain(
      '200',
    )
    expect(await response.locator('.highlight-code').first().textContent()).toContain('"paid"')
    expect(problems).toEqual([])
  })
})
