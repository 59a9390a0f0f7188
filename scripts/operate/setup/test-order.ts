/** Places one order of something that is for sale on a testnet. */

import { and, eq, inArray, isNotNull, ne } from 'drizzle-orm'
import { createClient } from '../../../client/src/index.ts'
import type { Issuer } from '../../../src/auth/tokens.ts'
import { listings, nfts } from '../../../src/db/schema/catalogue.ts'
import { orders } from '../../../src/db/schema/orders.ts'
import { users } from '../../../src/db/schema/users.ts'
import { described } from '../../shell/instance.ts'
import { isForSale } from '../contract/for-sale.ts'
import { parseNetwork, readNetworks } from '../contract/networks.ts'
import type { SqliteDatabase } from '../database/remote.ts'
import { findAdministrator, issueToken } from '../tokens/issue.ts'
import { report, type Setup } from './report.ts'

const TOKEN_NAME = 'setup'
const ORDER_NUMBER = 'test-order'

async function listTestnets(): Promise<Set<number>> {
  // Only here, because it is 700 modules.
  const chains = await import('viem/chains')
  return new Set(
    Object.values(chains).flatMap((chain) =>
      ('testnet' in chain && chain.testnet) || chain.id === chains.anvil.id ? [chain.id] : [],
    ),
  )
}

/** The buyer is the first administrator. */
export async function placeTestOrder(
  { environment, isDryRun, advise }: Setup,
  db: SqliteDatabase,
  issuer: Issuer,
  now: Date,
): Promise<void> {
  const testnets = await listTestnets()
  const names = Object.entries(readNetworks(environment.name)).flatMap(([name, settings]) =>
    testnets.has(parseNetwork(name, settings).chainId) ? [name] : [],
  )
  if (names.length === 0)
    return report('test order', `left out: no network of ${environment.name} is a testnet`)
  const [placed] = await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.providerId, ORDER_NUMBER), eq(orders.namespace, `master:${TOKEN_NAME}`)))
  if (placed) return report('test order', `order ${placed.id}: already there`)
  const [listing] = await findListing(db, names, now)
  if (!listing)
    return advise(
      `Import an NFT of ${names.join(' or ')} with a listing (npm run import), then run this again with --test-order.`,
    )
  const buyer = await findAdministrator(db, ne(users.ethereumPublicAddr, ''))
  if (!buyer)
    return advise(
      `Sign in as the administrator and link a wallet, which receives the test order. Then run this again with --test-order.`,
    )
  if (isDryRun) return report('test order', `would buy NFT ${listing.nftId}`)
  const request = { role: 'master', scope: 'orders', name: TOKEN_NAME } as const
  const token = await issueToken(db, issuer, request, now)
  const body = [{ ...listing, quantity: 1, buyerUserId: buyer, providerId: ORDER_NUMBER }]
  const client = createClient({ url: issuer.url, token })
  const answer = await client.placeOrders({ body }).catch((error) => {
    throw described(error, issuer.url, 'Run the command again.')
  })
  report(
    'test order',
    `order ${answer.orders[0]?.id} of NFT ${listing.nftId}: placed. Follow it at ${issuer.url}/orders`,
  )
}

const findListing = (db: SqliteDatabase, networks: string[], now: Date) =>
  db
    .select({ listingId: listings.id, nftId: listings.nftId })
    .from(listings)
    .innerJoin(nfts, eq(nfts.id, listings.nftId))
    .where(
      and(
        isForSale(now),
        inArray(nfts.contractNetwork, networks),
        eq(nfts.status, 'released'),
        isNotNull(nfts.tokenId),
      ),
    )
    .orderBy(listings.id)
    .limit(1)
