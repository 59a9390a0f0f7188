import { expect, it } from 'vitest'
import { readStats } from '../../src/marketplace/creators.ts'
import { call } from '../support/api.ts'
import { expectFields, fields } from '../support/fields.ts'
import { anNft, aUser, db } from '../support/makers.ts'

const DELETED_AT = '2026-02-01T00:00:00.000Z'

it('returns zeros for an empty catalogue', async () => {
  expect(await readStats({ db })).toEqual({ nfts: { total: 0, unique: 0, rare: 0, unlimited: 0 } })
})

it('counts released NFTs by amountType, and those of other types in the total', async () => {
  const creator = await aUser()
  await anNft(creator, { amountType: 'unique' })
  for (let i = 0; i < 2; i++) await anNft(creator, { amountType: 'limited' })
  for (let i = 0; i < 3; i++) await anNft(creator, { amountType: 'unlimited' })
  await anNft(creator, { payload: {} })
  await anNft(creator, { payload: { amountType: 'scarce' } })
  await anNft(creator, { amountType: 'unique', status: 'draft' })
  await anNft(creator, { amountType: 'unique', deletedAt: DELETED_AT })
  const response = await call('GET', '/api/public/stats')
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('public, max-age=60, stale-if-error=60')
  const body = await response.json<{ stats: { nfts: object } }>()
  expectFields(body.stats.nfts, fields.nftCounts)
  expect(body).toEqual({ stats: { nfts: { total: 8, unique: 1, rare: 2, unlimited: 3 } } })
})
