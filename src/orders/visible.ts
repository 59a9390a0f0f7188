/** Who may see an order. */
import { type SQL, sql } from 'drizzle-orm'
import { actsForAll, namespaceOf } from '../auth/access.ts'
import { orders } from '../db/schema/orders.ts'
import { personOf, type Viewer } from './buyer.ts'

export type ViewerValues = {
  /** Null for a token that is for the orders of one shop. */
  userId: number | null
  isMaster: number
  /** Id of a token that is for the orders of one shop: those of its namespace. */
  shopToken: string | null
}

/** The values that say whose view of orders is read. */
export const viewerValues = (viewer: Viewer): ViewerValues => ({
  userId: personOf(viewer),
  isMaster: Number(actsForAll(viewer)),
  shopToken: viewer.scope === 'orders' ? viewer.tokenId : null,
})

/** Whether the viewer may see an order: as a master token, as its shop, as the buyer, or as a seller. */
export const isVisibleSql = ({ userId, isMaster, shopToken }: ViewerValues): SQL =>
  sql`(${isMaster} = 1 OR ${orders.namespace} = ${namespaceOf(shopToken)}
    OR ${orders.buyerId} = ${userId} OR EXISTS (
    SELECT 1 FROM orderItems WHERE orderId = ${orders.id} AND sellerId = ${userId}))`
