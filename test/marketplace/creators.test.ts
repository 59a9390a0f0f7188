import { expect, it } from 'vitest'
import { readCreators } from '../../src/marketplace/creators.ts'
import { answerOf, BASE_URL, call } from '../support/api.ts'
import { anNft, aUser, db } from '../support/makers.ts'

const at = (day: number) => `2026-03-${String(day).padStart(2, '0')}T00:00:00.000Z`

const ctx = { db, settings: { PUBLIC_URL: BASE_URL } }

type Counts = { total: number; unique: number; rare: number; unlimited: number }
type Stats = { stats: { nfts: Counts } }

it('returns creators and statistics, without private fields', async () => {
  const creator = await aUser({
    name: 'Ada',
    username: 'ada',
    email: 'ada@example.com',
    ipAddress: '192.0.2.1',
    avatarKey: 'a/picture.jpg',
  })
  await anNft(creator, { releaseAt: at(1) })
  await anNft(creator, { releaseAt: at(2) })
  expect(await answerOf(call('GET', '/api/public/creators?limit=1'))).toEqual({
    status: 200,
    creators: [
      {
        id: creator.id,
        name: 'Ada',
        username: 'ada',
        avatarUrl: `${BASE_URL}/avatars/a/picture.jpg`,
        nfts: 2,
        latestReleaseAt: at(2),
      },
    ],
    stats: { nfts: { total: 2, unique: 0, rare: 2, unlimited: 0 } },
  })
})

it('counts released NFTs by amountType, and those of other types in the total', async () => {
  const creator = await aUser()
  const { stats: before } = await answerOf<Stats>(call('GET', '/api/public/stats'))
  for (const amountType of ['unique', 'limited', 'limited', 'unlimited'] as const)
    await anNft(creator, { amountType })
  for (const payload of [{}, { amountType: 'scarce' }]) await anNft(creator, { payload })
  await anNft(creator, { amountType: 'unique', status: 'draft' })
  await anNft(creator, { amountType: 'unique', deletedAt: at(2) })
  const { stats } = await answerOf<Stats>(call('GET', '/api/public/stats'))
  const { total, unique, rare, unlimited } = before.nfts
  const more = { total: total + 6, unique: unique + 1, rare: rare + 2, unlimited: unlimited + 1 }
  expect(stats).toEqual({ nfts: more })
})

it('sorts by latest release, then by id', async () => {
  const [early, late, first, second] = [await aUser(), await aUser(), await aUser(), await aUser()]
  await anNft(second, { releaseAt: at(11) })
  await anNft(first, { releaseAt: at(11) })
  await anNft(late, { releaseAt: at(12) })
  await anNft(early, { releaseAt: at(10) })
  await anNft(early, { releaseAt: at(9) })
  const expected = [late, first, second, early].map(({ id }) => id)
  const { creators } = await readCreators(ctx, { limit: 100 })
  expect(creators.map(({ id }) => id).filter((id) => expected.includes(id))).toEqual(expected)
})

it('omits removed users and users without a released NFT', async () => {
  const removed = await aUser({ removedAt: at(20) })
  const withdrawn = await aUser()
  await anNft(removed, { releaseAt: at(21) })
  await anNft(withdrawn, { releaseAt: at(21), deletedAt: at(22) })
  await anNft(withdrawn, { releaseAt: at(21), status: 'draft' })
  const ids = (await readCreators(ctx, { limit: 100 })).creators.map(({ id }) => id)
  expect(ids).not.toContain(removed.id)
  expect(ids).not.toContain(withdrawn.id)
})

it('returns 20 creators, or as many as ?limit= says', async () => {
  for (let i = 0; i < 21; i++) await anNft(await aUser(), { releaseAt: at(25) })
  for (const [query, count] of [
    ['', 20],
    ['?limit=3', 3],
  ] as const) {
    const { creators } = await answerOf(call('GET', `/api/public/creators${query}`))
    expect(creators).toHaveLength(count)
  }
})
