/** What operators change on the pages of an NFT and a listing. */
import { beforeEach, describe, expect, it } from 'vitest'
import { catalogueImports, catalogueLines, listings, nfts } from '../../src/db/schema/catalogue.ts'
import { auditLog } from '../../src/db/schema/operations.ts'
import { CONTRACT } from '../catalogue/records.ts'
import { aListing, anNft, aUser, db, findRow, setRow } from '../support/makers.ts'
import { fieldsIn } from '../support/record-form.ts'
import { pageOf, type Visitor } from '../support/visitor.ts'
import { anAdministratorVisitor, read } from './operator.ts'

let visitor: Visitor

beforeEach(async () => {
  await db.delete(auditLog)
  visitor = (await anAdministratorVisitor()).visitor
})

/** Opens the page of a record, and sends its form with other values; null takes a field away. */
async function change(path: string, values: Record<string, string | null>) {
  const { html } = await read(visitor, path)
  return send(path, { ...fieldsIn(html), ...values })
}

const send = (path: string, values: Record<string, string | null>) => {
  const given = Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== null)
  return pageOf(visitor.post(path, { form: Object.fromEntries(given) }))
}

let tokens = 0

async function aSale() {
  const seller = await aUser({ externalId: crypto.randomUUID() })
  const nft = await anNft(seller, {
    ...{ title: 'Tide', amount: 10, availableAmount: 7 },
    ...{ contractAddr: CONTRACT, tokenId: String(++tokens) },
  })
  const listing = await aListing(nft, { activeTill: '2030-01-31T12:30:15.250Z' })
  return {
    nft,
    listing,
    nftPath: `/operations/nfts/${nft.id}`,
    listingPath: `/operations/listings/${listing.id}`,
  }
}

const audited = async () =>
  (await db.select().from(auditLog)).map(({ action, subject, details }) => ({
    action,
    subject,
    details,
  }))

it('changes price, pause, end, amount and shop of a listing, and nothing else', async () => {
  const { listing, listingPath } = await aSale()
  const before = await findRow(listings, listing.id)
  const changed = await change(listingPath, {
    priceCents: '12.5',
    priceEths: '0.006',
    perOrder: '2',
    active: null,
    activeTill: '2031-02-03T04:05',
    shopUrl: 'https://shop.example/{listingId}',
  })
  expect(changed).toMatchObject({ status: 303, location: `${listingPath}?notice=changed` })
  expect((await read(visitor, changed.location ?? '')).text).toContain('The listing is changed.')
  const now = await findRow(listings, listing.id)
  expect(now).toEqual({
    ...before,
    priceCents: 1250,
    priceEths: '0.006',
    priceWei: '6000000000000000',
    amount: 2,
    active: false,
    activeTill: '2031-02-03T04:05:00.000Z',
    shopUrl: 'https://shop.example/{listingId}',
    checkAt: expect.any(String),
    updatedAt: expect.any(String),
  })
  expect(await audited()).toEqual([
    {
      action: 'listing.change',
      subject: String(listing.id),
      details: {
        priceCents: '1000 → 1250',
        priceEths: '0.005 → 0.006',
        amount: 'null → 2',
        active: 'true → false',
        activeTill: '2030-01-31T12:30:15.250Z → 2031-02-03T04:05:00.000Z',
        shopUrl: 'null → https://shop.example/{listingId}',
      },
    },
  ])
  expect((await read(visitor, '/operations/audit')).text).toContain(
    `Olga changed Listing ${listing.id} · price cents: 1000 → 1250 ·`,
  )
  expect([await db.$count(catalogueImports), await db.$count(catalogueLines)]).toEqual([0, 0])
})

it('keeps the seconds of an end, and records nothing, if nothing was changed', async () => {
  const { listing, nft, listingPath, nftPath } = await aSale()
  expect((await change(listingPath, {})).status).toBe(303)
  expect((await change(nftPath, {})).status).toBe(303)
  expect(await findRow(listings, listing.id)).toMatchObject({
    activeTill: '2030-01-31T12:30:15.250Z',
    updatedAt: listing.updatedAt,
  })
  expect(await findRow(nfts, nft.id)).toMatchObject({ updatedAt: nft.updatedAt })
  expect(await audited()).toEqual([])
})

it('changes price, amount and state of an NFT, and keeps what is sold', async () => {
  const { nft, nftPath } = await aSale()
  await change(nftPath, { priceCents: '20', amount: '12', status: 'unlisted' })
  expect(await findRow(nfts, nft.id)).toMatchObject({
    price: 2000,
    amount: 12,
    availableAmount: 9,
    status: 'unlisted',
    title: 'Tide',
  })
  expect(await audited()).toEqual([
    {
      action: 'nft.change',
      subject: String(nft.id),
      details: { amount: '10 → 12', priceCents: '1000 → 2000', status: 'released → unlisted' },
    },
  ])
  const { status, text } = await change(nftPath, { amount: '2' })
  expect(status).toBe(400)
  expect(text).toContain('More pieces are sold or reserved.')
})

it('has no amount of an NFT with codes, which follows from them', async () => {
  const { nft, nftPath } = await aSale()
  await setRow(nfts, nft.id, { hasCodes: true, contentRelease: 'delivered' })
  expect((await read(visitor, nftPath)).html).not.toContain('name="amount"')
  await change(nftPath, { priceCents: '20' })
  expect(await findRow(nfts, nft.id)).toMatchObject({ price: 2000, amount: 10, availableAmount: 7 })
})

it('asks once before a price changes by much, with both', async () => {
  const { nft, listing, nftPath, listingPath } = await aSale()
  for (const path of [nftPath, listingPath]) {
    const asked = await change(path, { priceCents: '99' })
    expect(asked.status).toBe(409)
    expect(asked.text).toContain('Is €10.00 (0.005 ETH), and would be €99.00 (0.005 ETH).')
    expect(asked.text).toContain('This price is right')
    expect(await audited()).toEqual([])
    const fields = fieldsIn(asked.html)
    expect(fields).toMatchObject({ priceCents: '99' })
    expect((await send(path, { ...fields, confirm: 'on' })).status).toBe(303)
    await db.delete(auditLog)
  }
  expect(await findRow(nfts, nft.id)).toMatchObject({ price: 9900 })
  expect(await findRow(listings, listing.id)).toMatchObject({ priceCents: 9900 })
})

it('writes prices in the minor units of their currency', async () => {
  const { listing, listingPath } = await aSale()
  await setRow(listings, listing.id, { priceCurrency: 'JPY', priceCents: 1000 })
  expect((await change(listingPath, { priceCents: '12.5' })).text).toContain(
    'Must be a price as in 25.',
  )
  await change(listingPath, { priceCents: '1250' })
  expect(await findRow(listings, listing.id)).toMatchObject({ priceCents: 1250 })
})

describe('what is refused', () => {
  it.each([
    ['priceCents', '25,00', 'Must be a price as in 25.00.'],
    ['priceCents', '', 'Must be a price as in 25.00.'],
    ['priceEths', '5E-5', 'Must be a decimal number in quotes, as in "0.05".'],
    ['perOrder', '0', 'Must be a whole number of pieces.'],
    ['activeTill', 'tomorrow', 'Must be a time, as in 2026-01-31T12:00:00.000Z.'],
    ['shopUrl', 'http://shop.example', 'Must be an https URL.'],
  ])('%s %s', async (field, value, problem) => {
    const { listingPath } = await aSale()
    const { status, text } = await change(listingPath, { [field]: value })
    expect(status).toBe(400)
    expect(text).toContain(problem)
  })

  it('a page of what does not exist', async () => {
    for (const path of ['/operations/listings/999999', '/operations/nfts/999999']) {
      expect((await pageOf(visitor.get(path))).status).toBe(404)
      const form = { priceCents: '1', priceEths: '1', amount: '1', status: 'draft', shown: '{}' }
      expect((await send(path, form)).status).toBe(404)
    }
  })
})

it('is found by the id in the catalogue', async () => {
  const { nft, listing } = await aSale()
  await setRow(nfts, nft.id, { externalId: 'tide-nft' })
  await setRow(listings, listing.id, { externalId: 'tide-sale' })
  const { html } = await read(visitor, '/operations/search?q=tide-')
  expect(html).toContain(`href="/operations/nfts/${nft.id}"`)
  expect(html).toContain(`href="/operations/listings/${listing.id}"`)
})
