/**
 * Who may call what: how each endpoint and page answers each caller. The test of authorization sends
 * these requests, the judge of attackers knows from it who must be refused, and docs/endpoints.md shows
 * it (`npm run openapi`). It is written out, and never computed from the code.
 *
 * And what the sample request costs in D1, which `test/costs.test.ts` compares with what D1 reports.
 */

/**
 * `owner` has bought the order, and has the addresses and the webhook. `reader` is a read-only token of
 * the owner, `session` a browser of the owner. `seller` has sold the order, and placed it. `other` is a
 * user who has neither. `shop` is a master token for the orders of one shop, `metrics` one for the metrics,
 * `master` any other one, `admin` the browser of an administrator.
 */
export const callers = [
  'no token',
  'owner',
  'reader',
  'session',
  'other',
  'seller',
  'shop',
  'metrics',
  'master',
  'admin',
] as const
export type CallerName = (typeof callers)[number]

/**
 * A status, or the code of an error besides `unauthenticated`, `forbidden` and `not_found`. Trips to the
 * database are exact; rows read and written are upper limits.
 */
const table = `
endpoint                                                   | no token | owner    | reader   | session  | other    | seller   | shop     | metrics  | master   | admin    | trips | read  | written
-----------------------------------------------------------|----------|----------|----------|----------|----------|----------|----------|----------|----------|---------|-------|-------|--------
GET    /openapi.json                                       | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 0     | 0     | 0
GET    /llms.txt                                           | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 0     | 0     | 0
GET    /.well-known/jwks.json                              | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 0     | 0     | 0
GET    /api/public/user/:user_id/deliveryAddresses         | 401      | 200      | 200      | 200      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 12    | 0
GET    /api/public/user/:user_id/billingAddresses          | 401      | 200      | 200      | 200      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 12    | 0
POST   /api/public/deliveryAddress                         | 401      | 200      | 403      | 200      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 20    | 4
POST   /api/public/billingAddress                          | 401      | 200      | 403      | 200      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 20    | 4
PUT    /api/public/deliveryAddress                         | 401      | 200      | 403      | 200      | 404      | 404      | 403      | 403      | 200      | 404      | 1     | 6     | 1
PUT    /api/public/billingAddress                          | 401      | 200      | 403      | 200      | 404      | 404      | 403      | 403      | 200      | 404      | 1     | 6     | 1
DELETE /api/public/deliveryAddress                         | 401      | 200      | 403      | 200      | 404      | 404      | 403      | 403      | 200      | 404      | 1     | 6     | 3
DELETE /api/public/billingAddress                          | 401      | 200      | 403      | 200      | 404      | 404      | 403      | 403      | 200      | 404      | 1     | 6     | 3
GET    /api/public/stats                                   | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 4     | 0
GET    /api/public/creators                                | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 50    | 0
GET    /api/public/listings                                | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 24    | 0
GET    /api/public/listings/:ids                           | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 15    | 0
GET    /api/public/nfts                                    | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 70    | 0
GET    /api/public/nfts/:ids                               | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 22    | 0
GET    /api/public/user/:user_id/profile/avatar            | 401      | 200      | 200      | 200      | 200      | 200      | 403      | 403      | 200      | 200      | 1     | 3     | 0
PUT    /api/public/user/:user_id/profile/avatar            | 401      | 200      | 403      | 200      | 403      | 403      | 403      | 403      | 200      | 403      | 3     | 18    | 3
PUT    /api/public/user/:user_id/profile/updateAvatarFile  | 401      | 200      | 403      | 200      | 403      | 403      | 403      | 403      | 200      | 403      | 3     | 18    | 3
PUT    /api/public/user/:user_id/profile/updateAvatarBytes | 401      | 200      | 403      | 200      | 403      | 403      | 403      | 403      | 200      | 403      | 3     | 18    | 3
GET    /avatars/:user_id/:picture                          | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 0     | 0     | 0
// A page of 20 orders.
GET    /api/externalOrders                                 | 401      | 200      | 200      | 200      | 200      | 200      | 200      | 403      | 200      | 200      | 1     | 750   | 0
GET    /api/externalOrders/:order_ids                      | 401      | 200      | 200      | 200      | order_not_found | 200      | order_not_found | 403      | 200      | order_not_found | 1     | 32    | 0
// The buyer has no wallet, so the item waits for one. That takes more indexes.
POST   /api/externalOrders                                 | 401      | not_your_listing | 403      | not_your_listing | not_your_listing | 200      | 200      | 403      | 200      | not_your_listing | 2     | 110   | 15
POST   /api/externalOrders/:order_id/cancel                | 401      | 403      | 403      | 403      | order_not_found | 200      | order_not_found | 403      | 200      | order_not_found | 1     | 65    | 7
PUT    /api/externalOrders/by-number/:providerId           | 401      | not_your_listing | 403      | not_your_listing | not_your_listing | 201      | 201      | 403      | 201      | not_your_listing | 2     | 105   | 16
POST   /api/externalOrders/check                           | 401      | not_your_listing | 403      | not_your_listing | not_your_listing | 200      | 200      | 403      | 200      | not_your_listing | 1     | 40    | 0
POST   /api/reservations                                   | 401      | not_your_listing | 403      | not_your_listing | not_your_listing | 200      | 200      | 403      | 200      | not_your_listing | 2     | 60    | 8
DELETE /api/reservations/:reservation_id                   | 401      | 404      | 403      | 404      | 404      | 204      | 404      | 403      | 204      | 404      | 1     | 20    | 6
GET    /api/events                                         | 401      | 200      | 200      | 200      | 200      | 200      | 200      | 403      | 200      | 200      | 1     | 140   | 0
GET    /api/webhooks                                       | 401      | 200      | 200      | 200      | 200      | 200      | 200      | 403      | 200      | 200      | 1     | 20    | 0
// With a test for the new URL.
POST   /api/webhooks                                       | 401      | 200      | 403      | 200      | 200      | 200      | 200      | 403      | 200      | 200      | 1     | 30    | 15
GET    /api/webhooks/:webhook_id                           | 401      | 200      | 200      | 200      | 404      | 404      | 404      | 403      | 200      | 404      | 1     | 6     | 0
PUT    /api/webhooks/:webhook_id                           | 401      | 200      | 403      | 200      | 404      | 404      | 404      | 403      | 200      | 404      | 1     | 40    | 8
DELETE /api/webhooks/:webhook_id                           | 401      | 200      | 403      | 200      | 404      | 404      | 404      | 403      | 200      | 404      | 1     | 20    | 8
POST   /api/webhooks/:webhook_id/rotate                    | 401      | 200      | 403      | 200      | 404      | 404      | 404      | 403      | 200      | 404      | 1     | 20    | 4
POST   /api/webhooks/:webhook_id/test                      | 401      | 200      | 403      | 200      | 404      | 404      | 404      | 403      | 200      | 404      | 1     | 30    | 11
// Looks at 1,000 events, for the events, the messages and the next page.
GET    /api/webhooks/:webhook_id/messages                  | 401      | 200      | 200      | 200      | 404      | 404      | 404      | 403      | 200      | 404      | 1     | 6000  | 0
POST   /api/webhooks/:webhook_id/messages/:message_id/resend | 401      | 200      | 403      | 200      | 404      | 404      | 404      | 403      | 200      | 404      | 2     | 40    | 5
// Says whether one of the next 1,000 events is for the endpoint.
POST   /api/webhooks/:webhook_id/replay                    | 401      | 200      | 403      | 200      | 404      | 404      | 404      | 403      | 200      | 404      | 1     | 150   | 7
GET    /api/admin/transfers                                | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 260   | 0
// The filters of the sample requests select nothing. The first reads all queued items.
POST   /api/admin/transfers/retry                          | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 2     | 1400  | 0
POST   /api/admin/transfers/cancel                         | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 2     | 30    | 0
// The orders were placed by the seller, so their items are in the index of open orders. The buyer
// has no wallet, so the retried item waits for one.
POST   /api/admin/transfers/:id/retry                      | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 150   | 11
POST   /api/admin/transfers/:id/cancel                     | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 45    | 6
POST   /api/admin/transfers/:id/write-off                  | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 50    | 10
// One record is staged, written and forgotten.
POST   /api/admin/catalogue                                | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 3     | 160   | 20
POST   /api/admin/catalogue/ids                            | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 8     | 0
GET    /api/admin/nfts/:nft/files                          | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 10    | 0
PUT    /api/admin/nfts/:nft/files/:name                    | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 2        | 30       | 14      
GET    /api/admin/nfts/:nft/codes                          | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 1        | 20       | 0       
POST   /api/admin/nfts/:nft/codes                          | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 2        | 60       | 20      
DELETE /api/admin/nfts/:nft/codes                          | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 2        | 60       | 20      
// A draft, so no node is asked. A record is staged, written and read again. What somebody else lists is
// not withdrawn.
GET    /api/nfts                                           | 401      | 200      | 200      | 200      | 200      | 200      | 403      | 403      | 200      | 200      | 1     | 60    | 0
PUT    /api/nfts/:ref                                      | 401      | 200      | 403      | 200      | 200      | 200      | 403      | 403      | 200      | 200      | 5     | 300   | 60
DELETE /api/nfts/:ref                                      | 401      | 200      | 403      | 200      | 404      | 404      | 403      | 403      | 404      | 404      | 1     | 300   | 60
PUT    /api/nfts/:ref/cover                                | 401      | 200      | 403      | 200      | 404      | 404      | 403      | 403      | 200      | 200      | 6     | 300   | 60
GET    /api/nfts/:ref/files                                | 401      | 200      | 200      | 200      | 404      | 404      | 403      | 403      | 200      | 200      | 2     | 20    | 0
PUT    /api/nfts/:ref/files/:name                          | 401      | 200      | 403      | 200      | 404      | 404      | 403      | 403      | 200      | 200      | 3     | 40    | 14
GET    /api/listings                                       | 401      | 200      | 200      | 200      | 200      | 200      | 403      | 403      | 200      | 200      | 1     | 60    | 0
PUT    /api/listings/:ref                                  | 401      | nft_not_found | 403      | nft_not_found | nft_not_found | nft_not_found | 403      | 403      | 200      | 200      | 5     | 300   | 60
DELETE /api/listings/:ref                                  | 401      | 200      | 403      | 200      | 404      | 404      | 403      | 403      | 404      | 404      | 1     | 300   | 60
GET    /api/admin/proposals                                | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 60    | 0
POST   /api/admin/proposals/:kind/:number/approve          | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 4     | 300   | 60
POST   /api/admin/proposals/:kind/:number/reject           | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 30    | 6
GET    /api/externalOrders/:order_id/content               | 401      | 200      | 200      | 200      | order_not_found | 200      | 403      | 403      | 200      | order_not_found | 1        | 30       | 0       
GET    /api/public/nfts/:id/content                        | 401      | 403      | 403      | 403      | try_later | try_later | 403      | 403      | try_later | try_later | 1        | 10       | 0       
GET    /files/:name                                        | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1        | 10       | 0       
// Up to 1,000 items of each state and reason are counted.
GET    /health                                             | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 5000  | 0
GET    /metrics                                            | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 200      | 403      | 1     | 5000  | 0
POST   /api/admin/alarms/:key/acknowledge                  | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 30    | 6
// With a page of 100 orders.
GET    /api/admin/users/:id/data                           | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 2700  | 0
POST   /api/admin/users/:id/forget                         | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403      | 1     | 400   | 10
// The account and the marketplace, at the same time.
GET    /                                                   | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 2     | 200   | 0
GET    /nfts                                               | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 2     | 300   | 0
GET    /nfts/:id                                           | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 2     | 75    | 0
POST   /nfts/:id/report                                    | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 20    | 6
GET    /nfts/:id/content                                   | 401      | 403      | 403      | 404      | 403      | 403      | 403      | 403      | 403      | 404      | 2        | 16       | 0       
// The first request for it makes two trips more, to count the conversion.
GET    /nfts/:id/art/:size                                 | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 3     | 0
GET    /creators/:creator                                  | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 2     | 300   | 0
GET    /docs.md                                            | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 0     | 0     | 0
GET    /docs                                               | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 8     | 0
GET    /docs/:guide                                        | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 8     | 0
POST   /docs/token                                         | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 12    | 6
GET    /robots.txt                                         | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 0     | 0     | 0
GET    /sitemap.xml                                        | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 12000 | 0
GET    /orders                                             | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 200   | 0
GET    /orders/:id                                         | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 40    | 0
GET    /orders/:id/files/:name                             | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | order_not_found | 1        | 30       | 0       
GET    /collection                                         | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 200   | 0
GET    /claim/:id                                          | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 2     | 30    | 0
// The buyer of the sample order has no e-mail address, so no link is mailed.
POST   /claim/:id/email                                    | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 2     | 40    | 0
POST   /claim/:id/wallet                                   | 401      | 403      | 403      | invalid_input | 403      | 403      | 403      | 403      | 403      | invalid_input | 1     | 8     | 0
// Refused: who is measured has a wallet.
POST   /claim/:id/phone                                    | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | already_linked | 0     | 0     | 0
GET    /claim/:id/phone                                    | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 12    | 0
POST   /claim/:id/phone/confirm                            | 401      | 403      | 403      | 303 | 403      | 403      | 403      | 403      | 403      | 303 | 1     | 8     | 0
GET    /phone                                              | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 0     | 0     | 0
POST   /phone                                              | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 0     | 0     | 0
GET    /phone/wallet                                       | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 2     | 0
POST   /phone/message                                      | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | 1     | 2     | 0
POST   /phone/wallet                                       | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | 1     | 2     | 0
GET    /mails/unsubscribe                                  | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 0     | 0     | 0
POST   /mails/unsubscribe                                  | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 2     | 2
POST   /language                                           | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 1     | 12    | 4
POST   /mails/subscribe                                    | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 2     | 2
GET    /sign-in                                            | 200      | 200      | 200      | 303      | 200      | 200      | 200      | 200      | 200      | 303      | 1     | 8     | 0
GET    /sign-in/again                                      | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 8     | 0
POST   /sign-in/wallet/message                             | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 0     | 3
POST   /sign-in/wallet                                     | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | 0     | 0     | 0
// One row more than for the first links: a fourth one replaces the oldest.
POST   /sign-in/email                                      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 1     | 25    | 8
GET    /sign-in/email/sent                                 | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 1     | 8     | 0
// The link and the account, at the same time.
GET    /sign-in/email                                      | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | 2     | 8     | 0
POST   /sign-in/email/confirm                              | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | 0     | 0     | 0
POST   /sign-out                                           | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 1     | 4     | 1
GET    /settings                                           | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 0     | 0     | 0
GET    /settings/profile                                   | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 8     | 0
POST   /settings/profile                                   | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 15    | 1
POST   /settings/profile/avatar                            | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 3     | 21    | 3
POST   /settings/profile/avatar-url                        | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 3     | 21    | 3
GET    /settings/addresses                                 | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 12    | 0
GET    /settings/addresses/:kind/new                       | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 8     | 0
POST   /settings/addresses/:kind/new                       | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 17    | 8
// The addresses of the sample requests belong to another user.
GET    /settings/addresses/:kind/:id                       | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 8     | 0
POST   /settings/addresses/:kind/:id                       | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 8     | 0
POST   /settings/addresses/:kind/:id/default               | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 8     | 0
POST   /settings/addresses/:kind/:id/delete                | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 8     | 0
POST   /settings/addresses/:kind/:id/restore               | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 8     | 0
GET    /settings/account                                   | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 8     | 0
POST   /settings/account/wallet                            | 401      | 403      | 403      | invalid_input | 403      | 403      | 403      | 403      | 403      | invalid_input | 1     | 8     | 0
POST   /settings/account/email                             | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 30    | 9
GET    /settings/account/email                             | 401      | 403      | 403      | link_expired | 403      | 403      | 403      | 403      | 403      | link_expired | 1     | 8     | 0
POST   /settings/account/email/confirm                     | 401      | 403      | 403      | link_expired | 403      | 403      | 403      | 403      | 403      | link_expired | 0     | 0     | 0
POST   /settings/account/mails                             | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 8     | 0
POST   /settings/account/email/unlink                      | 401      | 403      | 403      | not_linked | 403      | 403      | 403      | 403      | 403      | not_linked | 0     | 0     | 0
POST   /settings/account/wallet/unlink                     | 401      | 403      | 403      | not_linked | 403      | 403      | 403      | 403      | 403      | only_sign_in | 0     | 0     | 0
// The caller sells nothing. A seller of many orders reads up to 2,100 rows.
GET    /settings/selling                                   | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 25    | 0
// The seller has no wallet, so nothing is tried.
POST   /settings/selling/retry                             | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 8     | 0
// The listings of the sample requests belong to another user.
GET    /settings/selling/:id                               | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 40    | 0
POST   /settings/selling/:id                               | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 6     | 0
// The account, and twice what the caller lists.
GET    /create                                             | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 60    | 0
GET    /create/new                                         | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 8     | 0
// The records of the sample requests belong to another user, but those that are new.
GET    /create/:ref                                        | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 60    | 0
// The two records are imported, each as one line.
POST   /create/:ref                                        | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 7     | 400   | 60
GET    /create/:ref/preview                                | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 60    | 0
POST   /create/:ref/withdraw                               | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 40    | 0
GET    /settings/sessions                                  | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 17    | 0
POST   /settings/sessions/:id/end                          | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 12    | 0
POST   /settings/sessions/end-others                       | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 12    | 0
GET    /settings/api-access                                | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 19    | 0
POST   /settings/api-access/tokens                         | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 20    | 8
GET    /settings/api-access/tokens/:id                     | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 8     | 0
POST   /settings/api-access/tokens/:id/revoke              | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 14    | 5
POST   /settings/api-access/tokens/:id/roll                | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 404      | 0     | 0     | 0
GET    /settings/api-access/everyone                       | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 160   | 0
GET    /settings/webhooks                                  | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 20    | 0
POST   /settings/webhooks                                  | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 40    | 15
// The webhooks of the sample requests belong to another user.
GET    /settings/webhooks/:webhook_id                      | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 6000  | 0
POST   /settings/webhooks/:webhook_id                      | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 404      | 0     | 0     | 0
POST   /settings/webhooks/:webhook_id/rotate               | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 404      | 0     | 0     | 0
POST   /settings/webhooks/:webhook_id/delete               | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 404      | 0     | 0     | 0
POST   /settings/webhooks/:webhook_id/test                 | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 404      | 0     | 0     | 0
POST   /settings/webhooks/:webhook_id/messages/:message_id/resend | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 10    | 0
POST   /settings/webhooks/:webhook_id/replay               | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403      | 404      | 0     | 0     | 0
// Failed items are counted by reason, and 30 days by hour: 20,000 items in the large database.
GET    /operations                                         | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 21000 | 0
// A page, and the number of those that match, up to 1,000.
GET    /operations/transfers                               | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 2000  | 0
POST   /operations/transfers                               | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303      | 2     | 122000 | 0
POST   /operations/alarms/:key/acknowledge                 | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 30    | 6
GET    /operations/orders                                  | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 2     | 700   | 0
// 1,000 are looked at.
GET    /operations/users                                   | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 3500  | 0
GET    /operations/nfts                                    | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 3500  | 0
GET    /operations/listings                                | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 3500  | 0
GET    /operations/orders/:id                              | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 25    | 0
// Of a buyer without an e-mail address.
POST   /operations/orders/:id/mail                         | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | conflict | 2     | 40    | 0
// Up to 20 purchases, sales and listings.
GET    /operations/users/:id                               | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 350   | 0
POST   /operations/users/:id/approval                      | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 20    | 4
POST   /operations/users/:id/mint-permissions              | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 20    | 4
POST   /operations/users/:id/email                         | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 60    | 12
GET    /operations/nfts/:id                                | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 50    | 0
// As an import of one record.
POST   /operations/nfts/:id                                | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303      | 4     | 200   | 30
GET    /operations/listings/:id                            | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 25    | 0
POST   /operations/listings/:id                            | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303      | 4     | 200   | 30
GET    /operations/review/nft/:number/cover                | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 20    | 0
GET    /operations/review/nft/:number/files/:name          | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 20    | 0
GET    /operations/audit                                   | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 220   | 0
GET    /operations/audit.csv                               | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 220   | 0
GET    /operations/administrators                          | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 20    | 0
POST   /operations/administrators                          | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | conflict | 1     | 20    | 5
GET    /operations/shops                                   | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 40    | 0
POST   /operations/shops                                   | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 404      | 1     | 40    | 5
GET    /operations/review                                  | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 200   | 0
GET    /operations/review/:kind/:number                    | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 1200  | 0
POST   /operations/review/:kind/:number/approve            | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303      | 4     | 300   | 60
POST   /operations/review/:kind/:number/reject             | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 40    | 5
POST   /operations/reports/:id/dismiss                     | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 20    | 6
GET    /operations/catalogue                               | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 30    | 0
// One record is staged, tried and shown.
POST   /operations/catalogue                               | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 5     | 200   | 20
// Of an import that nobody was shown.
POST   /operations/catalogue/import                        | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | conflict | 1     | 60    | 5
GET    /operations/search                                  | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 31000 | 0
// Looks at 2,000 events that followed the order, of which a small database has few.
GET    /operations/transfers/:id                           | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 1     | 2050  | 0
POST   /operations/transfers/:id/retry                     | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 150   | 11
POST   /operations/transfers/:id/cancel                    | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 100   | 9
POST   /operations/transfers/:id/write-off                 | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303      | 1     | 100   | 12
`

/** Trips are exact. Rows are upper limits. */
export type Cost = { trips: number; rowsRead: number; rowsWritten: number }

type Permission = {
  /** As in `GET /api/webhooks/:webhook_id`. */
  endpoint: string
  method: string
  path: string
  /** By the position of the caller in `callers`. */
  answers: readonly string[]
  cost: Cost
}

export const permissions: readonly Permission[] = table
  .trim()
  .split('\n')
  .slice(2)
  .filter((line) => !line.startsWith('//'))
  .map((line) => {
    const [call = '', ...cells] = line.split('|').map((cell) => cell.trim())
    const [method = '', path = ''] = call.split(/ +/)
    const answers = cells.slice(0, callers.length)
    const [trips = 0, rowsRead = 0, rowsWritten = 0] = cells.slice(callers.length).map(Number)
    const cost = { trips, rowsRead, rowsWritten }
    return { endpoint: `${method} ${path}`, method, path, answers, cost }
  })

export const endpointCosts: Readonly<Record<string, Cost>> = Object.fromEntries(
  permissions.map(({ endpoint, cost }) => [endpoint, cost]),
)

export const answerTo = (caller: CallerName, { answers }: Permission): string =>
  answers[callers.indexOf(caller)] ?? ''

const refusals = ['401', '403', '404', 'order_not_found', 'not_your_listing']

/** Whether a caller may do what the sample request asks for. */
export const mayCall = (caller: CallerName, permission: Permission): boolean =>
  !refusals.includes(answerTo(caller, permission))

/** The endpoints whose answers are the same for everybody, so that caches may keep them. */
export const publicEndpoints = [
  'GET /.well-known/jwks.json',
  'GET /openapi.json',
  'GET /llms.txt',
  'GET /docs.md',
  'GET /robots.txt',
  'GET /sitemap.xml',
  'GET /api/public/stats',
  'GET /api/public/creators',
  'GET /api/public/listings',
  'GET /api/public/listings/:ids',
  'GET /api/public/nfts',
  'GET /api/public/nfts/:ids',
  'GET /avatars/:user_id/:picture',
  'GET /nfts/:id/art/:size',
]
