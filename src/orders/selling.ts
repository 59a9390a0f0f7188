/** What a user sells, and whether it may be delivered. */
import { sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { readAccount, readAsUser } from '../auth/session.ts'
import { raw } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import {
  type PermissionState,
  readPermissions,
  type SoldContract,
} from '../delivery/permissions.ts'
import { type WakeUp, wake } from '../delivery/wake.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'

/** Listings, and so contracts, on one page. */
const PAGE_SIZE = 20

/** The newest orders of a seller, of which sold and waiting pieces are counted. */
export const COUNTED_ORDERS = 500

export type SellingListing = SoldContract & {
  id: number
  contractName: string
  title: string
  /** In minor units of the currency (ISO 4217). */
  priceCents: number
  priceCurrency: string
  isActive: 0 | 1
  /** Pieces left; null for no limit. */
  available: number | null
}

/** Of the newest orders of a listing. */
type Sales = SoldContract & {
  id: number
  contractName: string
  orders: number
  /** Pieces. */
  sold: number
  waiting: number
  /** Orders that wait for a permission, and when the first is tried next. */
  blocked: number
  nextAt: string | null
}

export type SellingContract = SoldContract &
  Pick<Sales, 'contractName' | 'blocked' | 'nextAt'> & { state: PermissionState }

const contractColumns = sql`n.contractNetwork AS network, n.contractAddr AS contract,
  n.contractName, n.fulfilment`

type Page = { userId: number; before: number; now: string }

const selectListings = prepared((db, { userId, before, now }: Placeholders<Page>) =>
  db.all<SellingListing>(sql`SELECT l.id, n.title, l.priceCents, l.priceCurrency, ${contractColumns},
      l.active AND coalesce(l.activeTill > ${now}, 1) AS isActive,
      iif(n.amountType IS 'unlimited', NULL, n.availableAmount) AS available
    FROM listings l JOIN nfts n ON n.id = l.nftId
    WHERE l.sellerId = ${userId} AND l.id < ${before} ORDER BY l.id DESC LIMIT ${PAGE_SIZE + 1}`),
)

/** Items that wait for what the page lets a seller do. */
const isBlocked = sql`d.state = 'queued'
  AND d.reasonCode = iif(n.fulfilment = 'mint', 'minter_role_missing', 'holder_not_approved')`

const newestItems = (userId: Placeholders<Page>['userId'] | number) => sql`(SELECT * FROM orderItems
    WHERE sellerId = ${userId} ORDER BY orderId DESC LIMIT ${COUNTED_ORDERS}) i
  CROSS JOIN deliveries d ON d.id = i.id CROSS JOIN nfts n ON n.id = i.nftId`

const selectSales = prepared((db, { userId }: Placeholders<Pick<Page, 'userId'>>) =>
  db.all<Sales>(sql`SELECT i.listingId AS id, ${contractColumns}, count(*) AS orders,
      sum(iif(d.state IN ('cancelled', 'written_off'), 0, i.quantity)) AS sold,
      sum(iif(d.state = 'awaiting_wallet' OR d.state = 'queued' AND d.reasonCode IS NOT NULL,
        i.quantity, 0)) AS waiting,
      sum(${isBlocked}) AS blocked, min(iif(${isBlocked}, d.dueAt, NULL)) AS nextAt
    FROM ${newestItems(userId)} GROUP BY i.listingId ORDER BY i.listingId DESC`),
)

type SellingCtx = Ctx & { settings: Pick<Settings, 'NETWORKS'> }

/**
 * Returns the signed-in user, a page of the user's listings, newest first, and the contracts of these
 * and of what waits for a permission, with their states on the chain. `before` is the `next` of the
 * page before; null begins with the newest. Throws `unauthenticated`, `forbidden`.
 */
export async function readSelling(ctx: SellingCtx, { before }: { before: number | null }) {
  const { caller, now, settings, db } = ctx
  const { userId } = caller
  const page = { userId, before: before ?? Number.MAX_SAFE_INTEGER, now: now.toISOString() }
  const [account, rows, sales] = await readAsUser(ctx, [
    selectListings(db, page),
    selectSales(db, { userId }),
  ])
  const listings = rows.slice(0, PAGE_SIZE)
  const contracts = toContracts(listings, sales)
  const states = await readPermissions(settings, account.ethereumPublicAddr, contracts)
  const salesById = new Map(sales.map((row) => [row.id, row]))
  return {
    account,
    contracts: contracts.flatMap((contract): SellingContract[] => {
      const state = states.get(contract)
      return state ? [{ ...contract, state }] : []
    }),
    listings: listings.map((listing) => {
      const { sold = 0, waiting = 0 } = salesById.get(listing.id) ?? {}
      return { ...listing, sold, waiting }
    }),
    next: rows.length > PAGE_SIZE ? (listings.at(-1)?.id ?? null) : null,
    /** Whether older orders are not counted. */
    isCapped: sales.reduce((sum, { orders }) => sum + orders, 0) === COUNTED_ORDERS,
  }
}

export type Selling = Awaited<ReturnType<typeof readSelling>>

const keyOf = ({ network, contract, fulfilment }: SoldContract) =>
  [network, contract, fulfilment].join()

/** Those with waiting orders first. */
function toContracts(listings: readonly SellingListing[], sales: readonly Sales[]) {
  const blocked = sales.filter((row) => row.blocked > 0)
  const all = [...blocked, ...listings.map((row) => ({ ...row, blocked: 0, nextAt: null }))]
  return [...Map.groupBy(all, keyOf).values()].slice(0, PAGE_SIZE).flatMap((rows) => {
    const [first] = rows
    if (!first) return []
    const { network, contract, fulfilment, contractName } = first
    const nextAt = rows.flatMap((row) => row.nextAt ?? []).sort()[0] ?? null
    const count = rows.reduce((sum, row) => sum + row.blocked, 0)
    return [{ network, contract, fulfilment, contractName, blocked: count, nextAt }]
  })
}

/**
 * Tries at once what the signed-in user has sold of a contract, if it waits for a permission that is
 * given by now. Returns whether it is. Throws `unauthenticated`, `forbidden`.
 */
export async function retrySold(
  ctx: SellingCtx & { queue: Queue<WakeUp> },
  sold: SoldContract,
): Promise<boolean> {
  const { db, caller, settings, queue } = ctx
  const account = await readAccount(ctx)
  const states = await readPermissions(settings, account.ethereumPublicAddr, [sold])
  if (states.get(sold)?.is !== 'allowed') return false
  const at = ctx.now.toISOString()
  const [changed] = await writeAs(
    db,
    caller,
    [],
    [
      raw<{ chainId: number }>(
        db,
        sql`UPDATE deliveries SET dueAt = ${at}, version = version + 1, updatedAt = ${at}
        WHERE id IN (SELECT d.id FROM ${newestItems(caller.userId)}
          WHERE ${isBlocked} AND d.dueAt > ${at} AND n.contractNetwork = ${sold.network}
            AND n.contractAddr = ${sold.contract} AND n.fulfilment = ${sold.fulfilment})
        RETURNING chainId`,
      ),
    ],
  )
  await wake(
    queue,
    changed.map(({ chainId }) => chainId),
  )
  return true
}
