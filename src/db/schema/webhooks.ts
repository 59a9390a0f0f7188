import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, isOneOf, reference, timestamp, timestamps } from './columns.ts'
import { tokenRoles, users } from './users.ts'

export const webhookEvents = [
  'order.created',
  'order.awaiting_wallet',
  'order.delivered',
  'order.failed',
  'order.cancelled',
  'webhook.test',
  'alarm.raised',
  'alarm.cleared',
] as const
export type WebhookEvent = (typeof webhookEvents)[number]

export const disabledReasons = ['failing', 'gone', 'owner'] as const

/** Where events are sent. */
export const webhookEndpoints = sqliteTable(
  'webhookEndpoints',
  {
    /** UUID. */
    id: text().primaryKey(),
    userId: reference(() => users.id),
    /** `user`: orders that the user bought or sold. `master`: all, while the user is administrator. */
    role: text({ enum: tokenRoles }).notNull(),
    url: text().notNull(),
    /** JSON: the events to send. */
    events: text({ mode: 'json' }).$type<WebhookEvent[]>().notNull(),
    /** Random. The secret is computed from it, and never stored. See `webhooks/signature.ts`. */
    secretId: text().notNull(),
    /** The one before the last rotation, which signs as well until the time beside it. */
    previousSecretId: text(),
    previousSecretUntil: timestamp(),
    /** When the first attempt failed after the last one that succeeded. */
    failingSince: timestamp(),
    /** When the owner was told that it will be disabled. */
    warnedAt: timestamp(),
    /** A consumer sends to it until then at the latest; null if none does. */
    sendingUntil: timestamp(),
    disabledAt: timestamp(),
    /** `failing` for five days; `gone`: it answered 410; `owner`: by its owner. */
    disabledReason: text({ enum: disabledReasons }),
    ...timestamps,
  },
  (t) => [
    index('webhookEndpoints_user').on(t.userId),
    index('webhookEndpoints_disabled').on(t.disabledReason).where(sql`${t.disabledAt} IS NOT NULL`),
    index('webhookEndpoints_master').on(t.id).where(sql`${t.role} = 'master'`),
    index('webhookEndpoints_failing')
      .on(t.failingSince)
      .where(sql`${t.failingSince} IS NOT NULL AND ${t.disabledAt} IS NULL`),
    check('webhookEndpoints_role', isOneOf(t.role, tokenRoles)),
    check(
      'webhookEndpoints_disabled',
      sql`(${t.disabledAt} IS NULL) = (${t.disabledReason} IS NULL)`,
    ),
  ],
)

export const webhookStates = ['pending', 'delivered', 'failed'] as const

/** The outbox: one row for each event and endpoint. Triggers write those of orders. */
export const webhookMessages = sqliteTable(
  'webhookMessages',
  {
    /** `msg_` and 32 hexadecimal digits: the header `webhook-id` of every attempt. */
    id: text().primaryKey(),
    endpointId: text().notNull(),
    type: text({ enum: webhookEvents }).notNull(),
    /** Of events of orders. */
    orderId: integer(),
    /** JSON: the body, which never changes. */
    payload: text().notNull(),
    state: text({ enum: webhookStates }).notNull(),
    /** Attempts since it was created, sent again or replayed. */
    attempts: integer().notNull().default(0),
    /** When it is sent next; null if it is not pending. */
    dueAt: timestamp(),
    ...timestamps,
  },
  (t) => [
    index('webhookMessages_due').on(t.dueAt, t.endpointId).where(sql`${t.dueAt} IS NOT NULL`),
    // So that what waits for one endpoint does not slow down another.
    index('webhookMessages_pending').on(t.endpointId, t.dueAt).where(sql`${t.dueAt} IS NOT NULL`),
    index('webhookMessages_endpoint').on(t.endpointId, t.createdAt),
    index('webhookMessages_order').on(t.orderId).where(sql`${t.orderId} IS NOT NULL`),
    index('webhookMessages_age').on(t.createdAt),
    check('webhookMessages_state', isOneOf(t.state, webhookStates)),
    check('webhookMessages_due', sql`(${t.state} = 'pending') = (${t.dueAt} IS NOT NULL)`),
  ],
)

/** What the receivers answered. */
export const webhookAttempts = sqliteTable(
  'webhookAttempts',
  {
    id: id(),
    messageId: text().notNull(),
    at: timestamp().notNull(),
    /** Milliseconds. */
    duration: integer().notNull(),
    /** Of the response; null if there was none. */
    status: integer(),
    /** Why it counts as failed; null for a success. */
    error: text(),
  },
  (t) => [index('webhookAttempts_message').on(t.messageId)],
)
