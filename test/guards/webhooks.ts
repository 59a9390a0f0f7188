import type { Guard } from './guard.ts'

/** Who may change a webhook, and what its receiver can rely on. */
export const webhooks: Guard[] = [
  {
    name: 'a session makes a webhook for all orders for administrators only',
    code: 'src/events/manage.ts: createWebhook',
    broken: { condition: 'caller.role', becomes: false },
    test: 'test/pages/webhooks.test.ts: lets nobody else choose them',
  },
  {
    name: 'the webhooks of others do not exist for a user token',
    code: 'src/events/access.ts: isAccessibleSql',
    broken: { condition: 'userId', becomes: true },
    test: 'test/events/manage.test.ts: do not exist for a user token',
  },
  {
    name: 'a webhook has the https URL of a public host',
    code: 'src/events/sending/send.ts: parseWebhookUrl',
    broken: { call: 'parseDestination' },
    test: 'test/events/manage.test.ts: rejects the URL',
  },
  {
    name: 'the log shows a user token only events of its own orders',
    code: 'src/events/log.ts: isShown',
    broken: { condition: 'mayTakeSql', becomes: true },
    test: 'test/events/log.test.ts: is all orders and alarms with a master token',
  },
  {
    name: 'the log shows a token of a shop only events of its own orders',
    code: 'src/events/log.ts: isShown',
    broken: { condition: 'scope', becomes: false },
    test: 'test/orders/shop-tokens.test.ts: has the events of its own orders only, and no alarms',
  },
  {
    name: 'a token of a shop manages the webhooks of its name only',
    code: 'src/events/access.ts: isOfShop',
    broken: { condition: 'scope', becomes: false },
    test: 'test/orders/shop-tokens.test.ts: are those of its name: it neither sees nor changes others',
  },
  {
    name: 'a webhook follows no redirect',
    code: 'src/events/sending/send.ts: post',
    broken: { without: 'redirect' },
    test: 'test/events/consumer.test.ts: redirects',
  },
]
