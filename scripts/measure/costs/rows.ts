/**
 * Costs in D1 of lists by their filters, of batches and of the cron job; those of each endpoint are in
 * `test/support/permissions.ts`. `test/costs.test.ts` compares them with the numbers that D1 reports, for
 * a small and a large database. `npm run costs` converts them to dollars.
 */

/** Trips are exact. Rows are upper limits. */
export type Cost = { trips: number; rowsRead: number; rowsWritten: number }

const cost = (trips: number, rowsRead: number, rowsWritten: number): Cost => ({
  trips,
  rowsRead,
  rowsWritten,
})

/** In both databases, the synthetic orders begin with 2025, one a minute. */
const hours = 'createdFrom=2025-01-01T02:00:00Z&createdTo=2025-01-01T08:00:00Z'

/**
 * Costs of lists of orders by their filters, for a master token and for a seller of many orders. If
 * not every candidate matches, a call looks at 1,000: once for the orders and once for their NFTs.
 */
export const listCosts: Record<'master' | 'seller', Record<string, Cost>> = {
  master: {
    '': cost(1, 720, 0),
    'fields=summary': cost(1, 200, 0),
    'fields=summary&limit=100': cost(1, 950, 0),
    'providerId=1': cost(1, 25, 0),
    'buyerUserId=3': cost(1, 720, 0),
    'source=synthetic': cost(1, 750, 0),
    'source=nobody': cost(1, 35, 0),
    'sellerId=1': cost(1, 30, 0),
    [`${hours}&fields=summary`]: cost(1, 450, 0),
    [`${hours}&deliveryStatus=failed&fields=summary`]: cost(1, 450, 0),
    // What is under way is read as a whole: that of the requests before.
    'updatedFrom=2025-01-01T02:00:00Z&fields=summary': cost(1, 700, 0),
    'updatedFrom=2025-01-01T02:00:00Z&source=nobody': cost(1, 14_000, 0),
    'deliveryStatus=failed': cost(1, 750, 0),
    'deliveryStatus=transferred': cost(1, 4200, 0),
    'deliveryStatus=pending': cost(1, 1100, 0),
  },
  seller: {
    '': cost(1, 850, 0),
    'fields=summary': cost(1, 230, 0),
    'providerId=1': cost(1, 25, 0),
    'source=nobody': cost(1, 11_500, 0),
    [`${hours}&fields=summary`]: cost(1, 450, 0),
    'updatedFrom=2025-01-01T02:00:00Z&source=nobody': cost(1, 14_000, 0),
    // None of the orders looked at is one to return.
    'buyerUserId=3': cost(1, 11_500, 0),
    'deliveryStatus=failed': cost(1, 16_500, 0),
    'deliveryStatus=transferred': cost(1, 16_500, 0),
    'deliveryStatus=pending': cost(1, 15_500, 0),
  },
}

/** Costs of lists of transfers by their filters. */
export const transferListCosts: Record<string, Cost> = {
  'source=synthetic': cost(1, 750, 0),
  'source=synthetic&status=transferred': cost(1, 750, 0),
  'source=nobody': cost(1, 10, 0),
}

/**
 * Costs of public lists by their filter. A call looks at little more than it returns, or at 1,000
 * candidates where few of them match.
 */
export const publicCosts: Record<string, Cost> = {
  'listings?': cost(1, 200, 0),
  'listings?limit=100': cost(1, 930, 0),
  // Each listing is a candidate by its own change and by that of its NFT.
  'listings?updatedSince=2025-01-01T00:00:00Z': cost(1, 330, 0),
  'listings?q=nft': cost(1, 240, 0),
  'listings?sellerId=<seller>': cost(1, 200, 0),
  'listings?creatorId=<seller>': cost(1, 240, 0),
  'listings?creatorId=1&updatedSince=2025-01-01T00:00:00Z': cost(1, 6500, 0),
  'nfts?': cost(1, 310, 0),
  'nfts?limit=100&active=true': cost(1, 1800, 0),
  'nfts?updatedSince=2025-01-01T00:00:00Z': cost(1, 310, 0),
  'nfts?q=nft': cost(1, 310, 0),
  'nfts?sellerId=<seller>': cost(1, 420, 0),
  'nfts?creatorId=<seller>': cost(1, 310, 0),
  'nfts?creatorId=1&updatedSince=2025-01-01T00:00:00Z': cost(1, 8500, 0),
}

/** Costs of batches and of the cron job. */
export const batchCosts = {
  'place an order': cost(2, 95, 10),
  // An order is looked up among those of the call, of which it passes 50.
  'place 100 orders': cost(2, 20_000, 1000),
  // With the order number of the shop, and of an NFT that may sell out: a row more for each.
  'place a numbered order': cost(2, 95, 12),
  'place a numbered order with an Idempotency-Key': cost(2, 110, 13),
  'place an order of a new buyer with an address': cost(2, 110, 15),
  // A run of two steps: one signs and broadcasts, one reads the receipts. Then webhooks are woken.
  'transfer 100 items': cost(6, 5100, 425),
  'transfer an item by itself': cost(6, 250, 17),
  // A row an event, and some for the endpoint: it is due, a run takes its lease and moves it.
  'log and send 100 events': cost(6, 2000, 107),
  'log and send an event': cost(6, 200, 8),
  'remove 100 idempotency keys and 200 events': cost(1, 2000, 300),
  // Counts up to 1,000 items that failed, by reason, and rolls up the orders of four ranges.
  'run cron once': cost(19, 10_000, 30),
}
export type BatchCost = keyof typeof batchCosts

/** Log lines of a run, at most. A request logs one. */
export const transferLogLines = { 'transfer 100 items': 6, 'transfer an item by itself': 3 }

/**
 * The cron run while 700 orders a minute come: 20,000 items are queued, 20,000 failed, and 2,000 are
 * in flight. It reads what came since the last run and what is in flight; of the rest, it counts 1,000.
 */
export const busyCronCost = cost(18, 25_000, 40)
