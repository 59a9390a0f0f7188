/** The demo catalogue's way into the database, and to a new chain when its own is gone. */
import { eq, inArray, or } from 'drizzle-orm'
import { getAddress } from 'viem'
import type { Database, Statement } from '../../src/db/client.ts'
import { addresses, listings, nfts, transactions, transfers, users } from '../../src/db/schema.ts'
import { type Collectibles, LOCAL_CHAIN_ID } from '../chain/collectibles.ts'
import { demoCatalogue, seller } from './demo.ts'

export const isEmpty = async (db: Database): Promise<boolean> =>
  (await db.select({ id: users.id }).from(users).limit(1)).length === 0

/** Writes the catalogue in one transaction; a statement a row, for D1 binds 100 values at most. */
export async function loadDemo(db: Database, contracts: Collectibles): Promise<void> {
  const rows = demoCatalogue(contracts)
  const [first, ...rest]: Statement[] = [
    ...rows.users.map((row) => db.insert(users).values(row)),
    ...rows.addresses.map((row) => db.insert(addresses).values(row)),
    ...rows.nfts.map((row) => db.insert(nfts).values(row)),
    ...rows.listings.map((row) => db.insert(listings).values(row)),
  ]
  if (first) await db.batch([first, ...rest])
}

/** The contracts of the demo catalogue, or null when the database holds another one. */
export async function contractsOf(db: Database): Promise<Collectibles | null> {
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
 * Points the catalogue to contracts on a new chain. What was signed for the old one can never be
 * mined, so it is forgotten, and what was on its way is queued again.
 */
export async function moveToNewChain(
  db: Database,
  from: Collectibles,
  to: Collectibles,
): Promise<void> {
  const now = new Date().toISOString()
  await db.batch([
    db.update(nfts).set({ contractAddr: to.erc721 }).where(eq(nfts.contractAddr, from.erc721)),
    db.update(nfts).set({ contractAddr: to.erc1155 }).where(eq(nfts.contractAddr, from.erc1155)),
    db.delete(transactions).where(eq(transactions.chainId, LOCAL_CHAIN_ID)),
    db
      .update(transfers)
      .set({ status: 'queued', dueAt: now, updatedAt: now })
      .where(inArray(transfers.status, ['signed', 'sent', 'mined', 'review'])),
  ])
}
