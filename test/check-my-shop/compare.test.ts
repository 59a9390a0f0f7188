/** What must be true of a sale that has ended, and what a mismatch says. */
import { describe, expect, it } from 'vitest'
import { compareBooks, compareOrder, compareWallet } from '../../check-my-shop/src/compare.ts'
import type { Order } from '../../check-my-shop/src/marketplace.ts'
import { type Book, type Goods, newSale } from '../../check-my-shop/src/sale.ts'
import examples from '../../scripts/build/openapi/examples.json'

const goods: Goods = {
  ...{ nft: 'nft-2', listing: 'listing-2', nftId: 2, listingId: 12, contract: null, tokenId: null },
  ...{ priceCents: 1000, currency: 'EUR', available: null },
}
const sale = newSale('A-1', goods, { quantity: 2 })
const wallet = 'wallet' in sale.buyer ? sale.buyer.wallet : ''

/** What the OpenAPI document shows as a summary. */
const summaries = examples.find(({ summary }) => summary === 'List summaries of orders')
const delivered: Order = {
  ...Object(summaries?.answer).orders[0],
  ...{ id: 7, orderItemId: 7, providerId: 'A-1', source: 'Shop' },
  ...{ nftId: 2, listingId: 12, quantity: 2, priceCents: 1000, priceCurrency: 'EUR' },
  ...{ totalPriceCents: 2000, status: 'transferred', reasonCode: null, failReason: null },
  ...{ txId: '0xabc', state: 'delivered', isUnderWay: false },
}
const cancelled: Order = { ...delivered, status: 'failed', state: 'cancelled' }

const deliveredBook: Book = {
  ...{ number: 'A-1', state: 'delivered', orderId: 7, txId: '0xabc', refunds: [] },
}
const refundedBook: Book = { ...deliveredBook, state: 'refunded', refunds: [2000] }

describe('an order is that of the sale', () => {
  const compare = (change: Partial<Order>, recipient: string | null = wallet.toUpperCase()) =>
    compareOrder(sale, goods, { order: { ...delivered, ...change }, source: 'Shop', recipient })

  it('has nothing to say about the right one', () => {
    expect(compare({})).toEqual([])
  })

  it.each([
    [{ providerId: 'A-2' }, 'number', 'A-1', 'A-2', 'placed_twice'],
    [{ source: 'Shop 2' }, 'source', 'Shop', 'Shop 2', 'wrong_token'],
    [{ nftId: 3 }, 'nftId', '2', '3', 'wrong_order'],
    [{ quantity: 1 }, 'quantity', '2', '1', 'wrong_order'],
    [{ priceCents: 900 }, 'priceCents', '1000', '900', 'wrong_order'],
  ] as const)('%j', (change, what, expected, found, problem) => {
    expect(compare(change)).toEqual([{ what: `${what} of order 7`, expected, found, problem }])
  })

  it('goes to the wallet of the buyer', () => {
    const recipient = { what: 'ethRecipient of order 7', expected: wallet, found: '0xdead' }
    expect(compare({}, '0xdead')).toEqual([{ ...recipient, problem: 'wrong_order' }])
  })
})

describe('the books are those of the order', () => {
  it.each([
    ['delivered', deliveredBook, delivered],
    ['refunded', refundedBook, cancelled],
    ['refunded', { ...refundedBook, orderId: null, txId: null }, undefined],
  ] as const)('%s', (end, book, order) => {
    expect(compareBooks(sale, end, { book, order })).toEqual([])
  })

  it('waits for what may still come', () => {
    expect(compareBooks(sale, 'delivered', { book: undefined, order: undefined })).toEqual([
      { what: 'state in your books', expected: 'delivered', found: 'none' },
      { what: 'order', expected: 'delivered', found: 'none' },
    ])
    const open = { ...deliveredBook, state: 'open', orderId: 8, txId: '0xdef' }
    expect(compareBooks(sale, 'delivered', { book: open, order: delivered })).toEqual([
      { what: 'state in your books', expected: 'delivered', found: 'open' },
      { what: 'orderId in your books', expected: '7', found: '8' },
      { what: 'txId in your books', expected: '0xabc', found: '0xdef' },
    ])
  })

  it.each([
    ['refunded_twice', [2000, 2000], '2000 cents and 2000 cents'],
    ['wrong_refund', [1000], '1000 cents'],
  ])('%s: %j', (problem, refunds, found) => {
    const book = { ...refundedBook, refunds }
    expect(compareBooks(sale, 'refunded', { book, order: cancelled })).toEqual([
      { what: 'refunds in your books', expected: '2000 cents', found, problem },
    ])
  })

  it('allows no refund of an order that may be delivered', () => {
    const order: Order = { ...delivered, status: 'transferring', state: 'open' }
    expect(compareBooks(sale, 'refunded', { book: refundedBook, order })).toContainEqual({
      what: 'order of a sale that is refunded',
      expected: 'none, or cancelled',
      found: '7, transferring',
      problem: 'refunded_early',
    })
  })
})

describe('the wallet has the pieces', () => {
  it.each([
    ['delivered', 2],
    ['refunded', 0],
    // No node has told.
    ['delivered', undefined],
  ] as const)('%s: %s', (end, pieces) => {
    expect(compareWallet(sale, end, pieces)).toEqual([])
  })

  it.each([
    ['delivered', 3, '2'],
    ['refunded', 1, '0'],
  ] as const)('has too many when it is %s: %s', (end, pieces, expected) => {
    expect(compareWallet(sale, end, pieces)).toEqual([
      {
        what: `pieces in the wallet ${wallet}`,
        expected,
        found: `${pieces}`,
        problem: 'not_delivered_once',
      },
    ])
  })
})
