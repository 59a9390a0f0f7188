import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { addressColumns } from '../../src/addresses/schema.ts'
import { columnsOf } from '../../src/db/columns.ts'
import { listings, nfts, orderItems, orders, users } from '../../src/db/schema.ts'
import { BuyerFields, Listing, Nft, OrderFields, OrderItemFields } from '../../src/orders/answer.ts'
import { fields } from '../support/fields.ts'

it('selects the columns that a schema names, and no others', () => {
  const table = sqliteTable('table', { id: integer(), name: text(), secret: text() })
  const schema = z.object({ id: z.int(), name: z.string(), computed: z.boolean() })
  expect(columnsOf(table, schema)).toEqual({ id: table.id, name: table.name })
})

it.each([
  ['order', columnsOf(orders, OrderFields()), fields.order],
  ['buyer', columnsOf(users, BuyerFields()), fields.buyer],
  ['order item', columnsOf(orderItems, OrderItemFields()), fields.orderItem],
  ['NFT', columnsOf(nfts, Nft()), fields.nft],
  ['listing', columnsOf(listings, Listing()), fields.listing],
  ['delivery address', addressColumns.delivery(), fields.deliveryAddress],
  ['billing address', addressColumns.billing(), fields.billingAddress],
])('selects no column that is not a documented field: %s', (_, columns, documented) => {
  expect(Object.keys(columns).filter((name) => !documented.includes(name))).toEqual([])
})
