import { expect, it } from 'vitest'
import { aListing, anNft, aUser } from '../support/makers.ts'
import { aVisitor } from '../support/visitor.ts'

it('shows recent releases, their creators, and the numbers of NFTs', async () => {
  const cleo = await aUser({ name: 'Cleo <b>', email: 'cleo@example.com' })
  const first = await anNft(cleo, {
    title: 'First',
    amount: 1,
    price: 500,
    priceCurrency: 'JPY',
    releaseAt: '2026-02-01T00:00:00.000Z',
  })
  await aListing(first)
  await anNft(cleo, {
    title: 'Second',
    amount: 1500,
    price: 250_000,
    priceCurrency: 'USD',
    releaseAt: '2026-03-01T00:00:00.000Z',
  })
  await anNft(cleo, { title: 'Third', amountType: 'unlimited' })
  await anNft(cleo, { title: 'A draft', status: 'draft' })
  await anNft(cleo, { title: 'Deleted', deletedAt: '2026-01-02T00:00:00.000Z' })
  await anNft(cleo, { title: 'Of the future', releaseAt: '2999-01-01T00:00:00.000Z' })
  const html = await (await aVisitor().get('/')).text()
  const releases = [
    ...html.matchAll(/<li class="release">.*?<bdi class="title"[^>]*>(.*?)<\/bdi>.*?<\/li>/gs),
  ]
  expect(releases.map(([, title]) => title)).toEqual(['Second', 'First', 'Third'])
  const [second = '', inYen = '', third = ''] = releases.map(([all]) => all)
  for (const text of ['Cleo &lt;b&gt;', 'Edition of 1,500', '$2,500.00'])
    expect(second).toContain(text)
  expect(inYen).toContain('¥500<')
  expect(third).toContain('Open edition')
  expect(html).toMatch(/<dt>NFTs<\/dt><dd>4<\/dd>/)
  expect(html).toContain('4 NFTs')
  expect(html).not.toContain('cleo@example.com')
})
