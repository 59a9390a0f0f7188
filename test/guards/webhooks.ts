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
    text: 'isPossibleSql({ role, userId })',
    broken: "isPossibleSql({ role: 'master', userId })",
    test: 'test/events/log.test.ts',
    title: 'is all orders and alarms with a master token',
  },
  {
    name: 'a webhook follows no redirect',
    file: 'src/events/sending/send.ts',
    text: "redirect: 'manual'",
    broken: "redirect: 'follow'",
    test: 'test/events/consumer.test.ts',
    title: 'redirects',
  },
  {
    name: 'a webhook is signed with its id and its time',
    file: 'src/events/signature.ts',
    text: '`${id}.${timestamp}.${body}`',
    broken: 'body',
    test: 'test/events/signature.test.ts',
    title: 'is the one of the reference libraries',
  },
]
