/**
 * Everything that writes deliveries. A transition leads from some states to another one, and an event
 * may follow. It is made of two statements over the same rows, in one transaction: the first appends
 * the events, while the rows still have their old state; the second changes the rows.
 */
import { and, inArray, type SQL, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { type Database, raw, type Statement } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { type DeliveryState, deliveries, deliveryStates } from '../db/schema/delivery.ts'
import type { WebhookEvent } from '../db/schema/webhooks.ts'
import { toJsonSlices } from '../db/slices.ts'
import { makeEndpointsDue, nextEventId } from '../events/append.ts'
import { describeReason } from './reasons.ts'
import type { ItemChange } from './rules/item-changes.ts'
import { itemStatus } from './shown.ts'

type Columns = SQLiteUpdateSetSource<typeof deliveries>

type Transition = {
  from: readonly DeliveryState[]
  /** Null: the state stays as it is. */
  to: DeliveryState | null
  /** Follows if the state changes. */
  event?: WebhookEvent
}

const { cancelRequestedAt, chainId, id, queuedAt, reasonCode, reasonDetail } = deliveries
const { requestedAction, state, version } = deliveries

const noReason = { failingSince: null, tries: 0, reasonCode: null, reasonDetail: null } as const

/** A cancelled item that is cancelled again keeps its reason: its pieces have returned to the stock. */
const noReasonUnlessCancelled = {
  ...{ failingSince: null, tries: 0 },
  reasonCode: sql`iif(${requestedAction} = 'cancel', ${reasonCode}, NULL)`,
  reasonDetail: sql`iif(${requestedAction} = 'cancel', ${reasonDetail}, NULL)`,
}

/** The buyer of the item. */
const buyerId = sql`(SELECT o.buyerId FROM orderItems i JOIN orders o ON o.id = i.orderId
  WHERE i.id = ${id})`

/** Seconds that an item waits after its wallet was changed. Each change interrupts a step, so they may not be frequent. */
const changeDelay = sql`min(3600, max(0, ${version} - 1) * 30)`

/** What people, operators and the cron run change. `set`: the other columns. */
const changes = {
  link_wallet: {
    from: ['awaiting_wallet'],
    to: 'queued',
    set: (at) => ({
      awaits: null,
      queuedAt: at,
      dueAt: sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${at}, '+' || ${changeDelay} || ' seconds')`,
      failingSince: sql`iif(${chainId} IS NULL, ${at}, NULL)`,
      reasonCode: sql`iif(${chainId} IS NULL, 'network_not_configured', NULL)`,
    }),
  },
  unlink_wallet: {
    from: ['queued'],
    to: 'awaiting_wallet',
    event: 'order.awaiting_wallet',
    set: () => ({ ...noReason, awaits: buyerId, dueAt: null, queuedAt: null }),
  },
  retry: {
    from: ['failed'],
    to: 'queued',
    event: 'order.retried',
    set: (at) => ({ ...noReason, dueAt: at, queuedAt: at, retriedAt: at }),
  },
  retry_without_wallet: {
    from: ['failed'],
    to: 'awaiting_wallet',
    event: 'order.awaiting_wallet',
    set: (at) => ({ ...noReason, awaits: buyerId, dueAt: null, queuedAt: null, retriedAt: at }),
  },
  try_now: {
    from: ['queued'],
    to: null,
    set: (at) => ({
      ...noReasonUnlessCancelled,
      dueAt: at,
      queuedAt: sql`coalesce(${queuedAt}, ${at})`,
    }),
  },
  /** As `try_now`, but the item goes on waiting: it fails as soon as it would have. */
  look_now: { from: ['queued'], to: null, set: (at) => ({ dueAt: at }) },
  configure_network: {
    from: ['queued'],
    to: null,
    set: (at) => ({ failingSince: null, reasonCode: null, reasonDetail: null, dueAt: at }),
  },
  request_cancellation: {
    from: ['awaiting_wallet', 'queued', 'failed'],
    to: 'queued',
    set: (at) => ({
      ...noReason,
      ...cancelRequest(at),
      awaits: null,
      dueAt: at,
      queuedAt: sql`iif(${state} = 'failed', ${at}, coalesce(${queuedAt}, ${at}))`,
    }),
  },
  request_cancellation_in_flight: {
    from: ['in_flight'],
    to: null,
    set: (at) => ({ ...noReason, ...cancelRequest(at) }),
  },
  write_off: { from: ['failed'], to: 'written_off', set: () => ({}) },
  /** A fork has dropped the block that had its key. */
  drop_block: {
    from: ['transferred', 'in_flight', 'cancelled'],
    to: 'queued',
    set: (at) => ({ ...noReasonUnlessCancelled, dueAt: at, queuedAt: at, transactionId: null }),
  },
  /** A contract was stored that is none. */
  forget_contract: { from: deliveryStates, to: null, set: () => ({ contract: null }) },
  /** Another user has proved to be the buyer. Says which one the item waits for, if it does. */
  change_buyer: { from: deliveryStates, to: null, set: () => ({}) },
} satisfies Record<string, Transition & { set: (at: string) => Columns }>

const cancelRequest = (at: string) => ({
  requestedAction: 'cancel' as const,
  cancelRequestedAt: sql`coalesce(${cancelRequestedAt}, ${at})`,
})

const unended = ['awaiting_wallet', 'queued', 'in_flight', 'failed'] as const

/** What the engine changes, row by row (`ItemChange`). */
const steps = {
  carry: { from: ['queued'], to: 'in_flight' },
  wait: { from: ['queued', 'in_flight'], to: 'queued' },
  deliver: { from: unended, to: 'transferred', event: 'order.delivered' },
  fail: { from: unended, to: 'failed', event: 'order.failed' },
  cancel: { from: unended, to: 'cancelled', event: 'order.cancelled' },
} satisfies Record<string, Transition>

export const transitions: Readonly<Record<string, Transition>> = { ...changes, ...steps }

/** A transition that people, operators or the cron run make. */
export type ChangeName = keyof typeof changes

/** A delivery that has changed. */
export type Changed = { id: number; chainId: number | null }

/** The deliveries with these ids, for `changeDeliveries`. */
export const hasId = (ids: readonly number[]): SQL =>
  sql`deliveries.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`

/**
 * Returns the statements of a transition of all deliveries for which the condition on `deliveries`
 * holds. `values`: columns besides those of the table. Their rows are what has changed. A condition with a LIMIT needs an ORDER BY.
 */
export function changeDeliveries(
  db: Database,
  name: ChangeName,
  condition: SQL,
  now: Date,
  values: Columns = {},
): RunnableQuery<Changed[], 'sqlite'>[] {
  const at = now.toISOString()
  const { from, to, set, event }: Transition & { set: (at: string) => Columns } = changes[name]
  const selected = sql`${and(inArray(state, [...from]), condition)}`
  const update = db
    .update(deliveries)

    .set({
      ...set(at),
      ...values,
      ...(to && { state: to }),
      version: sql`${version} + 1`,
      updatedAt: at,
    })
    .where(selected)
    .returning({ id, chainId })
  return event && to
    ? [appendEvents(db, { event, to }, selected, at), makeEndpointsDue(db, at), update]
    : [update]
}

/** The events of deliveries that wait or are queued: of these no reason is told. */
const appendEvents = (
  db: Database,
  { event, to }: { event: WebhookEvent; to: DeliveryState },
  selected: SQL,
  at: string,
) =>
  raw<Changed>(
    db,
    sql`INSERT INTO events
        (id, type, at, itemId, orderId, sellerId, buyerId, source, sequence, data)
      SELECT ${nextEventId(at)} + row_number() OVER (ORDER BY deliveries.id) - 1, ${event}, ${at},
        i.id, i.orderId, i.sellerId, o.buyerId, o.source, deliveries.version + 2,
        json_object('buyerId', o.buyerId,
          'claimUrl', iif(${to} = 'awaiting_wallet',
            (SELECT publicUrl || '/claim/' || o.id FROM instance), NULL),
          'status', coalesce(${itemStatus(to, null)}, iif(t.id IS NULL, NULL, 'transferring')),
          'txId', t.hash, 'failReason', NULL, 'reasonCode', NULL)
      FROM deliveries JOIN orderItems i ON i.id = deliveries.id JOIN orders o ON o.id = i.orderId
        LEFT JOIN transactions t ON t.id = deliveries.transactionId
      WHERE ${selected} ORDER BY deliveries.id`,
  )

/**
 * Returns the statements that write what the engine has decided. An item that somebody else has changed
 * meanwhile stays as it is.
 */
export function writeItemChanges(
  db: Database,
  items: readonly ItemChange[],
  now: Date,
): Statement[] {
  const at = now.toISOString()
  const events = items.flatMap((item) => {
    const event = item.state === item.from ? undefined : eventAfter(item.state)
    return event ? { ...item, event, data: eventData(item) } : []
  })
  return [
    ...toJsonSlices(events).map((rows) => appendItemEvents(db, rows, at)),
    ...(events.length > 0 ? [makeEndpointsDue(db, at)] : []),
    ...toJsonSlices(items).map((rows) => updateItems(db, rows, at)),
  ]
}

const eventAfter = (to: DeliveryState): WebhookEvent | undefined =>
  Object.values<Transition>(steps).find((step) => step.to === to)?.event

const eventData = (item: ItemChange) => ({
  claimUrl: null,
  status: itemStatus(item.state, null),
  ...(item.state === 'transferred'
    ? { failReason: null, reasonCode: null }
    : { failReason: describeReason(item), reasonCode: item.reasonCode }),
})

/** `rows`: JSON. A change may name another transaction than the newest one, by its hash. */
const appendItemEvents = (db: Database, rows: string, at: string) =>
  raw<never>(
    db,
    sql`INSERT INTO events
        (id, type, at, itemId, orderId, sellerId, buyerId, source, sequence, data)
      SELECT ${nextEventId(at)} + row_number() OVER (ORDER BY json_each.key) - 1,
        value ->> 'event', ${at}, i.id, i.orderId, i.sellerId, o.buyerId, o.source, d.version + 2,
        json_set(value -> 'data', '$.buyerId', o.buyerId, '$.txId',
          iif(json_type(value, '$.transaction') IS NULL,
            (SELECT hash FROM transactions WHERE id = d.transactionId),
            (SELECT hash FROM transactions WHERE hash = value ->> 'transaction')))
      FROM json_each(${rows}) JOIN deliveries d
          ON d.id = value ->> 'id' AND d.version = value ->> 'version'
        JOIN orderItems i ON i.id = d.id JOIN orders o ON o.id = i.orderId
      ORDER BY json_each.key`,
  )

const updateItems = (db: Database, rows: string, at: string) =>
  raw<never>(
    db,
    sql`UPDATE deliveries SET state = value ->> 'state',
        requestedAction = value ->> 'requestedAction', failingSince = value ->> 'failingSince',
        tries = value ->> 'tries', reasonCode = value ->> 'reasonCode',
        reasonDetail = value ->> 'reasonDetail', dueAt = value ->> 'dueAt', awaits = NULL,
        queuedAt = iif(value ->> 'state' = 'transferred', NULL, queuedAt),
        deliveredAmount = coalesce(value ->> 'amount', deliveredAmount),
        transactionId = iif(json_type(value, '$.transaction') IS NULL, transactionId,
          (SELECT max(id) FROM transactions WHERE hash = value ->> 'transaction')),
        contract = coalesce((SELECT t.contract FROM transactions t
          WHERE t.hash = value ->> 'transaction' ORDER BY t.id DESC LIMIT 1), contract),
        version = deliveries.version + 1, updatedAt = ${at}
      FROM json_each(${rows})
      WHERE deliveries.id = value ->> 'id' AND deliveries.version = value ->> 'version'`,
  )

/** Gives items that were ordered before their network was configured its chain. */
export const assignChains = (
  db: Database,
  networks: Readonly<Record<string, { chainId: number }>>,
  condition: SQL,
) =>
  raw<never>(
    db,
    sql`UPDATE deliveries SET chainId = (SELECT value ->> 'chainId'
        FROM orderItems i JOIN nfts n ON n.id = i.nftId, json_each(${JSON.stringify(networks)}) c
        WHERE i.id = deliveries.id AND c.key = n.contractNetwork)
      WHERE chainId IS NULL AND ${condition}`,
  )

/** `rows`: JSON of the first values of each delivery, in the order of the newest `orderCount` items. */
type NewDeliveries = {
  rows: string
  now: string
  orderCount: number
  /** The user whose token placed the orders; null for a master token. */
  placedBy: number | null
  namespace: string
}

/** Inserts the deliveries of the newest order items. Their first states come from the plan. */
export const insertDeliveries = prepared((db, values: Placeholders<NewDeliveries>) =>
  db.all<never>(sql`INSERT INTO deliveries (id, "key", chainId, state, dueAt, queuedAt, failingSince,
      reasonCode, awaits, placedBy, placer, createdAt, updatedAt)
    SELECT i.id, value ->> 'key', value ->> 'chainId', value ->> 'state', value ->> 'dueAt',
      value ->> 'queuedAt', value ->> 'failingSince', value ->> 'reasonCode',
      iif(value ->> 'state' = 'awaiting_wallet', o.buyerId, NULL), ${values.placedBy},
      coalesce('user:' || CAST(${values.placedBy} AS INTEGER), ${values.namespace}),
      ${values.now}, ${values.now}
    FROM json_each(${values.rows})
      JOIN "orderItems" i
        ON i.id = (SELECT max(id) FROM "orderItems") - ${values.orderCount} + 1 + json_each.key
      JOIN orders o ON o.id = i.orderId
    ORDER BY json_each.key`),
)

/**
 * The statements that append the first events of the newest deliveries. The second event of one says
 * that its buyer has no wallet.
 */
export const appendFirstEvents = (
  db: Database,
  { now, orderCount }: Pick<NewDeliveries, 'now' | 'orderCount'>,
): Statement[] => [
  raw<never>(
    db,
    sql`INSERT INTO events
        (id, type, at, itemId, orderId, sellerId, buyerId, source, sequence, data)
      SELECT ${nextEventId(now)} + row_number() OVER (ORDER BY d.id, value) - 1,
        iif(value = 0, 'order.created', 'order.awaiting_wallet'), ${now}, d.id, i.orderId,
        i.sellerId, o.buyerId, o.source, value,
        json_object('buyerId', o.buyerId, 'claimUrl', iif(d.state = 'awaiting_wallet',
            (SELECT publicUrl || '/claim/' || o.id FROM instance), NULL),
          'status', iif(d.state = 'awaiting_wallet', d.state, NULL), 'txId', NULL,
          'failReason', NULL, 'reasonCode', NULL)
      FROM (SELECT id, state FROM deliveries ORDER BY id DESC LIMIT ${orderCount}) d
        JOIN orderItems i ON i.id = d.id JOIN orders o ON o.id = i.orderId, json_each('[0, 1]')
      WHERE value = 0 OR d.state = 'awaiting_wallet'
      ORDER BY d.id, value`,
  ),
  makeEndpointsDue(db, now),
]
