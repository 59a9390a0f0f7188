/** Loads the demo catalogue into the database and moves it to a new chain. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { and, eq, ne, or, type SQL } from 'drizzle-orm'
import { type Address, getAddress } from 'viem'
import { batch } from '../../../src/db/batch.ts'
import type { Database } from '../../../src/db/client.ts'
import { listings, nfts } from '../../../src/db/schema/catalogue.ts'
import { contentFiles } from '../../../src/db/schema/content.ts'
import { proposals } from '../../../src/db/schema/creators.ts'
import { deliveries } from '../../../src/db/schema/delivery.ts'
import { addresses, users } from '../../../src/db/schema/users.ts'
import type { Statement } from '../../../src/db/statements.ts'
import { setWords, wordsOf } from '../../../src/db/words.ts'
import { LOCAL_CHAIN_ID } from '../chain/chain-id.ts'
import type { Collectibles } from '../chain/collectibles.ts'
import { demoCatalogue, seller } from './demo.ts'

export const isEmpty = async (db: Database): Promise<boolean> => (await db.$count(users)) === 0

/** Adds the picture of an NFT, which has its external id as name, to its metadata. */
async function withPicture(nft: typeof nfts.$inferInsert): Promise<typeof nfts.$inferInsert> {
  const { externalId, payload } = nft
  if (!payload.metadata) return nft
  const file = join(import.meta.dirname, `pictures/${externalId}.png`)
  const png = await readFile(file, 'base64')
  const metadata = { ...payload.metadata, image: `data:image/png;base64,${png}` }
  return { ...nft, payload: { ...payload, metadata } }
}

/** A value may be a subquery. */
type Row<T> = { [Column in keyof T]: T[Column] | SQL }

type Rows = {
  users: Row<typeof users.$inferInsert>[]
  addresses: Row<typeof addresses.$inferInsert>[]
  nfts: Row<typeof nfts.$inferInsert>[]
  listings: Row<typeof listings.$inferInsert>[]
}

/** Writes the rows in one transaction. One statement per row: D1 allows 100 bound values. */
export async function insertRows(db: Database, rows: Rows): Promise<void> {
  const [first, ...rest]: Statement[] = [
    ...rows.users.map((row) => db.insert(users).values(row)),
    ...rows.addresses.map((row) => db.insert(addresses).values(row)),
    ...rows.nfts.map((row) => db.insert(nfts).values(row)),
    ...rows.listings.map((row) => db.insert(listings).values(row)),
  ]
  if (first) await db.batch([first, ...rest])
  await storeWords(db)
}

async function storeWords(db: Database): Promise<void> {
  const named = await db.select().from(users)
  const titled = await db.select({ id: nfts.id, title: nfts.title }).from(nfts)
  await batch(db, {
    users: named.flatMap(({ id, name, username }) =>
      setWords(db, 'user', id, wordsOf(name, username)),
    ),
    nfts: titled.flatMap(({ id, title }) => setWords(db, 'nft', id, wordsOf(title))),
  })
}

export async function loadDemo(
  db: Database,
  bucket: R2Bucket,
  contracts: Collectibles,
): Promise<void> {
  const rows = demoCatalogue(contracts)
  await insertRows(db, { ...rows, nfts: await Promise.all(rows.nfts.map(withPicture)) })
  for (const { row, content } of rows.files) {
    await bucket.put(row.key, content, { sha256: row.sha256 })
    await db.insert(contentFiles).values(row)
  }
  await db.insert(proposals).values(rows.proposals)
}

/** Returns the contracts of the demo catalogue, or null if the database holds another one. */
export async function findContracts(db: Database): Promise<Collectibles | null> {
  const rows = await db
    .select({ id: nfts.id, address: nfts.contractAddr, creator: nfts.creatorPublicAddr })
    .from(nfts)
    .where(or(eq(nfts.id, 1), eq(nfts.id, 2)))
    .orderBy(nfts.id)
  const [unique, edition] = rows.filter(({ creator }) => creator === seller.address)
  if (!unique || !edition) return null
  return { erc721: getAddress(unique.address), erc1155: getAddress(edition.address) }
}

/**
 * Changes the catalogue to contracts on a new chain. The Worker notices itself that the blocks of
 * the old chain are gone, and delivers again.
 */
export async function moveToNewChain(
  db: Database,
  from: Collectibles,
  to: Collectibles,
  delivery: Address,
): Promise<void> {
  await db.batch([
    db.update(nfts).set({ contractAddr: to.erc721 }).where(eq(nfts.contractAddr, from.erc721)),
    db.update(nfts).set({ contractAddr: to.erc1155 }).where(eq(nfts.contractAddr, from.erc1155)),
    db
      .update(deliveries)
      .set({ contract: delivery })
      .where(and(eq(deliveries.chainId, LOCAL_CHAIN_ID), ne(deliveries.contract, delivery))),
  ])
}
