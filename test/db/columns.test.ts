import { expect, it } from 'vitest'
import { addressColumns } from '../../src/addresses/schema.ts'
import { listingColumns, nftColumns } from '../../src/orders/reading/nft.ts'
import { orderColumns, orderItemColumns } from '../../src/orders/reading/order.ts'
import { buyerColumns } from '../../src/orders/reading/viewer.ts'
import { documentedFields } from '../support/document.ts'

it.each([
  [['Order'], orderColumns],
  [['Buyer'], buyerColumns],
  [['OrderItem'], orderItemColumns],
  [['Nft'], nftColumns],
  [['Listing'], listingColumns],
  [['DeliveryAddress', 'BillingAddress'], addressColumns],
])('selects no column that is not a documented field: %s', (components, columns) => {
  const documented = components.flatMap(documentedFields)
  expect(Object.keys(columns).filter((name) => !documented.includes(name))).toEqual([])
})
