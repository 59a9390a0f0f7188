/**
 * Orders as the API shows them (contract, "Order", "Buyer", "Order item", "NFT", "Listing").
 * Columns carry the names of the JSON, so what is not to be shown is not selected, and the
 * schemas are read off the columns. How far an item is on its way is told by its transfer.
 */
import { type Column, getTableColumns } from 'drizzle-orm'
import * as z from 'zod'
import { listings, nfts, orderItems, orders, users } from '../db/schema.ts'
import { once } from '../http/once.ts'
import { type ItemStatus, itemStatuses } from '../transfers/shown.ts'

const { placedBy, ...orderColumns } = getTableColumns(orders)
const { amountType, ...nftColumns } = getTableColumns(nfts)
const { avatarKey, ...buyerColumns } = getTableColumns(users)

/** The columns of each table that answers show. */
export const shown = {
  order: orderColumns,
  orderItem: getTableColumns(orderItems),
  nft: nftColumns,
  listing: getTableColumns(listings),
  buyer: buyerColumns,
}

export type OrderRow = Omit<typeof orders.$inferSelect, 'placedBy'> & { failReason: string | null }
export type ItemRow = typeof orderItems.$inferSelect & {
  status: ItemStatus | null
  txId: string | null
}
export type Nft = Omit<typeof nfts.$inferSelect, 'amountType'>
export type Listing = typeof listings.$inferSelect
export type BuyerRow = Omit<typeof users.$inferSelect, 'avatarKey'>

type OrderItem = ItemRow & { nft: Nft; listing: Listing }
/** Nonces are single-use and kept elsewhere: there is none to show. */
export type Buyer = BuyerRow & { walletNonce: null }
export type PlacedOrder = OrderRow & { orderItems: OrderItem[] }
export type Order = OrderRow & { buyer: Buyer; orderItems: OrderItem[] }

export const answers = once(() => {
  const item = z
    .object({
      ...fieldsOf(shown.orderItem),
      status: z.enum(itemStatuses).nullable(),
      txId: z.string().nullable(),
      nft: z.object(fieldsOf(shown.nft)).meta({ id: 'Nft' }),
      listing: z.object(fieldsOf(shown.listing)).meta({ id: 'Listing' }),
    })
    .meta({ id: 'OrderItem' })
  const fields = {
    ...fieldsOf(shown.order),
    failReason: z.string().nullable(),
    orderItems: z.array(item),
  }
  const placed = z.object(fields).meta({ id: 'PlacedOrder' })
  const buyer = z.object({ ...fieldsOf(shown.buyer), walletNonce: z.null() }).meta({ id: 'Buyer' })
  const order = z.object({ ...fields, buyer }).meta({ id: 'Order' })
  return {
    placed: z.object({ orders: z.array(placed), error: z.null() }),
    read: z.object({ orders: z.array(order), error: z.null() }),
  }
})

function fieldsOf(columns: Record<string, Column>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [
      name,
      column.notNull ? fieldOf(column) : fieldOf(column).nullable(),
    ]),
  )
}

function fieldOf({ name, dataType, enumValues }: Column): z.ZodType {
  if (dataType === 'number') return z.int()
  if (dataType === 'boolean') return z.boolean()
  if (dataType === 'json') return z.record(z.string(), z.unknown())
  if (enumValues?.length) return z.enum(enumValues)
  if (/(At|Till)$/.test(name)) return z.iso.datetime({ precision: 3 })
  if (name === 'payprovWebhookToken') return z.uuid()
  return z.string()
}
