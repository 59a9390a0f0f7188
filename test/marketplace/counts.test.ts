/** The counts that triggers update, compared to counts of the NFTs. */
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { afterEach, expect, it } from 'vitest'
import { nfts } from '../../src/db/schema/catalogue.ts'
import { anNft, aUser, db } from '../support/makers.ts'

type Rows = Record<string, unknown>[]

const read = async (sql: string) => (await env.DB.prepare(sql).all()).results as Rows

const storedCounts = async () => ({
  counts: await read('SELECT * FROM nftCounts WHERE nfts <> 0 ORDER BY amountType'),
  creators: await read('SELECT * FROM creators WHERE nfts <> 0 ORDER BY userId'),
})

const actualCounts = async () => ({
  counts: await read(`
    SELECT iif(type IN ('unique', 'limited', 'unlimited'), type, 'other') AS amountType, count(*) AS nfts
    FROM (SELECT *, json_extract(payload, '$.amountType') AS type FROM nfts)
    WHERE status = 'released' AND deletedAt IS NULL GROUP BY 1 ORDER BY 1`),
  creators: await read(`
    SELECT creatorId AS userId, count(*) AS nfts, max(releaseAt) AS latestReleaseAt FROM nfts
    WHERE status = 'released' AND deletedAt IS NULL GROUP BY 1 ORDER BY 1`),
})

afterEach(async () => expect(await storedCounts()).toEqual(await actualCounts()))

const creatorRow = async ({ id }: { id: number }) => {
  const [row] = await read(`SELECT nfts, latestReleaseAt FROM creators WHERE userId = ${id}`)
  return row
}

const [SPRING, AUTUMN] = ['2026-04-01T00:00:00.000Z', '2026-10-01T00:00:00.000Z'] as const

it('counts every row of a statement that inserts, updates or deletes many', async () => {
  const creator = await aUser()
  const nft = await anNft(creator)
  const columns = Object.keys(nft).filter(
    (key) => key !== 'id' && key !== 'externalId' && key !== 'amountType',
  )
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO nfts (externalId, ${columns}) SELECT i, ${columns} FROM nfts, n WHERE nfts.id = ?`,
  )
    .bind(nft.id)
    .run()
  expect(await creatorRow(creator)).toMatchObject({ nfts: 501 })
  const ofCreator = eq(nfts.creatorId, creator.id)
  for (const values of [
    { payload: { amountType: 'unlimited' }, releaseAt: AUTUMN },
    { payload: { amountType: 'scarce' }, releaseAt: SPRING },
    { status: 'draft' },
    { status: 'released' },
    { deletedAt: AUTUMN },
    { deletedAt: null },
  ]) {
    await db.update(nfts).set(values).where(ofCreator)
    expect(await storedCounts()).toEqual(await actualCounts())
  }
  const other = await aUser()
  await db.update(nfts).set({ creatorId: other.id }).where(eq(nfts.id, nft.id))
  expect(await storedCounts()).toEqual(await actualCounts())
  // Deleting the latest of many reads as many rows as deleting one of two.
  const deleting = async () => {
    const newest = 'DELETE FROM nfts WHERE id = (SELECT max(id) FROM nfts)'
    return (await env.DB.prepare(newest).run()).meta.rows_read
  }
  const many = await deleting()
  await db.delete(nfts).where(ofCreator)
  const [first] = [await anNft(creator), await anNft(creator)]
  expect(many).toBeLessThanOrEqual((await deleting()) + 1)
  await db.delete(nfts).where(eq(nfts.id, first.id))
})

it('does not write counts when the stock changes', async () => {
  const creator = await aUser()
  const nft = await anNft(creator)
  const { meta } = await env.DB.prepare('UPDATE nfts SET availableAmount = 1 WHERE id = ?')
    .bind(nft.id)
    .run()
  expect(meta.rows_written).toBe(1)
})
