/**
 * Who may call what: how each endpoint and page answers each caller. The test of authorization sends
 * these requests, the judge of attackers knows from it who must be refused, and docs/endpoints.md shows
 * it (`npm run openapi`). It is written out, and never computed from the code.
 */

/**
 * `owner` has bought the order, and has the addresses and the webhook. `reader` is a read-only token of
 * the owner, `session` a browser of the owner. `seller` has sold the order, and placed it. `other` is a
 * user who has neither. `shop` is a master token for the orders of one shop, `master` any other one, `admin` the browser of an administrator.
 */
export const callers = [
  'no token',
  'owner',
  'reader',
  'session',
  'other',
  'seller',
  'shop',
  'master',
  'admin',
] as const
export type CallerName = (typeof callers)[number]

/** A status, or the code of an error besides `unauthenticated`, `forbidden` and `not_found`. */
const table = `
endpoint                                                   | no token | owner    | reader   | session  | other    | seller   | shop     | master   | admin
-----------------------------------------------------------|----------|----------|----------|----------|----------|----------|----------|----------|---------
GET    /openapi.json                                       | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /llms.txt                                           | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /.well-known/jwks.json                              | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /.well-known/proof-jwks.json                        | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /api/public/user/:user_id/deliveryAddresses         | 401      | 200      | 200      | 200      | 403      | 403      | 403      | 200      | 403
GET    /api/public/user/:user_id/billingAddresses          | 401      | 200      | 200      | 200      | 403      | 403      | 403      | 200      | 403
POST   /api/public/deliveryAddress                         | 401      | 200      | 403      | 200      | 403      | 403      | 403      | 200      | 403
POST   /api/public/billingAddress                          | 401      | 200      | 403      | 200      | 403      | 403      | 403      | 200      | 403
PUT    /api/public/deliveryAddress                         | 401      | 200      | 403      | 200      | 404      | 404      | 403      | 200      | 404
PUT    /api/public/billingAddress                          | 401      | 200      | 403      | 200      | 404      | 404      | 403      | 200      | 404
DELETE /api/public/deliveryAddress                         | 401      | 200      | 403      | 200      | 404      | 404      | 403      | 200      | 404
DELETE /api/public/billingAddress                          | 401      | 200      | 403      | 200      | 404      | 404      | 403      | 200      | 404
GET    /api/public/stats                                   | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /api/public/creators                                | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /api/public/listings                                | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /api/public/listings/:ids                           | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /api/public/nfts                                    | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /api/public/nfts/:ids                               | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /api/public/user/:user_id/profile/avatar            | 401      | 200      | 200      | 200      | 200      | 200      | 403      | 200      | 200
PUT    /api/public/user/:user_id/profile/avatar            | 401      | 200      | 403      | 200      | 403      | 403      | 403      | 200      | 403
PUT    /api/public/user/:user_id/profile/updateAvatarFile  | 401      | 200      | 403      | 200      | 403      | 403      | 403      | 200      | 403
PUT    /api/public/user/:user_id/profile/updateAvatarBytes | 401      | 200      | 403      | 200      | 403      | 403      | 403      | 200      | 403
GET    /avatars/:user_id/:picture                          | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /api/externalOrders                                 | 401      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /api/externalOrders/:order_ids                      | 401      | 200      | 200      | 200      | order_not_found | 200      | order_not_found | 200      | order_not_found
POST   /api/externalOrders                                 | 401      | not_your_listing | 403      | not_your_listing | not_your_listing | 200      | 200      | 200      | not_your_listing
GET    /api/externalOrders/:order_id/proof                 | 401      | 200      | 200      | 200      | order_not_found | 200      | order_not_found | 200      | order_not_found
POST   /api/externalOrders/:order_id/cancel                | 401      | 403      | 403      | 403      | order_not_found | 200      | order_not_found | 200      | order_not_found
PUT    /api/externalOrders/by-number/:providerId           | 401      | not_your_listing | 403      | not_your_listing | not_your_listing | 201      | 201      | 201      | not_your_listing
POST   /api/externalOrders/check                           | 401      | not_your_listing | 403      | not_your_listing | not_your_listing | 200      | 200      | 200      | not_your_listing
POST   /api/reservations                                   | 401      | not_your_listing | 403      | not_your_listing | not_your_listing | 200      | 200      | 200      | not_your_listing
DELETE /api/reservations/:reservation_id                   | 401      | 404      | 403      | 404      | 404      | 204      | 404      | 204      | 404
GET    /api/events                                         | 401      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /api/webhooks                                       | 401      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
POST   /api/webhooks                                       | 401      | 200      | 403      | 200      | 200      | 200      | 200      | 200      | 200
GET    /api/webhooks/:webhook_id                           | 401      | 200      | 200      | 200      | 404      | 404      | 404      | 200      | 404
PUT    /api/webhooks/:webhook_id                           | 401      | 200      | 403      | 200      | 404      | 404      | 404      | 200      | 404
DELETE /api/webhooks/:webhook_id                           | 401      | 200      | 403      | 200      | 404      | 404      | 404      | 200      | 404
POST   /api/webhooks/:webhook_id/rotate                    | 401      | 200      | 403      | 200      | 404      | 404      | 404      | 200      | 404
POST   /api/webhooks/:webhook_id/test                      | 401      | 200      | 403      | 200      | 404      | 404      | 404      | 200      | 404
GET    /api/webhooks/:webhook_id/messages                  | 401      | 200      | 200      | 200      | 404      | 404      | 404      | 200      | 404
POST   /api/webhooks/:webhook_id/messages/:message_id/resend | 401      | 200      | 403      | 200      | 404      | 404      | 404      | 200      | 404
POST   /api/webhooks/:webhook_id/replay                    | 401      | 200      | 403      | 200      | 404      | 404      | 404      | 200      | 404
GET    /api/admin/transfers                                | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403
POST   /api/admin/transfers/retry                          | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403
POST   /api/admin/transfers/cancel                         | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403
POST   /api/admin/transfers/:id/retry                      | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403
POST   /api/admin/transfers/:id/cancel                     | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403
POST   /api/admin/transfers/:id/write-off                  | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403
POST   /api/admin/catalogue                                | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403
POST   /api/admin/catalogue/ids                            | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403
GET    /health                                             | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /metrics                                            | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403
POST   /api/admin/alarms/:key/acknowledge                  | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403
GET    /api/admin/users/:id/data                           | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403
POST   /api/admin/users/:id/forget                         | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 200      | 403
GET    /                                                   | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /nfts                                               | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /nfts/:id                                           | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /nfts/:id/art/:size                                 | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /creators/:creator                                  | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /docs.md                                            | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /docs                                               | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /docs/:guide                                        | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
POST   /docs/token                                         | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 200
GET    /orders                                             | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 200
GET    /orders/:id                                         | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 404
GET    /collection                                         | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 200
GET    /claim/:id                                          | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 403
GET    /mails/unsubscribe                                  | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
POST   /mails/unsubscribe                                  | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /sign-in                                            | 200      | 200      | 200      | 303      | 200      | 200      | 200      | 200      | 303
GET    /sign-in/again                                      | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 303
POST   /sign-in/wallet/message                             | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
POST   /sign-in/wallet                                     | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input | invalid_input
POST   /sign-in/email                                      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303
GET    /sign-in/email/sent                                 | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200      | 200
GET    /sign-in/email                                      | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired
POST   /sign-in/email/confirm                              | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired | link_expired
POST   /sign-out                                           | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303
GET    /settings                                           | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303      | 303
GET    /settings/profile                                   | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 200
POST   /settings/profile                                   | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 303
POST   /settings/profile/avatar                            | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 303
POST   /settings/profile/avatar-url                        | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 303
GET    /settings/addresses                                 | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 200
GET    /settings/addresses/:kind/new                       | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 200
POST   /settings/addresses/:kind/new                       | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 303
GET    /settings/addresses/:kind/:id                       | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 404
POST   /settings/addresses/:kind/:id                       | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 404
POST   /settings/addresses/:kind/:id/default               | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 404
POST   /settings/addresses/:kind/:id/delete                | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 303
POST   /settings/addresses/:kind/:id/restore               | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 404
GET    /settings/account                                   | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 200
POST   /settings/account/wallet                            | 401      | 403      | 403      | invalid_input | 403      | 403      | 403      | 403      | invalid_input
POST   /settings/account/email                             | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 303
GET    /settings/account/email                             | 401      | 403      | 403      | link_expired | 403      | 403      | 403      | 403      | link_expired
POST   /settings/account/email/confirm                     | 401      | 403      | 403      | link_expired | 403      | 403      | 403      | 403      | link_expired
POST   /settings/account/email/unlink                      | 401      | 403      | 403      | conflict | 403      | 403      | 403      | 403      | conflict
POST   /settings/account/wallet/unlink                     | 401      | 403      | 403      | conflict | 403      | 403      | 403      | 403      | conflict
GET    /settings/selling                                   | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 200
POST   /settings/selling/retry                             | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 303
GET    /settings/sessions                                  | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 200
POST   /settings/sessions/:id/end                          | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 404
POST   /settings/sessions/end-others                       | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 303
GET    /settings/api-access                                | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 200
POST   /settings/api-access/tokens                         | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 303
GET    /settings/api-access/tokens/:id                     | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 404
POST   /settings/api-access/tokens/:id/revoke              | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 303
POST   /settings/api-access/tokens/:id/roll                | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 404
GET    /settings/api-access/everyone                       | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200
GET    /settings/webhooks                                  | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 200
POST   /settings/webhooks                                  | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 303
GET    /settings/webhooks/:webhook_id                      | 401      | 403      | 403      | 200      | 403      | 403      | 403      | 403      | 404
POST   /settings/webhooks/:webhook_id                      | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 404
POST   /settings/webhooks/:webhook_id/rotate               | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 404
POST   /settings/webhooks/:webhook_id/delete               | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 404
POST   /settings/webhooks/:webhook_id/test                 | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 404
POST   /settings/webhooks/:webhook_id/messages/:message_id/resend | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 404
POST   /settings/webhooks/:webhook_id/replay               | 401      | 403      | 403      | 303      | 403      | 403      | 403      | 403      | 404
GET    /operations                                         | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200
GET    /operations/transfers                               | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200
POST   /operations/transfers                               | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303
POST   /operations/alarms/:key/acknowledge                 | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303
GET    /operations/orders/:id                              | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200
GET    /operations/users/:id                               | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200
GET    /operations/nfts/:id                                | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200
GET    /operations/audit                                   | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200
GET    /operations/audit.csv                               | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200
GET    /operations/administrators                          | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200
POST   /operations/administrators                          | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | conflict
GET    /operations/search                                  | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200
GET    /operations/transfers/:id                           | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 200
POST   /operations/transfers/:id/retry                     | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303
POST   /operations/transfers/:id/cancel                    | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303
POST   /operations/transfers/:id/write-off                 | 401      | 403      | 403      | 403      | 403      | 403      | 403      | 403      | 303
`

type Permission = {
  /** As in `GET /api/webhooks/:webhook_id`. */
  endpoint: string
  method: string
  path: string
  /** By the position of the caller in `callers`. */
  answers: readonly string[]
}

export const permissions: readonly Permission[] = table
  .trim()
  .split('\n')
  .slice(2)
  .map((line) => {
    const [call = '', ...answers] = line.split('|').map((cell) => cell.trim())
    const [method = '', path = ''] = call.split(/ +/)
    return { endpoint: `${method} ${path}`, method, path, answers }
  })

export const answerTo = (caller: CallerName, { answers }: Permission): string =>
  answers[callers.indexOf(caller)] ?? ''

const refusals = ['401', '403', '404', 'order_not_found', 'not_your_listing']

/** Whether a caller may do what the sample request asks for. */
export const mayCall = (caller: CallerName, permission: Permission): boolean =>
  !refusals.includes(answerTo(caller, permission))
