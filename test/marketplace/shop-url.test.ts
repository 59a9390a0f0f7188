/** Where what is listed can be bought: from the catalogue to the page of the NFT. */
import { beforeEach, describe, expect, it } from 'vitest'
import { aListingRecord, anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { answerOf, call } from '../support/api.ts'
import { aMasterToken, sellUntried } from '../support/makers.ts'
import { aVisitor, pageOf } from '../support/visitor.ts'
import { get } from './public.ts'

type Imported = {
  result?: Record<string, { created: number; updated: number; unchanged: number }>
  issues?: { path: string; message: string }[]
}

const importing = async (...records: object[]) => {
  const body = linesOf(records)
  return answerOf<Imported>(
    call('POST', '/api/admin/catalogue', { token: await aMasterToken(), body }),
  )
}

const seller = (shopUrl?: string | null) => aUserRecord('cleo', { name: 'Cleo', shopUrl })
const nft = anNftRecord('moon', 1)
const listing = (fields = {}) => aListingRecord('sale a/ü?#', 'moon', fields)

/** The listing, as everybody sees it. */
async function shown() {
  const id = encodeURIComponent('sale a/ü?#')
  const { listings } = await get('listings', `/externalId:${id}`)
  if (!listings?.[0]) throw new Error('the listing is not shown')
  return listings[0]
}

beforeEach(async () => {
  await importing(seller(), nft, listing())
  await sellUntried()
})

describe('the shop of a listing', () => {
  it('is its own, with its ids in the path and the query', async () => {
    const shopUrl = 'https://Bücher.example:8443/{nftId}/{externalId}?l={listingId}&e={externalId}'
    await importing(seller('https://other.example/'), listing({ shopUrl }))
    const { id, nft: moon, shopUrl: filled } = await shown()
    const encoded = 'sale%20a%2F%C3%BC%3F%23'
    expect(filled).toBe(
      `https://xn--bcher-kva.example:8443/${moon.id}/${encoded}?l=${id}&e=${encoded}`,
    )
  })

  it('is otherwise that of its seller, and lists of changes tell a new one', async () => {
    await importing(seller('https://first.example/'))
    expect((await shown()).shopUrl).toBe('https://first.example/')
    const since = new Date().toISOString()
    const { result } = await importing(seller('https://second.example/{listingId}'))
    expect(result?.user).toEqual({ created: 0, updated: 1, unchanged: 0 })
    const { listings } = await get('listings', `?updatedSince=${since}`)
    expect(listings).toMatchObject([{ shopUrl: `https://second.example/${(await shown()).id}` }])
    const again = await importing(seller('https://second.example/{listingId}'))
    expect(again.result?.user).toEqual({ created: 0, updated: 0, unchanged: 1 })
    await importing(seller())
    expect((await shown()).shopUrl).toBeNull()
  })

  it('is not told while it cannot be bought', async () => {
    await importing(listing({ shopUrl: 'https://shop.example/', active: false }))
    expect(await shown()).toMatchObject({ sellable: false, shopUrl: null })
  })
})

it('refuses every URL that is not safe, and names the field', async () => {
  const braces = 'may have braces only in the path and the query'
  const names = 'may have only {listingId}, {nftId} and {externalId} in braces'
  const refused = {
    'http://shop.example/': 'must be an https URL',
    ' https://shop.example/': 'must be an https URL',
    'https://ada:secret@shop.example/': 'must not contain credentials',
    'https://{nftId}.example/': braces,
    'https://shop.example/{id}': names,
    'https://shop.example/#{nftId}': 'must not have a fragment',
    'https://shop.example#@evil.example/': 'must not have a fragment',
    'https://shop.example\\@evil.example/': 'must not have blanks or backslashes',
    'https://shop.example/a\n': 'must not have blanks or backslashes',
    'https://shop.example:x/': 'must be a URL',
  }
  const urls = Object.keys(refused)
  const { issues } = await importing(...urls.map((shopUrl) => listing({ shopUrl })))
  const messages = Object.values(refused)
  expect(issues?.map(({ path, message }) => [path, message])).toEqual(
    messages.map((message, i) => [`lines[${i + 1}].shopUrl`, message]),
  )
  const { issues: ofUser } = await importing(seller('http://shop.example/'))
  expect(ofUser).toMatchObject([{ path: 'lines[1].shopUrl', message: 'must be an https URL' }])
})

describe('the page of an NFT', () => {
  const open = async (env = {}) =>
    (await pageOf(aVisitor().get(`/nfts/${(await shown()).nft.id}`, { env }))).html

  it('says that no shop is known, and whom to ask', async () => {
    const text = 'The seller has not told us where it can be bought.'
    expect(await open()).toContain(text)
    expect(await open({ SUPPORT_EMAIL: 'help@example.com' })).toContain(
      `${text} <a href="mailto:help@example.com">help@example.com</a>`,
    )
  })

  it('has a button to a shop, and a link for each price', async () => {
    await importing(aUserRecord('sam', { name: 'Sam', shopUrl: 'https://аррle.example/?a=1&b=2' }))
    await importing(aListingRecord('second', 'moon', { seller: 'sam', priceCents: 2000 }))
    await sellUntried()
    const html = await open()
    const link = 'href="https://xn--le-6kc8da.example/?a=1&amp;b=2" rel="nofollow noopener"'
    expect(html).toContain(`<a class="button primary" ${link}>`)
    expect(html).toContain(`<a ${link}>`)
    expect(html.match(/Buy at <bdi>xn--le-6kc8da\.example<\/bdi>/g)).toHaveLength(2)
    // The price beside the button is that of its shop.
    expect(html).toMatch(/class="offer"><span class="price">€20\.00</)
  })
})
