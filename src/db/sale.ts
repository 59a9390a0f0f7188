/** Why a listing takes no orders: a rule of TypeScript for orders, and the same in SQL for lists. */
import { type SQL, sql } from 'drizzle-orm'
import type { listings, SaleObstacle } from './schema/catalogue.ts'

type Listing = Pick<
  typeof listings.$inferSelect,
  'type' | 'active' | 'activeTill' | 'obstacle' | 'untriedUntil'
>

export type ListingReason =
  | 'listing_is_auction'
  | 'listing_inactive'
  | 'listing_ended'
  | SaleObstacle
  | 'listing_not_checked'

/** Returns the first reason why a listing takes no orders at a time (ISO 8601); null if it takes them. */
export function whyNoOrders(listing: Listing, now: string): ListingReason | null {
  if (listing.type === 'auction') return 'listing_is_auction'
  if (!listing.active) return 'listing_inactive'
  if (listing.activeTill !== null && listing.activeTill <= now) return 'listing_ended'
  if (listing.obstacle !== null) return listing.obstacle
  const isUntried = listing.untriedUntil !== null && listing.untriedUntil > now
  return isUntried ? 'listing_not_checked' : null
}

/** `whyNoOrders` in SQL. `listing`: how the statement calls the row. */
export const whyNoOrdersSql = (listing: string, now: SQL | string): SQL<ListingReason | null> => {
  const row = sql.raw(listing)
  return sql`CASE WHEN ${row}.type = 'auction' THEN 'listing_is_auction'
    WHEN NOT ${row}.active THEN 'listing_inactive'
    WHEN ${row}.activeTill <= ${now} THEN 'listing_ended'
    WHEN ${row}.obstacle IS NOT NULL THEN ${row}.obstacle
    WHEN ${row}.untriedUntil > ${now} THEN 'listing_not_checked' END`
}
