/** The lists of everything that is for sale: filters and pages. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import app from '../../src/app.ts'
import { answerOf, call, requestOf } from '../support/api.ts'
import { aListing, anNft, aUser } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import { NO_IDS, synthetic } from '../support/synthetic.ts'
import { type Answer, type Filter, get, pagesOf, queryOf, type Resource } from './public.ts'

const resources: Resource[] = ['listings', 'nfts']
const day = (n: number) => `2026-02-${String(n).padStart(2, '0')}T00:00:00.000Z`
const titles = ['Moon', 'moon rock', 'MOON', 'mo', 'Möbius', 'Sun', 'M', 'moo%', 'Mood']

type Stored = Awaited<ReturnType<typeof aListing>>

/** 30 NFTs with none to three listings each, of three users, changed on four days. */
async function aCatalogue() {
  const users = [await aUser(), await aUser(), await aUser()] as const
  const stored: { nft: Awaited<ReturnType<typeof anNft>>; listings: Stored[] }[] = []
  for (let i = 0; i < 30; i++) {
    const creator = users[i % 3] ?? users[0]
    const values = { title: titles[i % 9] ?? '', changedAt: day(1 + ((i * 7) % 4)) }
    const nft = await anNft(creator, { ...values, status: i % 10 === 9 ? 'draft' : 'released' })
    const listings: Stored[] = []
    for (let j = 0; j < i % 4; j++)
      listings.push(
        await aListing(nft, {
          sellerId: (users[(i + j * i) % 3] ?? users[0]).id,
          active: (i + j) % 5 !== 0,
          activeTill: (i + j) % 7 === 0 ? day(1) : null,
          updatedAt: day(1 + ((i * 3 + j) % 4)),
        }),
      )
    stored.push({ nft, listings })
  }
  return { users, stored }
}

const later = (a: string, b: string) => (a > b ? a : b)
const isActive = ({ active, activeTill }: Stored) => active && activeTill === null

/** The filters, as a reader of the documents would write them. */
function expectedIds(
  { stored }: Awaited<ReturnType<typeof aCatalogue>>,
  resource: Resource,
  { sellerId, creatorId, active, updatedSince = '', q = '' }: Filter,
): number[] {
  const begins = (title: string) =>
    title.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).startsWith(String(q).toLowerCase())
  const shown = stored.filter(
    ({ nft }) =>
      nft.status === 'released' &&
      (creatorId === undefined || nft.creatorId === creatorId) &&
      begins(nft.title),
  )
  if (resource === 'nfts')
    return shown
      .filter(
        ({ nft, listings }) =>
          (sellerId === undefined || listings.some((one) => one.sellerId === sellerId)) &&
          (active === undefined || listings.some(isActive) === active) &&
          nft.changedAt >= String(updatedSince),
      )
      .map(({ nft }) => nft.id)
  return shown.flatMap(({ nft, listings }) =>
    listings
      .filter(
        (one) =>
          (sellerId === undefined || one.sellerId === sellerId) &&
          (active === undefined || isActive(one) === active) &&
          later(one.updatedAt, nft.changedAt) >= String(updatedSince),
      )
      .map(({ id }) => id),
  )
}

/** Every combination of the values. */
const combined = (values: Record<string, (string | number | boolean | undefined)[]>): Filter[] =>
  Object.entries(values).reduce<Filter[]>(
    (filters, [name, choices]) =>
      filters.flatMap((filter) => choices.map((choice) => ({ ...filter, [name]: choice }))),
    [{}],
  )

const ascending = (a: number, b: number) => a - b

it('has what the filters select, once each, on pages of any length', async () => {
  const catalogue = await aCatalogue()
  const [first, second] = catalogue.users
  const filters = combined({
    sellerId: [undefined, first.id],
    creatorId: [undefined, second.id],
    active: [undefined, true, false],
    updatedSince: [undefined, day(3)],
    q: [undefined, 'mOO'],
  })
  for (const resource of resources)
    for (const [i, filter] of filters.entries()) {
      const name = `${resource}${queryOf(filter)}`
      const limit = 5 + (i % 3) * 4
      const pages = await pagesOf(resource, { ...filter, limit })
      const elements = pages.flat()
      const ids = elements.map(({ id }) => id).toSorted(ascending)
      expect(ids, name).toEqual(expectedIds(catalogue, resource, filter).toSorted(ascending))
      expect(Math.max(...pages.map(({ length }) => length)), name).toBeLessThanOrEqual(limit)
      if (!filter.updatedSince) continue
      const times = elements.map(({ updatedAt }) => updatedAt)
      expect(times, name).toEqual(times.toSorted())
    }
})

it.each(resources)('selects %s by whether the number of pieces is limited', async (resource) => {
  const creator = await aUser()
  for (const amountType of ['unique', 'limited', 'unlimited'] as const)
    await aListing(await anNft(creator, { title: amountType, amountType }))
  const answer = await get(resource, queryOf({ creatorId: creator.id, amountType: 'unlimited' }))
  const found = resource === 'nfts' ? answer.nfts : answer.listings?.map(({ nft }) => nft)
  expect(found?.map(({ title }) => title)).toEqual(['unlimited'])
})

it.each(['moo%', 'MÖ', 'Mö', ' '])('takes q=%s as it is', async (q) => {
  const creator = await aUser()
  const stored = []
  for (const title of titles) stored.push(await anNft(creator, { title }))
  const { nfts } = await get('nfts', queryOf({ q, creatorId: creator.id }))
  const expected = { 'moo%': ['moo%'], Mö: ['Möbius'] }[q] ?? []
  expect(nfts?.map(({ title }) => title)).toEqual(expected)
})

it('has pages of 20 by default', async () => {
  const creator = await aUser()
  for (let i = 0; i < 21; i++) await anNft(creator)
  const { nfts, nextCursor } = await get('nfts', `?creatorId=${creator.id}`)
  expect(nfts).toHaveLength(20)
  const next = queryOf({ creatorId: creator.id, cursor: nextCursor ?? '' })
  expect(await get('nfts', next)).toMatchObject({ nfts: [{}], nextCursor: null })
})

it.each(['nfts', 'listings'] as const)(
  'rejects a cursor of %s in another order',
  async (resource) => {
    const creator = await aUser()
    for (let i = 0; i < 2; i++) await aListing(await anNft(creator))
    const { nextCursor } = await get(resource, '?limit=1')
    const query = queryOf({ updatedSince: '2020-01-01T00:00:00Z', cursor: nextCursor ?? '' })
    expect(await answerOf(call('GET', `/api/public/${resource}${query}`))).toMatchObject({
      status: 400,
      error: 'cursor: is of a list with other filters',
    })
  },
)

describe('a catalogue that was imported at once, by thousands', () => {
  const at = '2026-03-01T00:00:00.000Z'
  const SIZE = 3000
  let seller = 0
  /** Has created the last NFT only. */
  let creator = 0

  beforeAll(async () => {
    for (const table of ['listings', 'nfts']) await env.DB.prepare(`DELETE FROM ${table}`).run()
    ;[seller, creator] = [(await aUser()).id, (await aUser()).id]
    for (const sql of synthetic(
      { users: 0, nfts: SIZE, orders: 0 },
      { ...NO_IDS, users: seller - 1 },
    ))
      await env.DB.prepare(sql).run()
    await env.DB.prepare('UPDATE listings SET updatedAt = ?').bind(at).run()
    await env.DB.prepare("UPDATE nfts SET changedAt = ?, releaseAt = ?, title = 'Moon'")
      .bind(at, '2026-01-01T00:00:00.000Z')
      .run()
    await env.DB.prepare('UPDATE nfts SET creatorId = ? WHERE id = ?').bind(creator, SIZE).run()
    // The listings of some NFTs are older.
    await env.DB.prepare('UPDATE listings SET updatedAt = ? WHERE id % 3 = 0').bind(day(1)).run()
  })

  const measuredGet = async (path: string) => {
    const { database, trips } = measured(env.DB)
    const bindings = { ...env, DB: database }
    const response = await app.fetch(requestOf('GET', path), bindings, createExecutionContext())
    const rowsRead = trips.reduce((sum, trip) => sum + trip.rowsRead, 0)
    return { ...(await response.json<Answer>()), rowsRead, trips: trips.length }
  }

  describe.each(resources)('%s', (resource) => {
    it.each(['updatedSince', 'q', 'sellerId'])(
      'are listed once each by %s, at the same cost for every page',
      async (name) => {
        const filters: Filter = { updatedSince: at, q: 'moon', sellerId: seller }
        const filter: Filter = { [name]: filters[name], limit: 100 }
        const ids: number[] = []
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const path = `/api/public/${resource}${queryOf({ ...filter, cursor })}`
          const answer = await measuredGet(path)
          ids.push(...(answer[resource] ?? []).map(({ id }) => id))
          cursor = answer.nextCursor
          expect(answer.trips).toBe(1)
          expect(answer.rowsRead).toBeLessThan(2000)
        }
        expect(ids).toHaveLength(SIZE)
        expect(new Set(ids).size).toBe(SIZE)
      },
    )

    it.each(['updatedSince', 'q', 'sellerId'])(
      'are found among many others by %s, on pages that may be empty',
      async (name) => {
        const filters: Filter = { updatedSince: day(1), q: 'moon', sellerId: seller }
        const filter: Filter = { [name]: filters[name], creatorId: creator }
        const pages = await pagesOf(resource, filter)
        expect(pages.length).toBeGreaterThan(2)
        expect(pages.flat()).toMatchObject([{ id: SIZE }])
        const { rowsRead } = await measuredGet(`/api/public/${resource}${queryOf(filter)}`)
        expect(rowsRead).toBeLessThan(12_000)
      },
    )
  })
})
