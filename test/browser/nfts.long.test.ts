/** The public pages in a browser, with art, and with texts that are made to break them. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from './chromium.ts'
import { aMarketplace, type Marketplace, openAs } from './marketplace.ts'

const hostile = [
  'A'.repeat(500),
  '🌙'.repeat(250),
  'مرحبا بالعالم '.repeat(20),
  '<img src=x onerror=alert(1)> & "quotes"',
  '\u202Eright to left\u202D',
  `https://example.com/${'very-long-path/'.repeat(20)}`,
]

/** The widths of the elements that a user would have to scroll to. */
const WIDTHS = '[document.documentElement.scrollWidth, document.documentElement.clientWidth]'

/** Lines of each title, by its height. */
const LINES = `[...document.querySelectorAll('.title')].map((title) =>
  Math.round(title.getBoundingClientRect().height / parseFloat(getComputedStyle(title).lineHeight)))`

describe.skipIf(!hasChromium)('the public pages', () => {
  let marketplace: Marketplace

  beforeAll(async () => {
    marketplace = await aMarketplace()
    for (const [i, title] of hostile.entries()) {
      const id = 100 + i
      const payload = {
        amountType: 'limited',
        metadata: {
          description: `${title}\n${title}`,
          image: 'https://127.0.0.1/picture.png',
          external_url: `https://${'x'.repeat(60)}.example.com/`,
          attributes: [{ trait_type: title, value: title }, { value: Number.MAX_SAFE_INTEGER }],
        },
      }
      await marketplace.change(
        `INSERT INTO users (id, provider, identityHash, name, username, createdAt, updatedAt)
         SELECT ?, 'wallet', 'hash ' || ?1, ?, ?, createdAt, updatedAt FROM users WHERE id = 2`,
        ...[String(id), title.slice(0, 255), `user${id}_${'x'.repeat(20)}`],
      )
      await marketplace.change(
        `INSERT INTO nfts (id, externalId, amount, availableAmount, creatorPublicAddr, contractAddr,
           contractName, contractNetwork, payload, price, priceEths, priceCurrency, title, creatorId,
           tokenId, status, releaseAt, createdAt, updatedAt, changedAt)
         SELECT ?1, 'hostile-' || ?1, 9007199254740991, 9007199254740991, creatorPublicAddr,
           contractAddr, ?2, contractNetwork, ?3, 9007199254740991, priceEths, priceCurrency, ?2, ?1,
           printf('%.*c', 78, '9'), status, releaseAt, createdAt, updatedAt, changedAt
         FROM nfts WHERE id = 2`,
        ...[String(id), title, JSON.stringify(payload)],
      )
      await marketplace.change(
        `INSERT INTO listings (id, externalId, priceCents, priceEths, priceWei, active, type,
           priceCurrency, sellerId, nftId, shopUrl, createdAt, updatedAt)
         SELECT ?1, 'hostile-' || ?1, 9007199254740991, priceEths, priceWei, 1, type, priceCurrency,
           ?1, ?1, ?2, createdAt, updatedAt FROM listings WHERE id = 2`,
        ...[String(id), `https://${'x'.repeat(60)}.${'y'.repeat(60)}.example.com/`],
      )
    }
  })
  afterAll(() => marketplace?.close())

  const paths = () => [
    '/',
    '/nfts',
    '/nfts?q=nothing+fits',
    `/nfts?q=${encodeURIComponent(hostile[2] ?? '')}`,
    '/nfts?creator=103&sale=on',
    '/nfts/1',
    '/creators/cleo',
    ...hostile.flatMap((_, i) => [`/nfts/${100 + i}`, `/creators/${100 + i}`]),
  ]

  it('do not scroll sideways on the smallest phone, whatever the texts are', async () => {
    const visitor = await marketplace.open({ viewport: { width: 320, height: 640 } })
    const user = await openAs(marketplace, 'collector@example.com', {
      viewport: { width: 320, height: 640 },
    })
    const walk = async (page: Page) => {
      for (const path of paths()) {
        await page.goto(path)
        const [scrolled, shown] = await page.evaluate<[number, number]>(WIDTHS)
        expect([path, scrolled]).toEqual([path, shown])
        const lines = await page.evaluate<number[]>(LINES)
        expect(Math.max(0, ...lines), path).toBeLessThanOrEqual(2)
      }
    }
    await walk(visitor)
    await walk(user)
  })

  it('show the drawing as it is where the art cannot be had', async () => {
    const page = await marketplace.open()
    await page.goto('/nfts/1')
    await expect
      .poll(() => page.evaluate<number>("document.querySelector('.whole > img')?.naturalWidth"))
      .toBeGreaterThan(1)
    // Its image is at a private address.
    await page.goto('/nfts/100')
    await page.locator('.whole > svg').waitFor()
    await page.locator('.whole > img').waitFor({ state: 'detached' })
  })
})
