import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { addressColumns } from '../../src/addresses/schema.ts'
import { shownColumns } from '../../src/db/columns.ts'
import { listingColumns, nftColumns } from '../../src/orders/nft.ts'
import { itemColumns, orderColumns } from '../../src/orders/order.ts'
import { buyerColumns } from '../../src/orders/viewer.ts'
import { documentedFields } from '../support/document.ts'

it('selects the columns with these names, and no others', () => {
  const table = sqliteTable('table', { id: integer(), name: text(), secret: text() })
  expect(shownColumns(table, z.object({ id: z.int(), name: z.string() }))).toEqual({
    id: table.id,
    name: table.name,
  })
})

it.each([
  [['Order'], orderColumns],
  [['Buyer'], buyerColumns],
  [['OrderItem'], itemColumns],
  [['Nft'], nftColumns],
  [['Listing'], listingColumns],
  [['DeliveryAddress', 'BillingAddress'], addressColumns],
])('selects no column that is not a documented field: %s', (components, columns) => {
  const documented = components.flatMap(documentedFields)
  expect(Object.keys(columns).filter((name) => !documented.includes(name))).toEqual([])
})
