/** An operator in a browser: from a spreadsheet with two mistakes to 20 NFTs on sale. */

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PATIENCE } from '../support/patience.ts'
import { expectAccessible } from './accessibility.ts'
import { hasChromium } from './chromium.ts'
import { aMarketplace, type Marketplace, signInByMail } from './marketplace.ts'

const seen = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

describe.skipIf(!hasChromium)('an operator with a spreadsheet', () => {
  let marketplace: Marketplace

  beforeAll(async () => {
    marketplace = await aMarketplace()
  })
  afterAll(() => marketplace?.close())

  const numbers = Array.from({ length: 20 }, (_, i) => i + 1)

  const callApi = async <T>(path: string) =>
    (await fetch(marketplace.url + path)).json() as Promise<T>

  /** A file as Excel writes it, of tokens of a contract that are minted on delivery. */
  function aSheet(contract: string, tokenId: (n: number) => string, price: (n: number) => string) {
    const rows = [
      'type;id;email;creator;seller;nft;network;contract;contractName;tokenId;amountType;amount;fulfilment;priceCents;priceEths;priceCurrency;metadata.name;metadata.attributes',
      'user;cleo;cleo@example.com;;;;;;;;;;;;;;;',
      ...numbers.map(
        (n) =>
          `nft;tide-${n};;cleo;;;localhost;${contract};Tides;${tokenId(n)};limited;5;mint;${price(n)};0.01;EUR;Tide ${n};"[{""trait_type"":""Height"",""value"":${n}}]"`,
      ),
      ...numbers.map((n) => `listing;tide-${n}-sale;;;cleo;tide-${n};;;;;;;;2500;0.01;EUR;;`),
    ]
    return Buffer.from(`\uFEFF${rows.join('\r\n')}\r\n`, 'utf16le')
  }

  type Listed = { listings: { nft: { title: string }; sellable: boolean }[] }

  /** How many of the tides can be ordered. */
  async function countSold() {
    await marketplace.runCron()
    const { listings } = await callApi<Listed>('/api/public/listings?limit=100')
    return listings.filter(({ nft, sellable }) => sellable && /^Tide \d+$/.test(nft.title)).length
  }

  it('corrects it, imports it, and changes the price of one', async () => {
    const { nfts } = await callApi<{ nfts: { contract: string }[] }>('/api/public/nfts/3')
    const contract = nfts[0]?.contract ?? ''
    const tokenId = (n: number) => String(5000 + n)
    const page = await marketplace.open()
    await signInByMail(marketplace, page, 'ada@example.com')
    const upload = async (buffer: Buffer) => {
      await page.goto('/operations/catalogue')
      await page
        .getByLabel('File')
        .setInputFiles({ name: 'tides.csv', mimeType: 'text/csv', buffer })
      await page.getByRole('button', { name: 'Show what it changes' }).click()
    }
    await page.goto('/operations/catalogue')
    await expectAccessible(page, 'the upload of a catalogue')
    await upload(
      aSheet(
        contract,
        (n) => (n === 3 ? '1.2E+77' : tokenId(n)),
        (n) => (n === 4 ? '25,00' : '2500'),
      ),
    )
    await seen(page, 'tides.csv has 2 problems. Nothing was imported.')
    await seen(page, 'Line 5, tokenId')
    await seen(page, 'Line 6, priceCents')
    await expectAccessible(page, 'the problems of a catalogue')

    await page.getByRole('link', { name: 'Choose the corrected file' }).click()
    await upload(aSheet(contract, tokenId, () => '2500'))
    await seen(page, 'Nothing is imported yet.')
    await expectAccessible(page, 'what a catalogue would change')
    await page.getByRole('button', { name: 'Import this' }).click()
    await seen(page, 'The catalogue is imported.')
    await expect.poll(countSold, { timeout: 6 * PATIENCE, interval: 1000 }).toBe(20)

    await page.getByRole('searchbox', { name: 'Search' }).fill('tide-7-sale')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: /^Listing \d+$/ }).click()
    await expectAccessible(page, 'a listing')
    await page.getByLabel('Price of a piece in EUR').fill('250.00')
    await page.getByRole('button', { name: 'Save' }).click()
    await seen(page, 'Is €25.00 (0.01 ETH), and would be €250.00 (0.01 ETH).')
    await expectAccessible(page, 'a price that changes by much')
    await page.getByLabel('This price is right').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await seen(page, 'The listing is changed.')
    await seen(page, '€250.00')
    await page.getByRole('link', { name: /^NFT \d+$/ }).click()
    await expectAccessible(page, 'an NFT')
    await page.goto('/operations/audit')
    await seen(page, /changed Listing \d+ · price cents: 2500 → 25000/)
  }, 300_000)
})
