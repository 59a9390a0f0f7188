import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { nfts } from '../../src/db/schema/catalogue.ts'
import { toCursor } from '../../src/marketplace/query.ts'
import { BASE_URL } from '../support/api.ts'
import { aListing, anNft, aUser, db } from '../support/makers.ts'
import { lastIds, synthetic } from '../support/synthetic.ts'
import { aVisitor, pageOf } from '../support/visitor.ts'

type Values = Partial<typeof nfts.$inferInsert> & {
  amountType?: 'unique' | 'limited' | 'unlimited'
}

const open = (path: string) => pageOf(aVisitor().get(path))

const titlesIn = (html: string) =>
  [...html.matchAll(/<bdi class="title"[^>]*>(.*?)<\/bdi>/g)].map(([, title]) => title)
const linkIn = (html: string, text: string) => {
  const [, href] = new RegExp(`href="([^"]*)"[^>]*>${text}<`).exec(html) ?? []
  return href?.replaceAll('&amp;', '&')
}
const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString()

/** NFTs of a new creator, each released a day after the one before. */
async function aCreator(titles: string[], values: Values = {}, user = {}) {
  const creator = await aUser(user)
  const stored = []
  for (const [i, title] of titles.entries())
    stored.push(await anNft(creator, { title, releaseAt: day(i + 1), ...values }))
  return { creator, nfts: stored, list: `/nfts?creator=${creator.id}` }
}

/** Follows the links to the next page, and returns the titles of all. */
async function walk(path: string) {
  const titles: (string | undefined)[] = []
  for (let next: string | undefined = path; next; ) {
    const { html } = await open(next)
    titles.push(...titlesIn(html))
    next = linkIn(html, 'Next page')
  }
  return titles
}

describe('/nfts', () => {
  it('shows all released NFTs, the newest first, in pages', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `Piece ${i}`)
    const { creator, list } = await aCreator(names)
    for (const hidden of [{ status: 'draft' }, { deletedAt: day(1) }, { releaseAt: day(99_999) }])
      await anNft(creator, { title: 'Hidden', ...hidden })
    expect(await walk(list)).toEqual(names.toReversed())
    const all = await walk('/nfts')
    expect(all).not.toContain('Hidden')
    expect(all.slice(0, 30)).toEqual(names.toReversed())
    const second = linkIn((await open(list)).html, 'Next page') ?? ''
    expect(linkIn((await open(second)).html, 'First page')).toBe(list)
  })

  it('pages through NFTs that were released at the same time', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `Twin ${i}`)
    const { list } = await aCreator(names, { releaseAt: day(1) })
    expect(await walk(list)).toEqual(names.toReversed())
  })

  it('finds words of titles by their beginnings, whatever their case and accents', async () => {
    const { list } = await aCreator(['Étude No. 7', 'The étude', 'Etudes 70', 'Straße <b>', '7 Õ'])
    const found = async (q: string) => {
      const { html } = await open(`${list}&q=${encodeURIComponent(q)}`)
      return titlesIn(html)
    }
    expect(await found('et')).toEqual(['Etudes 70', 'The étude', 'Étude No. 7'])
    expect(await found(' ÉTUDE  the')).toEqual(['The étude'])
    expect(await found('STRASSE <b')).toEqual(['Straße &lt;b&gt;'])
    expect(await found('étude 7')).toEqual(['Étude No. 7'])
    expect(await found('tude')).toEqual([])
    expect(await found('%')).toEqual([])
    expect((await open(`${list}&q=+MOON`)).html).toContain('value="MOON"')
  })

  it('sorts by release, price or title, in pages, and keeps what was entered', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `Sorted ${String(i * 7 + 11).slice(-2)}`)
    const { creator, nfts: stored, list } = await aCreator(names)
    for (const [i, { id }] of stored.entries())
      await db
        .update(nfts)
        .set({ price: (i * 11) % 30 })
        .where(eq(nfts.id, id))
    const yen = await anNft(creator, { title: 'Sorted JPY', price: 1, priceCurrency: 'JPY' })
    const byTitle = [...names, yen.title].sort()
    const byPrice = [...Array.from({ length: 30 }, (_, i) => names[(i * 11) % 30]), yen.title]
    for (const path of [list, '/nfts?q=sorted']) {
      expect(await walk(`${path}&sort=title`), path).toEqual(byTitle)
      expect(await walk(`${path}&sort=price`), path).toEqual(byPrice)
    }
    const all = async (sort: string) =>
      (await walk(`/nfts?sort=${sort}`)).filter((title) => title?.startsWith('Sorted'))
    expect(await all('title')).toEqual(byTitle)
    expect(await all('price')).toEqual(byPrice)
    expect((await open(`${list}&sort=price`)).html).toContain(
      '<option value="price" selected="">Lowest price</option>',
    )
  })

  it('shows the newest of too many that have a word to sort them', async () => {
    for (const statement of synthetic({ users: 1, nfts: 1100, orders: 0 }, await lastIds(env.DB)))
      await env.DB.prepare(statement).run()
    const { html } = await open('/nfts?q=nft')
    expect(titlesIn(html).slice(0, 2)).toEqual(['NFT 1099', 'NFT 1098'])
    const second = await open(linkIn(html, 'Next page') ?? '')
    expect(titlesIn(second.html)[0]).toBe('NFT 1075')
    // The rarest word counts, however short it is.
    const ofHundreds = Array.from({ length: 10 }, (_, i) => `NFT ${999 - i}`)
    const found = titlesIn((await open('/nfts?q=nft+99')).html)
    expect(found).toEqual([...ofHundreds, 'NFT 99'])
  })

  it('selects by edition and by what is for sale', async () => {
    const { nfts: stored, list } = await aCreator(['Sold out', 'For sale', 'Ended', 'Unlisted'])
    const [soldOut, forSale, ended] = stored
    if (!soldOut || !forSale || !ended) throw new Error('there are four')
    await aListing(soldOut)
    await db.update(nfts).set({ availableAmount: 0 }).where(eq(nfts.id, soldOut.id))
    await aListing(forSale)
    await aListing(ended, { activeTill: day(2) })
    expect(titlesIn((await open(`${list}&sale=on`)).html)).toEqual(['For sale'])
    expect(titlesIn((await open(list)).html)).toHaveLength(4)
    const unique = await aCreator(['One'], { amountType: 'unique', amount: 1 })
    expect(titlesIn((await open(`${unique.list}&edition=unique`)).html)).toEqual(['One'])
    const { html } = await open(`${unique.list}&edition=unlimited`)
    expect(titlesIn(html)).toEqual([])
    expect(html).toMatch(/No NFT fits\. <a href="\/nfts">/)
  })

  it('shows no price of what is sold by auction only, and does not call it for sale', async () => {
    const { nfts: stored, list } = await aCreator(['Auction', 'Both'])
    const [auction, both] = stored
    if (!auction || !both) throw new Error('there are two')
    for (const nft of stored) await aListing(nft, { type: 'auction', priceCents: 100 })
    await aListing(both, { priceCents: 2000 })
    expect(titlesIn((await open(`${list}&sale=on`)).html)).toEqual(['Both'])
    expect((await open(list)).html.match(/By auction only/g)).toHaveLength(1)
    const { html } = await open(`/nfts/${auction.id}`)
    expect(html).toContain('By auction only')
    expect(html).toContain('Not for sale')
    expect(html).not.toContain('€')
    expect((await open(`/nfts/${both.id}`)).html.match(/€[\d.]+/g)).toEqual(['€20.00', '€20.00'])
  })

  it('finds nothing with words that are too long or cannot be read, and says so', async () => {
    await aCreator(['Long'])
    for (const q of ['x'.repeat(256), `long ${'x'.repeat(2000)}`, 'long%00']) {
      const { status, html, text } = await open(`/nfts?q=${q}`)
      expect(status).toBe(400)
      expect(titlesIn(html)).toEqual([])
      expect(text).toContain('Use at most 255 characters, which can all be read.')
      expect(text).toContain('No NFT fits. See all NFTs')
    }
  })

  it('begins at the first page if the cursor is of a list in another order', async () => {
    const { list } = await aCreator(['Moon 1', 'Moon 2'])
    const cursor = toCursor({ key: 'Zeppelin', id: 1, target: 0 }, 'newest')
    const { html } = await open(`${list}&q=moon&cursor=${cursor}`)
    expect(titlesIn(html)).toEqual(['Moon 2', 'Moon 1'])
  })
})

describe('/nfts/<id>', () => {
  const metadata = {
    description: 'First line\nsecond <b>line</b>',
    image: 'https://pictures.example.com/1.png',
    external_url: 'https://shop.example.com/nfts/1',
    attributes: [
      { trait_type: 'Colour', value: 'Red <i>' },
      { trait_type: 'Level', value: 7 },
      { trait_type: 'Hidden', value: { a: 1 } },
      { trait_type: 'Empty', value: ' ' },
      { trait_type: 'Born', value: 1_767_225_600, display_type: 'date' },
      { trait_type: 'Power', value: 5, display_type: 'boost_number' },
      { trait_type: 'Speed', value: -10, display_type: 'boost_percentage' },
      { value: true },
      'no attribute',
      null,
    ],
  }

  it('shows what is known of the NFT, and where it is sold', async () => {
    const creator = await aUser({ name: 'Cleo', username: 'cleo_page', email: 'c@example.com' })
    const seller = await aUser({ name: 'Sam Seller' })
    const nft = await anNft(creator, {
      title: 'Moon & <b>',
      contractName: 'Moons',
      payload: { amountType: 'limited', metadata },
    })
    await aListing(nft, { sellerId: seller.id, priceCents: 123_456, priceCurrency: 'USD' })
    await aListing(nft, { active: false, priceCents: 777_777 })
    const { html } = await open(`/nfts/${nft.id}`)
    for (const text of [
      '<bdi>Moon &amp; &lt;b&gt;</bdi>',
      'href="/creators/cleo_page"',
      '$1,234.56',
      'Edition of 10',
      '10 left',
      'First line\nsecond &lt;b&gt;line&lt;/b&gt;',
      'Sam Seller',
      '<dt dir="auto">Colour</dt><dd dir="auto">Red &lt;i&gt;</dd>',
      '<dt dir="auto">Level</dt><dd dir="auto">7</dd>',
      '<dt dir="auto">Born</dt><dd dir="auto">1 January 2026</dd>',
      '<dt dir="auto">Power</dt><dd dir="auto">+5</dd>',
      '<dt dir="auto">Speed</dt><dd dir="auto">-10 %</dd>',
      '<dt dir="auto">Value</dt><dd dir="auto">true</dd>',
      'Moons',
      nft.contractAddr,
      'href="https://shop.example.com/nfts/1" rel="nofollow noopener"',
      `src="/nfts/${nft.id}/art/page"`,
    ])
      expect(html).toContain(text)
    for (const text of ['7,777', 'Hidden', 'pictures.example.com', 'c@example.com'])
      expect(html).not.toContain(text)
  })

  it('tells search engines and chats what it shows', async () => {
    const creator = await aUser({ name: 'Cleo' })
    const drawn = await anNft(creator, { title: 'Drawn "1"', amount: 1, amountType: 'unique' })
    const painted = await anNft(creator, { payload: { amountType: 'limited', metadata } })
    const headOf = async ({ id }: { id: number }) =>
      /<head>.*<\/head>/s.exec((await open(`/nfts/${id}`)).html)?.[0] ?? ''
    const head = await headOf(drawn)
    for (const element of [
      '<title>Drawn &quot;1&quot; · Marketplace</title>',
      `<link rel="canonical" href="${BASE_URL}/nfts/${drawn.id}"/>`,
      '<meta property="og:site_name" content="Marketplace"/>',
      '<meta property="og:title" content="Drawn &quot;1&quot;"/>',
      '<meta property="og:description" content="Unique by Cleo"/>',
      `<meta property="og:url" content="${BASE_URL}/nfts/${drawn.id}"/>`,
      '<meta name="twitter:card" content="summary"/>',
    ])
      expect(head).toContain(element)
    expect(head).not.toContain('og:image')
    const withImage = await headOf(painted)
    const image = `${BASE_URL}/nfts/${painted.id}/art/page`
    expect(withImage).toContain(`<meta property="og:image" content="${image}"/>`)
    expect(withImage).toContain('<meta name="twitter:card" content="summary_large_image"/>')
  })

  it('describes it for search engines, whatever its texts are', async () => {
    const creator = await aUser({ name: 'Cleo' })
    const title = '</script><script>alert(1)</script>'
    const nft = await anNft(creator, { title, payload: { amountType: 'limited', metadata } })
    const seller = await aUser({ name: 'Sam', shopUrl: 'https://shop.example/{nftId}' })
    await aListing(nft, { sellerId: seller.id, priceCents: 123_450 })
    await aListing(nft, { priceCents: 2 ** 53 - 1, priceCurrency: 'JPY' })
    const { html } = await open(`/nfts/${nft.id}`)
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? []
    const offer = { '@type': 'Offer', availability: 'https://schema.org/InStock' }
    const url = `${BASE_URL}/nfts/${nft.id}`
    expect(JSON.parse(json)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'Product',
      name: title,
      description: metadata.description,
      image: `${url}/art/page`,
      url,
      brand: { '@type': 'Brand', name: 'Cleo' },
      offers: [
        {
          ...offer,
          url: `https://shop.example/${nft.id}`,
          price: '1234.50',
          priceCurrency: 'EUR',
          seller: { '@type': 'Person', name: 'Sam' },
        },
        {
          ...offer,
          url,
          price: '9007199254740991',
          priceCurrency: 'JPY',
          seller: { '@type': 'Person', name: 'Cleo' },
        },
      ],
    })
  })

  it('says of a drawn cover that there is no picture', async () => {
    const creator = await aUser()
    const drawn = await anNft(creator)
    const painted = await anNft(creator, { payload: { amountType: 'limited', metadata } })
    const label = 'role="img" aria-label="No picture"'
    const hint = 'This NFT has no picture.'
    const { html } = await open(`/nfts/${drawn.id}`)
    for (const text of [label, hint]) expect(html).toContain(text)
    const withPicture = await open(`/nfts/${painted.id}`)
    for (const text of [label, hint]) expect(withPicture.html).not.toContain(text)
    expect((await open(`/nfts?creator=${creator.id}`)).html.split(label)).toHaveLength(2)
  })

  it('is a page that is not found for an NFT that is a draft', async () => {
    const nft = await anNft(await aUser(), { title: 'Secret', status: 'draft' })
    await aListing(nft)
    const { status, html } = await open(`/nfts/${nft.id}`)
    expect(status).toBe(404)
    expect(html).toContain('Page not found')
    expect(html).not.toContain('Secret')
  })

  it('is a page that is not found for what is no id', async () => {
    for (const id of ['0', '-1', '1.5', 'x', '9'.repeat(15), '9'.repeat(16), '%00'])
      expect((await open(`/nfts/${id}`)).status, id).toBe(404)
  })

  it.each([
    ['unlimited', { amountType: 'unlimited' }, true, 'Open edition', 'For sale'],
    ['unique', { amountType: 'unique', amount: 1 }, true, 'Unique', 'For sale'],
    ['sold out', { availableAmount: 0 }, true, 'Edition of 10', 'Sold out'],
    ['without a listing', {}, false, 'Edition of 10', 'Not for sale'],
  ] as const)('says how many pieces there are: %s', async (_, values, isListed, edition, stock) => {
    const nft = await anNft(await aUser(), values)
    if (isListed) await aListing(nft)
    const { html } = await open(`/nfts/${nft.id}`)
    expect(html).toContain(`<span>${edition}</span><span>${stock}</span>`)
  })

  it('shows a listing that can be bought although many others have ended', async () => {
    const nft = await anNft(await aUser())
    for (let i = 0; i < 25; i++) await aListing(nft, { activeTill: day(2) })
    await aListing(nft, { priceCents: 5500 })
    expect((await open(`/nfts/${nft.id}`)).html).toContain('€55.00')
  })

  it('shows an NFT with any metadata', async () => {
    const creator = await aUser()
    for (const metadata of [
      { attributes: 'x', external_url: 7, description: ['x'], image: {} },
      { attributes: { trait_type: 'x' }, external_url: 'javascript:alert(1)' },
      { attributes: [[], 7, [{}]], external_url: 'https://' },
      'no object',
      null,
    ]) {
      const nft = await anNft(creator, { payload: { metadata } })
      const { status, html } = await open(`/nfts/${nft.id}`)
      expect(status).toBe(200)
      expect(html).not.toMatch(/javascript:|<img[^>]*art|Attributes/)
    }
    expect((await open('/nfts')).status).toBe(200)
  })
})

describe('/creators/<user name>', () => {
  it('shows the creator and what was released, the newest first', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `Work ${i}`)
    const user = { name: 'Cleo <b>', username: 'cleo_works', email: 'works@example.com' }
    const { creator } = await aCreator(names, {}, user)
    await anNft(creator, { title: 'Hidden', status: 'draft' })
    await aCreator(['Of another'])
    const { html } = await open('/creators/CLEO_works')
    for (const text of ['Cleo &lt;b&gt;', '@cleo_works', '30 NFTs', `src="/avatars/${creator.id}/`])
      expect(html).toContain(text)
    expect(html).not.toContain('works@example.com')
    expect(html).toContain(`<link rel="canonical" href="${BASE_URL}/creators/cleo_works"/>`)
    expect(await walk('/creators/cleo_works')).toEqual(names.toReversed())
  })

  it('is found by id if the creator has no user name', async () => {
    const { creator } = await aCreator(['Nameless'], {}, { name: null })
    const { html } = await open('/nfts')
    expect(html).toContain('Somebody without a name')
    expect(titlesIn((await open(`/creators/${creator.id}`)).html)).toEqual(['Nameless'])
  })

  it('is not found for people who have released nothing', async () => {
    const buyer = await aUser({ username: 'a_buyer' })
    const planner = await aUser({ username: 'a_planner' })
    await anNft(planner, { status: 'draft' })
    const removed = await aCreator(['A'], {}, { username: 'removed', removedAt: day(3) })
    for (const path of ['a_buyer', 'a_planner', 'removed', buyer.id, removed.creator.id, 'nobody'])
      expect((await open(`/creators/${path}`)).status).toBe(404)
    expect((await open(`/creators/${'x'.repeat(300)}`)).status).toBe(404)
  })
})
