/** The API reference, as an integrator uses it. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isChromiumThere } from './chromium.ts'
import { aMarketplace, type Marketplace } from './marketplace.ts'

const { SCREENSHOTS } = process.env

describe.skipIf(!isChromiumThere)('the API reference', () => {
  let marketplace: Marketplace

  beforeAll(async () => {
    marketplace = await aMarketplace()
  })
  afterAll(() => marketplace?.close())

  it('places an order, asks no other host for anything, and breaks no policy', async () => {
    const page = await marketplace.open()
    const troubles: string[] = []
    page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()))
    page.on('pageerror', (error) => troubles.push(error.message))
    page.on('request', (request) => {
      if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(marketplace.url))
        troubles.push(request.url())
    })
    await page.goto('/docs')
    await page.getByRole('button', { name: 'Authorize' }).click()
    const scheme = page.locator('.auth-container').first()
    await scheme.getByRole('textbox').fill(marketplace.masterToken)
    await scheme.getByRole('button', { name: 'Apply credentials' }).click()
    await scheme.getByRole('button', { name: 'Close' }).click()

    const operation = page.locator('#operations-Orders-postExternalOrders')
    await operation.getByRole('button').first().click()
    // As it stands there: the example is an order that the demo catalogue can fill.
    if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, 'docs.png') })
    await operation.getByRole('button', { name: 'Execute' }).click()
    const answer = operation.locator('.live-responses-table')
    await answer.waitFor()
    if (SCREENSHOTS) await answer.scrollIntoViewIfNeeded()
    if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, 'docs-order.png') })
    expect(await answer.locator('tbody .response-col_status').first().textContent()).toContain(
      '200',
    )
    expect(await answer.locator('.highlight-code').first().textContent()).toContain('"paid"')
    expect(troubles).toEqual([])
  })
})
