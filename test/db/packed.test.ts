import { eq, getTableColumns, sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { packed } from '../../src/db/packed.ts'
import { prepared } from '../../src/db/prepared.ts'
import { nfts, users } from '../../src/db/schema.ts'
import { anNft, aUser, db } from '../support/makers.ts'

const nft = packed('nft', getTableColumns(nfts))

it('gives the row of a table with more columns than a function of D1 takes arguments', async () => {
  const { id } = await anNft(await aUser(), {
    amountType: 'limited',
    title: 'A "title", with \\ and \n',
  })
  const byId = prepared(
    (on) =>
      on
        .select(nft.selection)
        .from(nfts)
        .where(eq(nfts.id, sql.placeholder('id'))),
    nft.of,
  )
  const [[row]] = await db.batch([byId(db, { id })])
  const [expected] = await db.select().from(nfts).where(eq(nfts.id, id))
  expect(Object.keys(row ?? {}).length).toBeGreaterThan(32)
  expect(row).toEqual(expected)
})

it('tells a row that is not there from one that is', async () => {
  const creator = await aUser()
  const nftOf = prepared(
    (on) =>
      on
        .select(nft.selection)
        .from(users)
        .leftJoin(nfts, eq(nfts.creatorId, users.id))
        .where(eq(users.id, sql.placeholder('id'))),
    (row) => ({ row, nft: nft.orNull(row) }),
  )
  const [[without]] = await db.batch([nftOf(db, { id: creator.id })])
  expect(without?.nft).toBeNull()
  expect(() => nft.of(without?.row ?? {})).toThrow('there is no nft in the row')
  const { id } = await anNft(creator)
  const [[found]] = await db.batch([nftOf(db, { id: creator.id })])
  expect(found?.nft?.id).toBe(id)
})
