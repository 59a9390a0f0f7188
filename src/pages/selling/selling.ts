/** What a user sells, and whether it may be delivered. */
import { sql } from 'drizzle-orm'
import { writeAs } from '../../auth/access.ts'
import { readAsUser } from '../../auth/session.ts'
import { userReference } from '../../catalogue/sql.ts'
import type { listings, nfts } from '../../db/schema/catalogue.ts'
import { prepared, raw } from '../../db/statements.ts'
import { isUnlimitedSql } from '../../db/stock.ts'
import { holderOf } from '../../delivery/holder.ts'
import { checkSales, type SellingSettings, type SoldContract } from '../../delivery/sales.ts'
import { changeDeliveries, hasIdSql } from '../../delivery/transitions.ts'
import { type WakeUp, wake } from '../../delivery/wake.ts'
import type { Ctx } from '../../http/context.ts'
import { orderLimits } from '../../limits.ts'

/** The newest orders of a seller, whose pieces are counted as sold and waiting. */
export const COUNTED_ORDERS = 500

type ListingRow = Pick<typeof listings.$inferSelect, 'id' | 'type' | 'priceCents' | 'priceCurrency'>
type NftRow = Pick<typeof nfts.$inferSelect, 'title' | 'contractName' | 'tokenId' | 'coverKey'>

type Listing = SoldContract &
  ListingRow &
  NftRow & {
    nftId: number
    heldBySeller: 0 | 1
    /** The image of its metadata. */
    image: string | null
    isActive: 0 | 1
    /** Why no orders are taken although it is active. */
    notSold: typeof listings.$inferSelect.obstacle
    available: number | null
    /** Pieces of the newest orders. */
    sold: number
    waiting: number
    /** Downloads of its files in 90 days; null unless the seller has created it, and it has files. */
    downloads: number | null
    /** When the first order is tried next that waits for a permission; null if none does. */
    nextAt: string | null
    /** Its id in the catalogue, and that of the user. */
    externalId: string
    owner: string
    /** Whether the user has created the NFT of the same id. */
    isOfOwnNft: 0 | 1
    /** 0: it is on another page, and orders wait for a permission. */
    isListed: 0 | 1
  }

const newestSold = (userId: number) => sql`(SELECT * FROM orderItems
    WHERE sellerId = ${userId} ORDER BY orderId DESC LIMIT ${COUNTED_ORDERS}) own
  CROSS JOIN deliveries d ON d.id = own.id CROSS JOIN nfts n ON n.id = own.nftId`

/** Whether a delivery waits for the permission of its contract. */
const isBlocked = sql`(d.state = 'queued' AND d.waitingSince IS NOT NULL
  AND d.reasonCode = iif(n.fulfilment = 'mint', 'minter_role_missing', 'holder_not_approved'))`

type Page = { userId: number; before: number; limit: number; now: string }

/** Selects the listings of a user below an id, and those of which orders wait for a permission. */
export const selectOwnListings = prepared((db, { userId, before, limit, now }: Page) =>
  db.all<Listing>(sql`WITH sales AS MATERIALIZED (SELECT own.listingId,
        sum(iif(d.state IN ('cancelled', 'written_off'), 0, own.quantity)) AS sold,
        sum(iif(d.state = 'awaiting_wallet' OR d.state = 'queued' AND d.waitingSince IS NOT NULL,
          own.quantity, 0)) AS waiting,
        min(iif(${isBlocked}, d.dueAt, NULL)) AS nextAt
      FROM ${newestSold(userId)} GROUP BY own.listingId),
    page AS MATERIALIZED (SELECT id FROM listings WHERE sellerId = ${userId} AND id < ${before}
      ORDER BY id DESC LIMIT ${limit})
    SELECT l.id, l.type, l.priceCents, l.priceCurrency, l.obstacle AS notSold, n.id AS nftId, n.title, n.coverKey,
      n.payload ->> '$.metadata.image' AS image, n.contractNetwork AS network,
      n.contractAddr AS contract, n.contractName, n.tokenId, n.fulfilment,
      n.heldBySeller, l.active AND coalesce(l.activeTill > ${now}, 1) AS isActive,
      iif(${isUnlimitedSql('n')}, NULL, n.availableAmount) AS available,
      iif(n.creatorId = ${userId} AND EXISTS (SELECT 1 FROM contentFiles WHERE nftId = n.id),
        (SELECT coalesce(sum(count), 0) FROM downloads WHERE nftId = n.id), NULL) AS downloads,
      l.externalId, ${sql.raw(userReference('u'))} AS owner,
      n.creatorId = ${userId} AND n.externalId = l.externalId AS isOfOwnNft,
      coalesce(s.sold, 0) AS sold, coalesce(s.waiting, 0) AS waiting, s.nextAt, l.id IN (SELECT id FROM page) AS isListed
    FROM (SELECT id FROM page UNION SELECT listingId FROM sales WHERE nextAt IS NOT NULL) c
      CROSS JOIN listings l ON l.id = c.id CROSS JOIN nfts n ON n.id = l.nftId
      CROSS JOIN users u ON u.id = l.sellerId
      LEFT JOIN sales s ON s.listingId = l.id
    ORDER BY l.id DESC`),
)

/** Milliseconds that nodes have for all that is asked. */
const TIMEOUT = 5_000

type SellingCtx = Ctx & { settings: SellingSettings }

/**
 * Returns the signed-in user, a page of the user's listings, newest first, and the contracts of these
 * and of what waits for a permission. `before` is the `next` of the page before; null begins with the
 * newest.
 */
export async function readSelling(ctx: SellingCtx, { before }: { before: number | null }) {
  const { db, caller, now, settings } = ctx
  const { account, rows } = await readAsUser(ctx, {
    rows: selectOwnListings(db, {
      userId: caller.userId,
      before: before ?? Number.MAX_SAFE_INTEGER,
      limit: orderLimits.triedContracts.max + 1,
      now: now.toISOString(),
    }),
  })
  const listed = rows.filter(({ isListed }) => isListed)
  const page = listed.slice(0, orderLimits.triedContracts.max)
  const contracts = new Map<string, Listing & { seller: string }>()
  for (const row of [...rows.filter(({ nextAt }) => nextAt), ...page]) {
    const sale = { ...row, seller: account.ethereumPublicAddr }
    const holder = holderOf(sale, settings.NETWORKS[row.network] ?? {})
    const key = `${row.network} ${row.contract} ${holder}`
    if (!contracts.has(key)) contracts.set(key, sale)
  }
  const sales = [...contracts.values()].slice(0, orderLimits.triedContracts.max)
  return {
    account,
    contracts: await checkSales(settings, sales, now, AbortSignal.timeout(TIMEOUT)),
    listings: page,
    next: listed.length > orderLimits.triedContracts.max ? (page.at(-1)?.id ?? null) : null,
  }
}

export type Selling = Omit<Awaited<ReturnType<typeof readSelling>>, 'account'>

/**
 * Tries at once what the signed-in user has sold of a contract, if it waits for a permission that is
 * given by now. Returns whether it is.
 */
export async function retrySold(
  ctx: SellingCtx & { queue: Queue<WakeUp> },
  sold: SoldContract,
): Promise<boolean> {
  const { db, caller, now, settings, queue } = ctx
  const { account, waiting } = await readAsUser(ctx, {
    waiting: raw<{ id: number; heldBySeller: 0 | 1 }>(
      db,
    )`SELECT d.id, n.heldBySeller FROM ${newestSold(caller.userId)}
      WHERE ${isBlocked} AND d.dueAt > ${now.toISOString()}
        AND n.contractNetwork = ${sold.network} AND n.contractAddr = ${sold.contract}
        AND n.fulfilment = ${sold.fulfilment}`,
  })
  const seller = account.ethereumPublicAddr
  const sale = { ...sold, seller, heldBySeller: true, tokenId: null }
  const [asked] = await checkSales(settings, [sale], now, AbortSignal.timeout(TIMEOUT))
  if (asked?.permission.is !== 'allowed') return false
  const network = settings.NETWORKS[sold.network] ?? {}
  const hasSameHolder = ({ heldBySeller }: (typeof waiting)[number]) =>
    holderOf({ ...sale, heldBySeller }, network) === holderOf(sale, network)
  const ids = waiting.filter(hasSameHolder).map(({ id }) => id)
  const { changed } = await writeAs(db, caller, [], {
    changed: changeDeliveries(db, 'look_now', hasIdSql(ids), now),
  })
  const chainIds = changed.map(({ chainId }) => chainId)
  await wake(queue, chainIds)
  return true
}
