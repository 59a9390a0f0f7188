import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { isOneOfSql, reference, timestamp, timestampColumns } from './columns.ts'
import type { orderItemStatuses, ReasonCode } from './delivery.ts'
import { tokenRoles, users } from './users.ts'

/**
 * The events, and what each means, for people: `meaning` is a sentence without a full stop, and `more`
 * follows it in `docs/guides/webhooks.md`. `scripts/build/openapi/events.ts` describes their bodies.
 */
export const eventTexts = {
  'order.created': { meaning: 'An order was placed', more: '' },
  'order.awaiting_wallet': {
    meaning: 'The buyer has no wallet yet',
    more:
      'The transfer starts when one is linked. Sent again, with another `claimUrl`, if an operator ' +
      'has corrected the address of the buyer.',
  },
  'order.unclaimed': {
    meaning: 'The buyer has linked no wallet for 21 days',
    more: 'Told once, after two reminders. The order goes on waiting: ask the buyer, or cancel it.',
  },
  'order.delivered': {
    meaning: 'The buyer has the NFT',
    more:
      '`txId` is the transaction. Sent again, with a higher `sequence`, after a fork of the chain has ' +
      'undone it: the NFT is delivered once more.',
  },
  'order.failed': {
    meaning: 'The NFT could not be delivered',
    more:
      '`reasonCode` says why to programs, `failReason` to people. Sent again if the reason changes: ' +
      'then it may be possible to cancel the order.',
  },
  'order.cancelled': {
    meaning: 'The delivery was cancelled: who chose order.failed gets this, too',
    more: 'The NFT never arrives, so [refund the order](refunds.md). `txId` has the cancellation.',
  },
  'order.retried': {
    meaning: 'A delivery that failed is tried again',
    more: 'The order is not failed any more: wait for its next event.',
  },
  'alarm.raised': {
    meaning: 'Something is wrong with the marketplace',
    more: 'Sent again each hour while it lasts, `token_ends` each day. Only for administrators.',
  },
  'alarm.cleared': { meaning: 'An alarm is over', more: 'Only for administrators.' },
  'webhook.test': {
    meaning: 'You asked for a test, or the URL is new',
    more: 'Every endpoint receives it.',
  },
}
export type WebhookEvent = keyof typeof eventTexts
export const webhookEvents = Object.keys(eventTexts) as [WebhookEvent, ...WebhookEvent[]]

/** What an event of an order says that cannot be read again unchanged from the order. */
export type OrderFacts = {
  buyerId: number
  /** Where the buyer links a wallet; null unless the delivery waits for one. */
  claimUrl: string | null
  status: (typeof orderItemStatuses)[number] | null
  txId: string | null
  failReason: string | null
  reasonCode: ReasonCode | null
  /** Whether the delivery has released content. */
  hasContent?: true
}

export type AlarmData = Record<'name' | 'subject' | 'detail' | 'raisedAt' | 'runbookUrl', string>

export type TestData = { message: string; challenge: string }

export const disabledReasons = ['failing', 'gone', 'owner', 'demoted'] as const

/**
 * The log of events, kept for 30 days. Who changes something appends its event in the same
 * transaction (`delivery/transitions.ts`, `events/append.ts`, `events/resend.ts`). It has no index but
 * the id, so that an event is one written row.
 */
export const events = sqliteTable('events', {
  /**
   * Microseconds since 1970, or one more than the last id. It grows even in a database that was set
   * back, so that no id is used for two events.
   */
  id: integer().primaryKey(),
  type: text({ enum: webhookEvents }).notNull(),
  /** Time of the event. */
  at: timestamp().notNull(),
  /** The next five, and `sequence`, are of events of orders. */
  itemId: integer(),
  orderId: integer(),
  sellerId: integer(),
  buyerId: integer(),
  /** Of the order: `source` in `auth/sources.ts`. */
  source: text(),
  /** The endpoint that a test is for. */
  endpointId: text(),
  /** Grows with each event of an order. */
  sequence: integer(),
  /**
   * JSON: of an order, what cannot be read again unchanged; of an alarm and a test, everything. It
   * has ids only, no personal data.
   */
  data: text({ mode: 'json' }).$type<OrderFacts | AlarmData | TestData>().notNull(),
})

/** Where events are sent: a cursor in the log. */
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
    /** JSON: names of the tokens of whose orders events are sent; null for all. */
    sources: text({ mode: 'json' }).$type<string[]>(),
    /**
     * Namespace of the token with the scope `orders` that made it: such tokens manage it, and it stays
     * with their name alone and without alarms. Null for others.
     */
    namespace: text(),
    /** Random. The secret is computed from it, and never stored. See `events/secret.ts`. */
    secretId: text().notNull(),
    /** The one before the last rotation, which signs as well until the time beside it. */
    previousSecretId: text(),
    previousSecretUntil: timestamp(),
    /** When the receiver returned the challenge of a test. Until then it gets only tests. */
    verifiedAt: timestamp(),
    /** Id of the last event that was sent or is not for it. */
    position: integer().notNull(),
    /** The position when `events` or `sources` were set: what was sent before is not known. */
    logFrom: integer().notNull(),
    /**
     * When it is to be woken; null if there is nothing to send. While it is null, a verified and
     * enabled endpoint has nothing to get after `position`.
     */
    dueAt: timestamp(),
    /** The `dueAt` for which a message of the queue was planned last; null if none was. */
    wakeAt: timestamp(),
    /** A consumer sends to it until then at the latest; null if none does. */
    leaseUntil: timestamp(),
    /**
     * Rejections in a row, until there are 5; 7 once it does not answer. From 5 on the endpoint pauses
     * after each failure and gets one message at a time: 2 more for each that is rejected, 4 for each
     * that is not answered, 1 less for each that is accepted.
     */
    penalty: integer().notNull().default(0),
    /** Until then it gets only tests. */
    pausedUntil: timestamp(),
    /** When the first attempt failed after the last one that succeeded. */
    failingSince: timestamp(),
    /** When the owner was told that it will be or, after an answer of 410, was disabled. */
    warnedAt: timestamp(),
    disabledAt: timestamp(),
    /**
     * `failing` for five days; `gone`: it answered 410; `owner`: by its owner; `demoted`: its user
     * is no administrator any more.
     */
    disabledReason: text({ enum: disabledReasons }),
    /** Deleted by its owner. The cron run removes its messages, then the row. */
    deletedAt: timestamp(),
    ...timestampColumns,
  },
  (t) => [
    index('webhookEndpoints_user').on(t.userId),
    index('webhookEndpoints_disabled').on(t.disabledReason).where(sql`${t.disabledAt} IS NOT NULL`),
    index('webhookEndpoints_master').on(t.id).where(sql`${t.role} = 'master'`),
    index('webhookEndpoints_due')
      .on(t.dueAt)
      .where(sql`${t.dueAt} IS NOT NULL AND ${t.disabledAt} IS NULL`),
    index('webhookEndpoints_failing')
      .on(t.failingSince)
      .where(sql`${t.failingSince} IS NOT NULL AND ${t.disabledAt} IS NULL`),
    index('webhookEndpoints_deleted').on(t.deletedAt).where(sql`${t.deletedAt} IS NOT NULL`),
    check('webhookEndpoints_role', isOneOfSql(t.role, tokenRoles)),
    check(
      'webhookEndpoints_disabled',
      sql`(${t.disabledAt} IS NULL) = (${t.disabledReason} IS NULL)`,
    ),
  ],
)

export type WebhookEndpoint = typeof webhookEndpoints.$inferSelect

export const webhookStates = ['pending', 'delivered', 'failed'] as const

/** An event that an endpoint did not accept at the first attempt, that is sent again, or a test. */
export const webhookMessages = sqliteTable(
  'webhookMessages',
  {
    eventId: integer().notNull(),
    endpointId: text().notNull(),
    state: text({ enum: webhookStates }).notNull(),
    /** Attempts since the event, or since it was sent again by its owner. */
    tries: integer().notNull(),
    /** JSON: the last attempts, as `WebhookAttempt` of the API. */
    attempts: text().notNull().default('[]'),
    /** When it is sent next; null if it is not pending. */
    dueAt: timestamp(),
  },
  (t) => [
    primaryKey({ columns: [t.eventId, t.endpointId] }),
    index('webhookMessages_due').on(t.endpointId, t.dueAt).where(sql`${t.dueAt} IS NOT NULL`),
    index('webhookMessages_state').on(t.endpointId, t.state, t.eventId),
    check('webhookMessages_state', isOneOfSql(t.state, webhookStates)),
    check('webhookMessages_due', sql`(${t.state} = 'pending') = (${t.dueAt} IS NOT NULL)`),
  ],
)
