import { describe, expect, it, vi } from 'vitest'
import { DEFAULT_PICTURE } from '../../src/avatars/serve.ts'
import { tellDue } from '../../src/catalogue/due.ts'
import { networks } from '../../src/db/schema/delivery.ts'
import { heldPieces } from '../../src/db/schema/orders.ts'
import { aListingRecord, anNftRecord, aUserRecord, linesOf } from '../catalogue/records.ts'
import { aShop, placed, placeError, recordWakeUps } from '../orders/shop.ts'
import { answerOf, BASE_URL, call, callWith } from '../support/api.ts'
import { stopClock } from '../support/fake-time.ts'
import { aListing, aMasterToken, anNft, aUser, db, sellUntried } from '../support/makers.ts'
import { get, listing, nft, pagesOf } from './public.ts'

recordWakeUps()

const PAST = '2026-01-01T00:00:00.000Z'
const FUTURE = '2099-01-01T00:00:00.000Z'
const secret = 'open sesame'

const avatarOf = ({ id }: { id: number }) => `${BASE_URL}/avatars/${id}/${DEFAULT_PICTURE}.jpg`

/** A listing with something in every field, private ones too. */
async function aFullListing() {
  const creator = await aUser({ name: 'Cleo', username: 'cleo', email: `${secret}@example.com` })
  const seller = await aUser({ name: 'Sam', avatarKey: '7/ab.jpg' })
  const contractAddr = '0x1111111111111111111111111111111111111111'
  const stored = await anNft(creator, {
    ...{ externalId: 'moon-1', title: 'Moon', amount: 9, contractAddr, tokenId: '17' },
    ...{ coverKey: 'moon/1 a.png', secretPhrase: secret, salesContractUrl: `https://x/${secret}` },
    payload: { amountType: 'limited', secret, metadata: { description: 'Round.', secret } },
  })
  const sale = await aListing(stored, {
    ...{ externalId: 'moon-sale', sellerId: seller.id, amount: 3, activeTill: FUTURE },
    ...{ priceCents: 2500, priceCurrency: 'EUR', priceEths: '0.0125', captureCronId: secret },
    updatedAt: '2026-02-01T00:00:00.000Z',
  })
  const shown = {
    id: stored.id,
    externalId: 'moon-1',
    title: 'Moon',
    description: 'Round.',
    imageUrl: null,
    network: 'localhost',
    contract: contractAddr,
    tokenId: '17',
    amountType: 'limited',
    listed: true,
    creator: { id: creator.id, name: 'Cleo', username: 'cleo', avatarUrl: avatarOf(creator) },
  }
  return { creator, seller, stored, sale, shown }
}

describe('everybody sees', async () => {
  const { creator, seller, stored, sale, shown } = await aFullListing()

  it('a listing, with what a shop needs to sell it', async () => {
    expect(await listing(sale)).toEqual({
      id: sale.id,
      externalId: 'moon-sale',
      nft: shown,
      seller: {
        id: seller.id,
        name: 'Sam',
        username: null,
        avatarUrl: `${BASE_URL}/avatars/7/ab.jpg`,
      },
      priceCents: 2500,
      priceCurrency: 'EUR',
      priceEths: '0.0125',
      available: 9,
      sellable: true,
      notSellableReason: null,
      maxPerOrder: 3,
      type: 'regular',
      active: true,
      activeTill: FUTURE,
      shopUrl: null,
      updatedAt: '2026-02-01T00:00:00.000Z',
    })
  })

  it('an NFT, with what is left of it', async () => {
    expect(await nft(stored)).toEqual({
      ...shown,
      available: 9,
      sellable: true,
      notSellableReason: null,
      updatedAt: PAST,
    })
  })

  it('nothing private, in lists as by id, as test/http/caching.test.ts compares for all callers', async () => {
    for (const [resource, { id }] of [
      ['listings', sale],
      ['nfts', stored],
    ] as const)
      for (const path of [`/${id}`, `?creatorId=${creator.id}`]) {
        const body = JSON.stringify((await get(resource, path))[resource])
        expect(body).toContain('Moon')
        expect(body).not.toContain(secret)
        expect(body).not.toContain(creator.ethereumPublicAddr)
      }
  })

  it('the cover, where covers are stored, otherwise the art of an image in the metadata', async () => {
    const COVERS_URL = 'https://covers.example/nfts/'
    const bindings = { COVERS_URL } as Partial<Env>
    const read = callWith(bindings, 'GET', `/api/public/nfts/${stored.id}`)
    const imageUrl = 'https://covers.example/nfts/moon/1%20a.png'
    expect(await answerOf(read)).toMatchObject({ nfts: [{ imageUrl }] })
    const image = 'ipfs://Qm'
    const painting = await anNft(await aUser(), { payload: { metadata: { image } } })
    expect((await nft(painting))?.imageUrl).toBe(`${BASE_URL}/nfts/${painting.id}/art/page`)
  })
})

it.each([
  ['of the metadata', { metadata: { description: 'A', name: 'B' }, description: 'C' }, 'A'],
  ['that is no text: null', { metadata: { description: 7 }, description: ['C'] }, null],
  ['cut to 2,000 characters', { description: '🌙'.repeat(3000) }, '🌙'.repeat(2000)],
])('shows the description %s', async (_, payload, description) => {
  const stored = await anNft(await aUser(), { payload })
  expect((await nft(stored))?.description).toBe(description)
})

it.each([
  ['a draft', { status: 'draft' }],
  ['deleted', { deletedAt: PAST }],
  ['released in the future', { releaseAt: FUTURE }],
])('hides an NFT that is %s, and its listings', async (_, values) => {
  const creator = await aUser()
  const stored = await anNft(creator, values)
  const sale = await aListing(stored)
  for (const [resource, { id }, code] of [
    ['listings', sale, 'listing_not_found'],
    ['nfts', stored, 'nft_not_found'],
  ] as const) {
    const answer = await get(resource, `/${id}`)
    expect(answer).toMatchObject({ status: 400, code })
    expect(answer.response.headers.get('cache-control')).toBe('private, no-store')
    for (const driver of [`sellerId=${creator.id}`, `creatorId=${creator.id}`])
      expect((await get(resource, `?${driver}`))[resource]).toEqual([])
  }
})

describe('what is available', () => {
  const hold = (nftId: number, quantity: number, expiresAt: string) =>
    db.insert(heldPieces).values({ nftId, quantity, expiresAt })

  it('is without the pieces in reservations, until these expire', async () => {
    const stored = await anNft(await aUser(), { amount: 10 })
    const sale = await aListing(stored)
    await hold(stored.id, 3, FUTURE)
    await hold(stored.id, 2, '2098-01-01T00:00:00.000Z')
    await hold(stored.id, 4, PAST)
    expect(await listing(sale)).toMatchObject({ available: 5, sellable: true })
    expect(await nft(stored)).toMatchObject({ available: 5, sellable: true })
    await hold(stored.id, 9, '2097-01-01T00:00:00.000Z')
    const soldOut = { available: 0, sellable: false, notSellableReason: 'sold_out' }
    expect(await listing(sale)).toMatchObject(soldOut)
    expect(await nft(stored)).toMatchObject(soldOut)
  })

  it('has no limit for an unlimited NFT', async () => {
    const stored = await anNft(await aUser(), { amountType: 'unlimited', availableAmount: 0 })
    await hold(stored.id, 3, FUTURE)
    expect(await listing(await aListing(stored))).toMatchObject({ available: null, sellable: true })
  })
})

describe('what cannot be ordered', () => {
  const inactive = { active: false, activeTill: PAST }
  const ended = { activeTill: PAST }
  const auction = { type: 'auction' } as const
  const undeliverable = { obstacle: 'token_not_transferable', untriedUntil: FUTURE } as const

  it.each([
    ['is switched off', inactive, {}, 'listing_inactive'],
    ['has ended', ended, {}, 'listing_ended'],
    ['is an auction', auction, {}, 'listing_is_auction'],
    ['cannot be delivered', undeliverable, {}, 'token_not_transferable'],
    ['was never tried', { untriedUntil: FUTURE }, {}, 'listing_not_checked'],
    ['is sold out', {}, { availableAmount: 0 }, 'sold_out'],
  ])('has the code that an order gets, if it %s', async (_, listingValues, nftValues, code) => {
    const shop = await aShop({ listing: listingValues, nft: nftValues })
    const reason = { sellable: false, notSellableReason: code }
    expect(await listing(shop.listing)).toMatchObject(reason)
    expect(await nft(shop.nft)).toMatchObject(reason)
    expect(await placeError(shop.token, [shop.input])).toMatchObject({ code })
  })

  it.each([
    ['no listing', [], 'listing_not_found'],
    ['one that has ended', [inactive, ended], 'listing_ended'],
    ['only auctions', [auction, auction], 'listing_is_auction'],
    ['one that is active', [inactive, auction, {}, ended], null],
  ])('is an NFT by its best listing: %s', async (_, sales, notSellableReason) => {
    const stored = await anNft(await aUser())
    for (const values of sales) await aListing(stored, values)
    const sellable = notSellableReason === null
    expect(await nft(stored)).toMatchObject({ sellable, notSellableReason })
  })

  it('is a piece where the relayers cannot deliver one', async () => {
    await db.insert(networks).values({ chainId: 31337, leaseUntil: '', maxPieces: 0 })
    const sale = await aListing(await anNft(await aUser()))
    const reason = { sellable: false, notSellableReason: 'quantity_above_limit', maxPerOrder: 0 }
    expect(await listing(sale)).toMatchObject(reason)
    await db.delete(networks)
  })
})

it.each([
  ['nothing', null, null, null],
  ['the listing', 5, null, 5],
  ['the relayers', null, 7, 7],
  ['the smaller of both', 5, 4, 4],
  ['its edition of 10', 10, 4000, null],
])('an order may have as many pieces as %s allows', async (_, amount, maxPieces, maxPerOrder) => {
  if (maxPieces) await db.insert(networks).values({ chainId: 31337, leaseUntil: '', maxPieces })
  const sale = await aListing(await anNft(await aUser()), { amount })
  expect(await listing(sale)).toMatchObject({ maxPerOrder })
  await db.delete(networks)
})

describe('reading by id', () => {
  it('answers in the order of the path, each once', async () => {
    const creator = await aUser()
    const stored = [
      await anNft(creator, { externalId: 'a,b 50% off/1' }),
      await anNft(creator),
      await anNft(creator, { externalId: 'plain' }),
    ] as const
    const sales = [await aListing(stored[0], { externalId: 'a,b' }), await aListing(stored[1])]
    const [first, second, third] = stored.map(({ id }) => id)
    const odd = `externalId:${encodeURIComponent('a,b 50% off/1')}`
    const path = encodeURIComponent(`${second}, ${odd},${second},${first},externalId:plain`)
    const { nfts } = await get('nfts', `/${path}`)
    expect(nfts?.map(({ id }) => id)).toEqual([second, first, third])
    const { listings } = await get('listings', `/${sales[1]?.id},externalId:a%252Cb`)
    expect(listings?.map(({ id }) => id)).toEqual([sales[1]?.id, sales[0]?.id])
  })

  it('names each that does not exist', async () => {
    const { id } = await anNft(await aUser())
    expect(await get('nfts', `/999999,${id},externalId:no,999999`)).toMatchObject({
      status: 400,
      code: 'nft_not_found',
      issues: [
        { path: 'ids[0]', code: 'nft_not_found', message: '999999 does not exist' },
        { path: 'ids[2]', code: 'nft_not_found', message: 'externalId:no does not exist' },
        { path: 'ids[3]', code: 'nft_not_found', message: '999999 does not exist' },
      ],
    })
  })
})

/** Imports records as the operator, with their creator. */
async function write(...records: object[]) {
  const body = linesOf([aUserRecord('cleo'), ...records])
  await call('POST', '/api/admin/catalogue', { token: await aMasterToken(), body })
  await sellUntried()
}

describe('updatedAt', () => {
  it('changes when an NFT sells out, not with other sales', async () => {
    const shop = await aShop({ nft: { amount: 2 } })
    await placed(shop.token, [shop.input])
    expect(await nft(shop.nft)).toMatchObject({ available: 1, updatedAt: PAST })
    const [order] = await placed(shop.token, [shop.input])
    const soldOut = { available: 0, updatedAt: order?.createdAt }
    expect(await nft(shop.nft)).toMatchObject(soldOut)
    expect(await listing(shop.listing)).toMatchObject(soldOut)
  })

  it('is the time at which the cron run has seen that a listing has ended', async () => {
    const activeTill = '2026-03-02T09:00:00.000Z'
    const { listing: sale } = await aShop({ listing: { activeTill } })
    const ended = new Date('2026-03-02T09:00:30.000Z')
    await tellDue(db, new Date('2026-03-02T08:59:30.000Z'))
    expect(await listing(sale)).toMatchObject({ updatedAt: PAST })
    await tellDue(db, ended)
    await tellDue(db, new Date('2026-03-02T09:01:30.000Z'))
    expect(await listing(sale)).toMatchObject({
      updatedAt: ended.toISOString(),
      notSellableReason: 'listing_ended',
    })
    const changes = await get('listings', '?updatedSince=2026-03-02T09:00:30Z')
    expect(changes.listings?.map(({ id }) => id)).toContain(sale.id)
  })

  it('is that of the cron run from which on it is sold although no node has told anything', async () => {
    const { listing: sale } = await aShop({ listing: { untriedUntil: '2026-03-02T09:02:00.000Z' } })
    await tellDue(db, new Date('2026-03-02T09:01:59.000Z'))
    expect(await listing(sale)).toMatchObject({ updatedAt: PAST })
    await tellDue(db, new Date('2026-03-02T09:02:00.000Z'))
    await tellDue(db, new Date('2026-03-02T09:03:00.000Z'))
    expect(await listing(sale)).toMatchObject({
      updatedAt: '2026-03-02T09:02:00.000Z',
      sellable: true,
    })
  })

  it('tells what was withdrawn after it was shown, and nothing of other drafts', async () => {
    const metadata = { name: 'Shown', description: 'Round.' }
    const draft = { status: 'draft' }
    await write(
      anNftRecord('shown', 21, { metadata }),
      aListingRecord('shown-sale', 'shown'),
      anNftRecord('hidden', 22, draft),
      aListingRecord('hidden-sale', 'hidden'),
      anNftRecord('planned', 23, { releaseAt: FUTURE }),
      aListingRecord('planned-sale', 'planned'),
    )
    const since = `?updatedSince=${new Date().toISOString()}`
    await write(
      anNftRecord('shown', 21, { metadata, ...draft }),
      anNftRecord('hidden', 22, { ...draft, priceCents: 900 }),
      anNftRecord('planned', 23, draft),
    )
    const shown = { sellable: false, notSellableReason: 'nft_not_released' }
    expect((await get('nfts', since)).nfts).toMatchObject([
      { externalId: 'shown', title: 'Shown', description: null, imageUrl: null, ...shown },
    ])
    expect((await get('listings', since)).listings).toMatchObject([
      { externalId: 'shown-sale', ...shown },
    ])
    expect((await get('listings', `${since}&active=true`)).listings).toEqual([])
    for (const other of ['', '?limit=100', '?q=Shown'])
      expect(JSON.stringify(await get('nfts', other))).not.toContain('"shown"')
    expect(await get('nfts', '/externalId:shown')).toMatchObject({ code: 'nft_not_found' })
    await write(anNftRecord('shown', 21, { metadata }))
    expect((await get('nfts', since)).nfts).toMatchObject([{ externalId: 'shown', sellable: true }])
  })

  it('tells what left the lists, but can be ordered by who knows it', async () => {
    await write(
      anNftRecord('listed', 31),
      aListingRecord('listed-sale', 'listed'),
      anNftRecord('private', 32, { status: 'unlisted' }),
      aListingRecord('private-sale', 'private'),
    )
    const since = `?updatedSince=${new Date().toISOString()}`
    await write(
      anNftRecord('listed', 31, { status: 'unlisted' }),
      anNftRecord('private', 32, { status: 'unlisted', priceCents: 900 }),
    )
    expect((await get('nfts', since)).nfts).toMatchObject([
      { externalId: 'listed', sellable: true, listed: false },
    ])
    expect((await get('listings', since)).listings).toMatchObject([
      { externalId: 'listed-sale', sellable: true, nft: { listed: false } },
    ])
    expect(JSON.stringify(await get('nfts', '?limit=100'))).not.toContain(':"listed"')
  })

  it('tells what is shown no more until a later time, and that it is back then', async () => {
    const metadata = { name: 'Later', description: 'Round.' }
    const releaseAt = new Date(Date.now() + 60 * 60_000).toISOString()
    await write(anNftRecord('later', 41, { metadata }), aListingRecord('later-sale', 'later'))
    const since = `?updatedSince=${new Date().toISOString()}`
    await write(anNftRecord('later', 41, { metadata, releaseAt }))
    const postponed = { sellable: false, notSellableReason: 'nft_not_released' }
    expect((await get('nfts', since)).nfts).toMatchObject([
      { externalId: 'later', description: null, imageUrl: null, ...postponed },
    ])
    expect((await get('listings', since)).listings).toMatchObject([
      { externalId: 'later-sale', ...postponed },
    ])
    await tellDue(db, new Date())
    const told = (await get('nfts', since)).nfts?.[0]?.updatedAt ?? ''
    expect(told < releaseAt).toBe(true)

    const released = new Date(Date.parse(releaseAt) + 60_000)
    stopClock()
    vi.setSystemTime(released)
    await tellDue(db, released)
    const back = `?updatedSince=${releaseAt}`
    const shown = { sellable: true, updatedAt: released.toISOString() }
    expect((await get('nfts', back)).nfts).toMatchObject([
      { externalId: 'later', description: 'Round.', ...shown },
    ])
    expect((await get('listings', back)).listings).toMatchObject([
      { externalId: 'later-sale', ...shown },
    ])
    await tellDue(db, new Date(released.getTime() + 60_000))
    expect((await get('nfts', back)).nfts).toMatchObject([shown])
  })

  it('is the time of the release, if that follows', async () => {
    const releaseAt = '2090-01-01T00:00:00.000Z'
    await write(
      anNftRecord('drop', 1, { amount: 1, releaseAt }),
      aListingRecord('drop-sale', 'drop'),
    )
    stopClock()
    vi.setSystemTime('2090-01-01T00:01:00Z')
    const later = { updatedSince: '2089-12-31T00:00:00Z' }
    for (const resource of ['nfts', 'listings'] as const)
      expect((await pagesOf(resource, later)).flat()).toMatchObject([{ updatedAt: releaseAt }])
  })
})
