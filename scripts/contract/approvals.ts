/** Whether those who hold the NFTs for sale have approved the Delivery contract. */
import { and, eq, gt, isNull, ne, or, sql } from 'drizzle-orm'
import { type Address, getAddress, isAddress, parseAbi } from 'viem'
import { listings, nfts } from '../../src/db/schema/catalogue.ts'
import { users } from '../../src/db/schema/users.ts'
import type { SqliteDatabase } from '../database/remote.ts'
import type { Network } from './networks.ts'
import { attempt, isContractError, type Node } from './node.ts'

/** An account that holds NFTs of a token contract for sale. Both come from the database. */
export type Holding = { token: string; holder: string }

/** The same function in ERC-721 and ERC-1155. */
const approvalAbi = parseAbi([
  'function isApprovedForAll(address owner, address operator) view returns (bool)',
])

/** Calls at the same time. Providers limit them. */
const PARALLEL_CALLS = 5

/** Returns the holdings behind the listings of a network that can be bought. */
export function findHoldings(
  db: SqliteDatabase,
  { name, treasury }: Network,
  now: Date,
): Promise<Holding[]> {
  const holder = sql<string>`${treasury ?? users.ethereumPublicAddr}`
  return db
    .selectDistinct({ token: nfts.contractAddr, holder })
    .from(listings)
    .innerJoin(nfts, eq(nfts.id, listings.nftId))
    .innerJoin(users, eq(users.id, listings.sellerId))
    .where(
      and(
        eq(listings.active, true),
        or(isNull(listings.activeTill), gt(listings.activeTill, now.toISOString())),
        eq(nfts.contractNetwork, name),
        eq(nfts.status, 'released'),
        isNull(nfts.deletedAt),
        ne(holder, ''),
      ),
    )
    .orderBy(nfts.contractAddr)
}

/** Returns the holdings whose holder has not approved the contract. */
export async function findMissingApprovals(
  node: Node,
  delivery: Address,
  holdings: readonly Holding[],
): Promise<Holding[]> {
  const missing: Holding[] = []
  for (let i = 0; i < holdings.length; i += PARALLEL_CALLS) {
    const chunk = holdings.slice(i, i + PARALLEL_CALLS)
    const reads = Promise.all(chunk.map((holding) => isApproved(node, delivery, holding)))
    const approved = await attempt('Reading the approvals', reads)
    missing.push(...chunk.filter((_, n) => !approved[n]))
  }
  return missing
}

/** A contract without the function counts as not approved. */
async function isApproved(
  node: Node,
  delivery: Address,
  { token, holder }: Holding,
): Promise<boolean> {
  if (![token, holder].every((text) => isAddress(text, { strict: false }))) return false
  const [address, owner] = [getAddress(token), getAddress(holder)]
  const call = { address, abi: approvalAbi, functionName: 'isApprovedForAll' } as const
  try {
    return await node.readContract({ ...call, args: [owner, delivery] })
  } catch (error) {
    if (isContractError(error)) return false
    throw error
  }
}
