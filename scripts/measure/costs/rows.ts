/**
 * The cost of each endpoint in D1. `test/costs.test.ts` compares it with the numbers that D1
 * reports, for a small and a large database. `npm run costs` converts it to dollars.
 */

/** Trips are exact. Rows are upper limits. */
export type Cost = { trips: number; rowsRead: number; rowsWritten: number }

const cost = (trips: number, rowsRead: number, rowsWritten: number): Cost => ({
  trips,
  rowsRead,
  rowsWritten,
})

/** Costs of the sample requests of test/support/endpoints.ts; some of them are rejected. */
export const endpointCosts: Record<string, Cost> = {
  'GET /.well-known/jwks.json': cost(0, 0, 0),
  'GET /.well-known/proof-jwks.json': cost(0, 0, 0),
  'POST /sign-in/wallet/message': cost(1, 0, 3),
  'POST /sign-in/wallet': cost(0, 0, 0),
  'POST /settings/account/wallet': cost(1, 4, 0),
  'POST /api/public/deliveryAddress': cost(1, 20, 4),
  'POST /api/public/billingAddress': cost(1, 20, 4),
  'GET /api/public/user/:user_id/deliveryAddresses': cost(1, 12, 0),
  'PUT /api/public/deliveryAddress': cost(1, 6, 1),
  'DELETE /api/public/deliveryAddress': cost(1, 6, 3),
  'GET /api/public/user/:user_id/billingAddresses': cost(1, 12, 0),
  'PUT /api/public/billingAddress': cost(1, 6, 1),
  'DELETE /api/public/billingAddress': cost(1, 6, 3),
  'GET /api/public/stats': cost(1, 4, 0),
  'GET /api/public/creators': cost(1, 50, 0),
  'GET /api/public/listings': cost(1, 15, 0),
  'GET /api/public/listings/:ids': cost(1, 15, 0),
  'GET /api/public/nfts': cost(1, 22, 0),
  'GET /api/public/nfts/:ids': cost(1, 22, 0),
  'GET /api/public/user/:user_id/profile/avatar': cost(1, 3, 0),
  'PUT /api/public/user/:user_id/profile/avatar': cost(3, 18, 3),
  'PUT /api/public/user/:user_id/profile/updateAvatarFile': cost(3, 18, 3),
  'PUT /api/public/user/:user_id/profile/updateAvatarBytes': cost(3, 18, 3),
  'GET /avatars/:user_id/:picture': cost(0, 0, 0),
  // A page of 20 orders.
  'GET /api/externalOrders': cost(1, 750, 0),
  'GET /api/externalOrders/:order_ids': cost(1, 32, 0),
  'GET /api/externalOrders/:order_id/proof': cost(1, 10, 0),
  // The buyer has no wallet, so the item waits for one. That takes more indexes.
  'POST /api/externalOrders': cost(2, 110, 15),
  'POST /api/externalOrders/:order_id/cancel': cost(1, 65, 7),
  'PUT /api/externalOrders/by-number/:providerId': cost(2, 105, 16),
  'POST /api/externalOrders/check': cost(1, 40, 0),
  'POST /api/reservations': cost(2, 60, 8),
  'DELETE /api/reservations/:reservation_id': cost(1, 20, 6),
  'GET /api/events': cost(1, 140, 0),
  'GET /api/webhooks': cost(1, 20, 0),
  // With a test for the new URL.
  'POST /api/webhooks': cost(1, 30, 15),
  'GET /api/webhooks/:webhook_id': cost(1, 6, 0),
  'PUT /api/webhooks/:webhook_id': cost(1, 40, 8),
  'DELETE /api/webhooks/:webhook_id': cost(1, 20, 8),
  'POST /api/webhooks/:webhook_id/rotate': cost(1, 20, 4),
  'POST /api/webhooks/:webhook_id/test': cost(1, 30, 11),
  // Looks at 1,000 events, for the events, the messages and the next page.
  'GET /api/webhooks/:webhook_id/messages': cost(1, 6000, 0),
  'POST /api/webhooks/:webhook_id/messages/:message_id/resend': cost(2, 40, 5),
  // Says whether one of the next 1,000 events is for the endpoint.
  'POST /api/webhooks/:webhook_id/replay': cost(1, 150, 7),
  'GET /api/admin/transfers': cost(1, 260, 0),
  // The filters of the sample requests select nothing. The first reads all queued items.
  'POST /api/admin/transfers/retry': cost(2, 1400, 0),
  'POST /api/admin/transfers/cancel': cost(2, 30, 0),
  // The orders were placed by the seller, so their items are in the index of open orders. The buyer
  // has no wallet, so the retried item waits for one.
  'POST /api/admin/transfers/:id/retry': cost(1, 150, 11),
  'POST /api/admin/transfers/:id/cancel': cost(1, 45, 6),
  'POST /api/admin/transfers/:id/write-off': cost(1, 50, 10),
  // One record is staged, written and forgotten.
  'POST /api/admin/catalogue': cost(3, 110, 20),
  'POST /api/admin/catalogue/ids': cost(1, 8, 0),
  // Up to 1,000 items of each state and reason are counted.
  'GET /health': cost(1, 5000, 0),
  'GET /metrics': cost(1, 5000, 0),
  'POST /api/admin/alarms/:key/acknowledge': cost(1, 30, 6),
  // With a page of 100 orders.
  'GET /api/admin/users/:id/data': cost(1, 2700, 0),
  'POST /api/admin/users/:id/forget': cost(1, 400, 10),
  // The account and the marketplace, at the same time.
  'GET /': cost(2, 200, 0),
  'GET /nfts': cost(2, 300, 0),
  'GET /nfts/:id': cost(2, 40, 0),
  'GET /creators/:creator': cost(2, 300, 0),
  // The first request for it makes two trips more, to count the conversion.
  'GET /nfts/:id/art/:size': cost(1, 3, 0),
  'GET /openapi.json': cost(0, 0, 0),
  'GET /llms.txt': cost(0, 0, 0),
  'GET /docs.md': cost(0, 0, 0),
  'GET /docs': cost(1, 4, 0),
  'GET /docs/:guide': cost(1, 4, 0),
  'POST /docs/token': cost(1, 12, 6),
  'GET /orders': cost(1, 200, 0),
  'GET /orders/:id': cost(1, 40, 0),
  'GET /collection': cost(1, 200, 0),
  'GET /claim/:id': cost(1, 8, 0),
  'GET /mails/unsubscribe': cost(0, 0, 0),
  'POST /mails/unsubscribe': cost(1, 2, 2),
  'GET /sign-in': cost(1, 4, 0),
  'GET /sign-in/again': cost(1, 4, 0),
  // One row more than for the first links: a fourth one replaces the oldest.
  'POST /sign-in/email': cost(1, 20, 6),
  'GET /sign-in/email/sent': cost(1, 4, 0),
  // The link and the account, at the same time.
  'GET /sign-in/email': cost(2, 4, 0),
  'POST /sign-in/email/confirm': cost(0, 0, 0),
  'POST /sign-out': cost(1, 4, 1),
  'GET /settings': cost(0, 0, 0),
  'GET /settings/profile': cost(1, 4, 0),
  'POST /settings/profile': cost(1, 5, 1),
  'POST /settings/profile/avatar': cost(3, 21, 3),
  'POST /settings/profile/avatar-url': cost(3, 21, 3),
  'GET /settings/addresses': cost(1, 12, 0),
  'GET /settings/addresses/:kind/new': cost(1, 4, 0),
  'POST /settings/addresses/:kind/new': cost(1, 17, 8),
  // The addresses of the sample requests belong to another user.
  'GET /settings/addresses/:kind/:id': cost(1, 6, 0),
  'POST /settings/addresses/:kind/:id': cost(1, 8, 0),
  'POST /settings/addresses/:kind/:id/default': cost(1, 8, 0),
  'POST /settings/addresses/:kind/:id/delete': cost(1, 8, 0),
  'POST /settings/addresses/:kind/:id/restore': cost(1, 8, 0),
  'GET /settings/account': cost(1, 4, 0),
  'POST /settings/account/email': cost(1, 18, 7),
  'GET /settings/account/email': cost(1, 4, 0),
  'POST /settings/account/email/confirm': cost(0, 0, 0),
  'POST /settings/account/email/unlink': cost(0, 0, 0),
  'POST /settings/account/wallet/unlink': cost(0, 0, 0),
  // The caller sells nothing. A seller of many orders reads up to 2,100 rows.
  'GET /settings/selling': cost(1, 20, 0),
  // The seller has no wallet, so nothing is tried.
  'POST /settings/selling/retry': cost(1, 4, 0),
  'GET /settings/sessions': cost(1, 12, 0),
  'POST /settings/sessions/:id/end': cost(1, 12, 0),
  'POST /settings/sessions/end-others': cost(1, 12, 0),
  'GET /settings/api-access': cost(1, 12, 0),
  'POST /settings/api-access/tokens': cost(1, 20, 8),
  'GET /settings/api-access/tokens/:id': cost(1, 5, 0),
  'POST /settings/api-access/tokens/:id/revoke': cost(1, 14, 5),
  'POST /settings/api-access/tokens/:id/roll': cost(0, 0, 0),
  'GET /settings/api-access/everyone': cost(1, 50, 0),
  'GET /settings/webhooks': cost(1, 20, 0),
  'POST /settings/webhooks': cost(1, 40, 15),
  // The webhooks of the sample requests belong to another user.
  'GET /settings/webhooks/:webhook_id': cost(1, 6000, 0),
  'POST /settings/webhooks/:webhook_id': cost(0, 0, 0),
  'POST /settings/webhooks/:webhook_id/rotate': cost(0, 0, 0),
  'POST /settings/webhooks/:webhook_id/delete': cost(0, 0, 0),
  'POST /settings/webhooks/:webhook_id/test': cost(0, 0, 0),
  'POST /settings/webhooks/:webhook_id/messages/:message_id/resend': cost(1, 10, 0),
  'POST /settings/webhooks/:webhook_id/replay': cost(0, 0, 0),
  // Failed items are counted by reason, and 30 days by hour: 20,000 items in the large database.
  'GET /operations': cost(1, 21_000, 0),
  // A page, and the number of those that match, up to 1,000.
  'GET /operations/transfers': cost(1, 2000, 0),
  'POST /operations/transfers': cost(2, 122_000, 0),
  'POST /operations/alarms/:key/acknowledge': cost(1, 30, 6),
  'GET /operations/orders/:id': cost(1, 20, 0),
  // Up to 20 purchases, sales and listings.
  'GET /operations/users/:id': cost(1, 350, 0),
  'GET /operations/nfts/:id': cost(1, 50, 0),
  'GET /operations/audit': cost(1, 220, 0),
  'GET /operations/audit.csv': cost(1, 220, 0),
  'GET /operations/administrators': cost(1, 20, 0),
  'POST /operations/administrators': cost(1, 20, 5),
  'GET /operations/search': cost(1, 31_000, 0),
  // Looks at 2,000 events that followed the order, of which a small database has few.
  'GET /operations/transfers/:id': cost(1, 2050, 0),
  'POST /operations/transfers/:id/retry': cost(1, 150, 11),
  'POST /operations/transfers/:id/cancel': cost(1, 100, 9),
  'POST /operations/transfers/:id/write-off': cost(1, 100, 12),
}

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
