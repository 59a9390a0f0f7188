/** The counts that triggers update, compared to counts of the NFTs. */
import { env } from 'cloudflare:workers'
import { eq, inArray } from 'drizzle-orm'
import fc from 'fast-check'
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

const [SPRING, SUMMER, AUTUMN] = [
  '2026-04-01T00:00:00.000Z',
  '2026-07-01T00:00:00.000Z',
  '2026-10-01T00:00:00.000Z',
] as const

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
    { deletedAt: AUTUMN },
    { deletedAt: null },
  ]) {
    await db.update(nfts).set(values).where(ofCreator)
    expect(await storedCounts()).toEqual(await actualCounts())
  }
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

it('stays correct after random changes', async () => {
  const users = [await aUser(), await aUser(), await aUser()]
  const values = fc.record({
    amountType: fc.constantFrom('unique', 'limited', 'unlimited', 'scarce', null),
    status: fc.constantFrom('released', 'released', 'draft'),
    deletedAt: fc.constantFrom(null, null, SPRING),
    releaseAt: fc.constantFrom(SPRING, SUMMER, AUTUMN),
    creator: fc.constantFrom(0, 1, 2),
  })
  const step = fc.record({
    values,
    /** Indexes of existing NFTs to change; none inserts a new NFT. */
    indexes: fc.array(fc.nat(9), { maxLength: 4 }),
    isDeletion: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const ids: number[] = []
      for (const { values, indexes, isDeletion } of steps) {
        const { amountType, creator, ...rest } = values
        const owner = users[creator]
        if (!owner) throw new Error('there is no such user')
        const row = { ...rest, creatorId: owner.id, payload: { amountType } }
        const chosen = ids.filter((_, i) => indexes.includes(i))
        if (chosen.length === 0) ids.push((await anNft(owner, row)).id)
        else if (isDeletion) await db.delete(nfts).where(inArray(nfts.id, chosen))
        else await db.update(nfts).set(row).where(inArray(nfts.id, chosen))
      }
      expect(await storedCounts()).toEqual(await actualCounts())
    }),
    { numRuns: 30, seed: 1 },
  )
})
