/**
 * Costs in D1 of batches and of the cron job; those of each endpoint are in `test/support/permissions.ts`.
 * `test/costs.test.ts` compares them with the numbers that D1 reports, for a small and a large database.
 * `npm run costs` converts them to dollars.
 */

/** Trips are exact. Rows are upper limits. */
export type Cost = { trips: number; rowsRead: number; rowsWritten: number }

export const cost = (trips: number, rowsRead: number, rowsWritten: number): Cost => ({
  trips,
  rowsRead,
  rowsWritten,
})

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
  'transfer 100 items': cost(6, 5300, 425),
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
