/** Who may see an order. */
import { type SQL, sql } from 'drizzle-orm'
import { orders } from '../db/schema/orders.ts'
import type { Viewer } from './buyer.ts'

export type ViewerValues = { userId: number; isMaster: number }

/** The values that say whose view of orders is read. */
export const viewerValues = ({ role, userId }: Viewer): ViewerValues => ({
  userId,
  isMaster: Number(role === 'master'),
})

/** Whether the viewer may see an order: with a master token, as the buyer, or as a seller. */
export const isVisibleSql = ({ userId, isMaster }: ViewerValues): SQL =>
  sql`(${isMaster} = 1 OR ${orders.buyerId} = ${userId} OR EXISTS (
    SELECT 1 FROM orderItems WHERE orderId = ${orders.id} AND sellerId = ${userId}))`
