import type { Guard } from './guard.ts'

/** Who may change a webhook, and what its receiver can rely on. */
export const webhooks: Guard[] = [
  {
    name: 'a session makes a webhook for all orders for administrators only',
    file: 'src/events/manage.ts',
    text: 'guards.unshift(refuseNonAdministrator(caller))',
    broken: 'guards.unshift()',
    test: 'test/pages/webhooks.test.ts',
    title: 'lets nobody else choose them',
  },
  {
    name: 'the webhooks of others do not exist for a user token',
    file: 'src/events/access.ts',
    text: 'eq(webhookEndpoints.userId, caller.userId),',
    broken: '',
    test: 'test/events/manage.test.ts',
    title: 'do not exist for a user token',
  },
  {
    name: 'a webhook has the https URL of a public host',
    file: 'src/events/sending/send.ts',
    text: '  parseDestination(url, {\n    field',
    broken: '  Object.assign(new URL(url), {\n    field',
    test: 'test/events/manage.test.ts',
    title: 'rejects the URL',
  },
  {
    name: 'the log shows a user token only events of its own orders',
    file: 'src/events/log.ts',
    text: 'isPossibleSql(caller),',
    broken: "isPossibleSql({ ...caller, role: 'master' }),",
    test: 'test/events/log.test.ts',
    title: 'is all orders and alarms with a master token',
  },
  {
    name: 'the log shows a token of a shop only events of its own orders',
    file: 'src/events/log.ts',
    text: "caller.scope === 'orders' ? eq(events.source, namespaceOf(caller.tokenId)) : undefined,",
    broken: 'undefined,',
    test: 'test/orders/shop-tokens.test.ts',
    title: 'has the events of its own orders only, and no alarms',
  },
  {
    name: 'a token of a shop manages the webhooks of its name only',
    file: 'src/events/access.ts',
    text: "scope === 'orders' ? eq(webhookEndpoints.namespace, namespaceOf(tokenId)) : undefined",
    broken:
      "scope === 'metrics' ? eq(webhookEndpoints.namespace, namespaceOf(tokenId)) : undefined",
    test: 'test/orders/shop-tokens.test.ts',
    title: 'are those of its name: it neither sees nor changes others',
  },
  {
    name: 'a webhook follows no redirect',
    file: 'src/events/sending/send.ts',
    text: "redirect: 'manual'",
    broken: "redirect: 'follow'",
    test: 'test/events/consumer.test.ts',
    title: 'redirects',
  },
]
