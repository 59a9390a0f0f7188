/** Rows that the statistics and the recent creators read in a large catalogue. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { readCreators, readStats } from '../../src/marketplace/creators.ts'
import { BASE_URL } from '../support/api.ts'
import { anNft, aUser } from '../support/makers.ts'
import { measured } from '../support/measured.ts'

/** Inserts `count` copies of a row with one statement. `overrides` are SQL by column. */
async function multiply(
  table: string,
  id: number,
  count: number,
  overrides: Record<string, string>,
) {
  const { results } = await env.DB.prepare(`SELECT * FROM ${table} WHERE id = ?`).bind(id).all()
  const columns = Object.keys(results[0] ?? {}).filter(
    (name) => !['id', 'amountType'].includes(name),
  )
  const unique: Record<string, string> = { externalId: "externalId || '-' || i" }
  const values = columns.map((name) => overrides[name] ?? unique[name] ?? name)
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    INSERT INTO ${table} (${columns}) SELECT ${values} FROM ${table}, n WHERE ${table}.id = ?`,
  )
    .bind(count, id)
    .run()
}

/** Returns the rows that each of the two queries reads. */
async function rowsRead() {
  const { database, trips } = measured(env.DB)
  const ctx = { db: connect(database), settings: { PUBLIC_URL: BASE_URL } }
  const { nfts } = await readStats(ctx)
  const { creators } = await readCreators(ctx, { limit: 5 })
  expect(creators).toHaveLength(5)
  expect(trips).toHaveLength(2)
  return { total: nfts.total, rows: trips.map((trip) => trip.rowsRead) }
}

it('reads as many rows with 100,000 NFTs of 1,000 creators as with 10', async () => {
  const amountTypes = ['unique', 'limited', 'unlimited', 'scarce']
  for (let i = 0; i < 10; i++)
    await anNft(await aUser(), { payload: { amountType: amountTypes[i % amountTypes.length] } })
  const small = await rowsRead()
  expect(small.total).toBe(10)

  const creator = await aUser()
  const nft = await anNft(creator)
  await multiply('users', creator.id, 989, {
    ethereumPublicAddr: `printf('0xbb%038x', i)`,
    identityHash: `printf('%064x', i)`,
  })
  await multiply('nfts', nft.id, 99_989, {
    creatorId: `${creator.id} + i % 990`,
    releaseAt: `strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', '+' || i || ' minutes')`,
    payload: `json_object('amountType', iif(i % 3, 'limited', 'unique'))`,
  })
  const large = await rowsRead()
  expect(large).toEqual({ total: 100_000, rows: small.rows })
  expect(large.rows).toEqual([4, 14])
})

it('reads as many rows to delete the latest of 100,000 NFTs of a creator as of 2', async () => {
  const creator = await aUser()
  const nft = await anNft(creator)
  const rowsReadByDelete = async (id: number) => {
    const { meta } = await env.DB.prepare('DELETE FROM nfts WHERE id = ?').bind(id).run()
    return meta.rows_read
  }
  const few = await rowsReadByDelete((await anNft(creator)).id)
  await multiply('nfts', nft.id, 100_000, {
    releaseAt: `strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', '+' || i || ' minutes')`,
  })
  const last = await env.DB.prepare('SELECT max(id) AS id FROM nfts').first<{ id: number }>()
  expect(await rowsReadByDelete(last?.id ?? 0)).toBe(few)
})
