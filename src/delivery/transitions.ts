/**
 * Everything that writes deliveries. A transition leads from some states to another one, and an event may
 * follow. It is made of statements over the same rows, in one transaction: the first appends the events,
 * while the rows still have their old state; the last changes the rows, unless they are in none of the states
 * that the transition begins with. Between them, webhook endpoints become due.
 *
 * `order.delivered` is the event of `deliver`. It comes a second time, with a new id and a higher `sequence`,
 * if a fork or a second node undoes the first (`drop_block`, `confirm_end`): no event tells that.
 * `writeDeliveryChanges` appends it with the change of its delivery, under the same condition (`isAsRead`).
 * `appendEvents` stores what could not be read again unchanged; the other fields of its body are read from
 * the order when it is sent (`toOrderData` in `events/event.ts`).
 */

import { type SQL, sql } from 'drizzle-orm'
import { placerSql } from '../auth/sources.ts'
import { type Database, toJsonSlices } from '../db/client.ts'
import type { DeliveryState } from '../db/schema/delivery.ts'
import type { WebhookEvent } from '../db/schema/webhooks.ts'
import { prepared, raw, type StatementOf } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import { makeEndpointsDue, nextEventId } from '../events/append.ts'
import { statusByState } from './model.ts'
import { describeReason } from './reasons.ts'
import type { DeliveryChange } from './rules/delivery-changes.ts'

/**
 * `from` null: all states. `to` null: the state stays as it is, whatever it is. An event says what the
 * state is then, so it needs one.
 */
type Transition = { from: readonly DeliveryState[] | null } & (
  | { to: DeliveryState; event?: WebhookEvent }
  | { to: null; event?: never }
)

type Change = Transition & { set?: (at: string) => SQL }
type Step = Transition & { to: DeliveryState }

const resetReason = sql`waitingSince = NULL, tries = 0, withoutEffect = 0,
  isUnconfirmed = 0, reasonCode = NULL, reasonDetail = NULL`

/** The reason stays if it says that the pieces have returned to the stock (`hasReturnedPieces`). */
const resetReasonUnlessReturned = sql`waitingSince = NULL, tries = 0, withoutEffect = 0,
  isUnconfirmed = 0, reasonCode = iif(reasonCode = 'cancelled', reasonCode, NULL), reasonDetail = NULL`

const cancelRequest = (at: string) =>
  sql`requestedAction = 'cancel', cancelRequestedAt = coalesce(cancelRequestedAt, ${at})`

const buyerId = sql`(SELECT o.buyerId FROM orderItems i JOIN orders o ON o.id = i.orderId
  WHERE i.id = deliveries.id)`

/**
 * Seconds that a delivery waits after its wallet was changed. Each change interrupts a step, so they may
 * not be frequent.
 */
const changeDelay = sql`min(3600, max(0, version - 1) * 30)`

/** Changes that are the same for all rows of a condition. `set`: the columns besides the state. */
const changes = {
  link_wallet: {
    from: ['awaiting_wallet'],
    to: 'queued',
    set: (at) => sql`awaits = NULL, queuedAt = ${at},
      dueAt = strftime('%Y-%m-%dT%H:%M:%fZ', ${at}, '+' || ${changeDelay} || ' seconds'),
      waitingSince = iif(chainId IS NULL, ${at}, NULL),
      reasonCode = iif(chainId IS NULL, 'network_not_configured', NULL)`,
  },
  unlink_wallet: {
    from: ['queued'],
    to: 'awaiting_wallet',
    event: 'order.awaiting_wallet',
    // Not what transactions have cost: a buyer could link wallets for ever that refuse.
    set: (at) => sql`waitingSince = NULL, isUnconfirmed = 0, reasonCode = NULL, reasonDetail = NULL,
      awaits = ${buyerId}, awaitsSince = ${at}, dueAt = NULL, queuedAt = NULL`,
  },
  retry: {
    from: ['failed'],
    to: 'queued',
    event: 'order.retried',
    set: (at) => sql`${resetReason}, dueAt = ${at}, queuedAt = ${at}, retriedAt = ${at}`,
  },
  retry_without_wallet: {
    from: ['failed'],
    to: 'awaiting_wallet',
    event: 'order.awaiting_wallet',
    set: (at) => sql`${resetReason}, awaits = ${buyerId}, awaitsSince = ${at}, dueAt = NULL,
      queuedAt = NULL, retriedAt = ${at}`,
  },
  remind: { from: ['awaiting_wallet'], to: null, set: () => sql`reminders = 1` },
  remind_last: { from: ['awaiting_wallet'], to: null, set: () => sql`reminders = 2` },
  /** Once for each delivery: the condition must say that it was not told. */
  tell_unclaimed: {
    from: ['awaiting_wallet'],
    to: 'awaiting_wallet',
    event: 'order.unclaimed',
    set: () => sql`reminders = 3`,
  },
  /** The buyer has another address, so the mail is sent again, and the link of the order is a new one. */
  tell_awaiting_wallet: {
    from: ['awaiting_wallet'],
    to: 'awaiting_wallet',
    event: 'order.awaiting_wallet',
  },
  try_now: {
    from: ['queued'],
    to: null,
    set: (at) =>
      sql`${resetReasonUnlessReturned}, dueAt = ${at}, queuedAt = coalesce(queuedAt, ${at})`,
  },
  /** As `try_now`, but the delivery goes on waiting: it fails as soon as it would have. */
  look_now: { from: ['queued'], to: null, set: (at) => sql`dueAt = ${at}` },
  configure_network: {
    from: ['queued'],
    to: null,
    set: (at) => sql`waitingSince = NULL, reasonCode = NULL, reasonDetail = NULL, dueAt = ${at}`,
  },
  request_cancellation: {
    from: ['awaiting_wallet', 'queued', 'failed'],
    to: 'queued',
    set: (at) => sql`${resetReason}, ${cancelRequest(at)}, awaits = NULL, dueAt = ${at},
      queuedAt = iif(state = 'failed', ${at}, coalesce(queuedAt, ${at}))`,
  },
  request_cancellation_in_flight: {
    from: ['in_flight'],
    to: null,
    set: (at) => sql`${resetReason}, ${cancelRequest(at)}`,
  },
  write_off: { from: ['failed'], to: 'written_off', set: () => sql`isUnconfirmed = 0` },
  /** A second node tells the same end as the first one did alone. */
  confirm_end: {
    from: ['transferred', 'failed', 'cancelled'],
    to: null,
    set: () => sql`isUnconfirmed = 0`,
  },
  /** A fork has dropped the block that had its key, or one node alone has made it up. */
  drop_block: {
    from: ['transferred', 'in_flight', 'cancelled'],
    to: 'queued',
    set: (at) =>
      sql`${resetReasonUnlessReturned}, dueAt = ${at}, queuedAt = ${at}, transactionId = NULL`,
  },
  /** The same of what was transferred by the record of its key alone, while its buyer had no wallet. */
  drop_block_without_wallet: {
    from: ['transferred'],
    to: 'awaiting_wallet',
    set: (at) => sql`${resetReason}, awaits = ${buyerId}, awaitsSince = ${at}, dueAt = NULL,
      queuedAt = NULL, transactionId = NULL`,
  },
  /** A contract was stored that is none. */
  forget_contract: { from: null, to: null, set: () => sql`contract = NULL` },
  /** Another user has proved to be the buyer. Says which one the delivery waits for, if it does. */
  change_buyer: { from: null, to: null },
} satisfies Record<string, Change>

const unended = ['awaiting_wallet', 'queued', 'in_flight', 'failed'] as const

/** What a step decides for each delivery: the columns besides the state differ from row to row. */
const steps = {
  carry: { from: ['queued'], to: 'in_flight' },
  queue: { from: ['queued', 'in_flight'], to: 'queued' },
  deliver: { from: unended, to: 'transferred', event: 'order.delivered' },
  fail: { from: unended, to: 'failed', event: 'order.failed' },
  cancel: { from: unended, to: 'cancelled', event: 'order.cancelled' },
  resume_cancellation: { from: ['failed'], to: 'queued' },
} satisfies Record<DeliveryChange['transition'], Step>

export const transitions: Readonly<Record<string, Transition>> = { ...changes, ...steps }

/** A transition that is the same for all rows of a condition. */
export type ChangeName = keyof typeof changes

export type Changed = { id: number; chainId: number | null }

/** The deliveries with these ids, for `changeDeliveries`. */
export const hasIdSql = (ids: readonly number[]): SQL =>
  sql`deliveries.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`

/**
 * Returns the statements of a transition of all deliveries for which the condition on `deliveries`
 * holds. A condition with a LIMIT needs an ORDER BY. `also`: columns besides those of the table. The
 * rows of the statements are what has changed.
 */
export function changeDeliveries(
  db: Database,
  name: ChangeName,
  condition: SQL,
  now: Date,
  also?: SQL,
): StatementOf<Changed[]>[] {
  const at = now.toISOString()
  const { from, to, event, set }: Change = changes[name]
  const selected = from ? sql`deliveries.state IN ${from} AND (${condition})` : condition
  const columns = [
    set?.(at),
    also,
    to ? sql`state = ${to}` : undefined,
    sql`version = version + 1, updatedAt = ${at}`,
  ].filter((column) => column !== undefined)
  const update = raw<Changed>(db)`
    UPDATE deliveries SET ${sql.join(columns, sql`, `)} WHERE ${selected} RETURNING id, chainId`
  if (!event) return [update]
  const told = JSON.stringify([{ event, status: statusByState[to] }])
  const events = sql`(SELECT * FROM deliveries WHERE ${selected}) d, json_each(${told}) r`
  return [appendEvents(db, events, at), makeEndpointsDue(db, at), update]
}

/** Gives deliveries that were ordered before their network was configured its chain. */
export const assignChains = (db: Database, networks: Settings['NETWORKS'], condition: SQL) =>
  raw<never>(db)`UPDATE deliveries SET chainId = (SELECT value ->> 'chainId'
      FROM orderItems i JOIN nfts n ON n.id = i.nftId, json_each(${JSON.stringify(networks)}) c
      WHERE i.id = deliveries.id AND c.key = n.contractNetwork)
    WHERE chainId IS NULL AND ${condition}`

/**
 * Returns the statements that write what was decided for deliveries. One that somebody else has changed
 * meanwhile stays as it is; a step of the engine then writes nothing at all (`delivery/store/lease.ts`).
 * `isUnconfirmed`: whether one node of several has told it alone.
 */
export function writeDeliveryChanges(
  db: Database,
  deliveries: readonly DeliveryChange[],
  isUnconfirmed: boolean,
  now: Date,
) {
  const at = now.toISOString()
  const rows = deliveries.map((delivery) => {
    const { from, to, event }: Step = steps[delivery.transition]
    const failReason = event && describeReason(delivery)
    return { ...delivery, from, to, event, status: statusByState[to], failReason }
  })
  const slices = toJsonSlices(rows)
  const hasEvents = rows.some(({ event }) => event)
  return [
    ...(hasEvents ? slices.map((rows) => appendEvents(db, deliveriesWithEvents(rows), at)) : []),
    ...(hasEvents ? [makeEndpointsDue(db, at)] : []),
    ...slices.map((slice) => updateDeliveries(db, slice, isUnconfirmed, at)),
  ]
}

/**
 * Whether the delivery `d` is as the engine has read it, and the transition `r` begins with its state: `from`
 * is a JSON array. Without `json_each`, whose rows count as read.
 */
const isAsRead = sql`d.id = r.value ->> 'id' AND d.version = r.value ->> 'version'
  AND instr(r.value -> 'from', json_quote(d.state))`

/**
 * `rows`: JSON. `isUnconfirmed`: whether one node alone has told this. A change may name another transaction
 * than the newest one, by its hash.
 */
const updateDeliveries = (db: Database, rows: string, isUnconfirmed: boolean, at: string) =>
  raw<never>(db)`UPDATE deliveries AS d SET state = r.value ->> 'to',
      requestedAction = r.value ->> 'requestedAction', waitingSince = r.value ->> 'waitingSince',
      tries = r.value ->> 'tries', withoutEffect = r.value ->> 'withoutEffect',
      isUnconfirmed = ${isUnconfirmed} AND r.value ->> 'to' IN ('transferred', 'failed', 'cancelled'),
      reasonCode = r.value ->> 'reasonCode',
      reasonDetail = r.value ->> 'reasonDetail', dueAt = r.value ->> 'dueAt', awaits = NULL,
      queuedAt = CASE WHEN r.value ->> 'to' = 'transferred' THEN NULL
        WHEN d.state = 'failed' AND r.value ->> 'to' = 'queued' THEN ${at} ELSE queuedAt END,
      deliveredAmount = coalesce(r.value ->> 'amount', deliveredAmount),
      transactionId = iif(json_type(r.value, '$.transaction') IS NULL, transactionId,
        (SELECT max(id) FROM transactions WHERE hash = r.value ->> 'transaction')),
      contract = coalesce((SELECT t.contract FROM transactions t
        WHERE t.hash = r.value ->> 'transaction' ORDER BY t.id DESC LIMIT 1), contract),
      version = d.version + 1, updatedAt = ${at}
    FROM json_each(${rows}) r WHERE ${isAsRead}`

/**
 * For `appendEvents`: the deliveries whose change has an event. One that has failed already has one if it fails
 * for another reason now, which decides whether it can be cancelled. `rows`: JSON, as for `updateDeliveries`.
 */
const deliveriesWithEvents = (
  rows: string,
) => sql`json_each(${rows}) r JOIN deliveries d ON ${isAsRead}
  AND r.value ->> 'event' IS NOT NULL
  AND (d.state <> r.value ->> 'to' OR d.reasonCode IS NOT r.value ->> 'reasonCode')`

/** `rows`: JSON, the first values of each delivery by the `payprovWebhookToken` of its order. */
type NewDeliveries = {
  rows: string
  now: string
  /** The user whose token placed the orders; null for a master token. */
  placedBy: number | null
  namespace: string
}

/** Their first states come from the plan. `appendFirstEvents` tells them. */
export const insertDeliveries = prepared((db, { rows, now, placedBy, namespace }: NewDeliveries) =>
  db.all<never>(sql`INSERT INTO deliveries (id, "key", chainId, state, dueAt, queuedAt,
        waitingSince, reasonCode, awaits, awaitsSince, placedBy, placer, createdAt, updatedAt)
      SELECT i.id, value ->> 'key', value ->> 'chainId', value ->> 'state', value ->> 'dueAt',
        value ->> 'queuedAt', value ->> 'waitingSince', value ->> 'reasonCode',
        iif(value ->> 'state' = 'awaiting_wallet', o.buyerId, NULL),
        iif(value ->> 'state' = 'awaiting_wallet', ${now}, NULL), ${placedBy},
        ${placerSql(placedBy, namespace)}, ${now}, ${now}
      FROM json_each(${rows})
        CROSS JOIN orders o ON o.id = (SELECT id FROM orders
          WHERE payprovWebhookToken = json_each.key ORDER BY id DESC LIMIT 1)
        CROSS JOIN orderItems i ON i.orderId = o.id
      ORDER BY json_each.id`),
)

/** The events of a new delivery, by its first state. */
const firstEvents = [
  { state: 'queued', event: 'order.created', sequence: 0, status: null },
  { state: 'awaiting_wallet', event: 'order.created', sequence: 0, status: 'awaiting_wallet' },
  {
    state: 'awaiting_wallet',
    event: 'order.awaiting_wallet',
    sequence: 1,
    status: 'awaiting_wallet',
  },
]

/**
 * The statements that append the first events of the deliveries that this transaction has added, with
 * these states. They are the newest: no other transaction writes between its statements, and ids grow.
 */
export function appendFirstEvents(db: Database, states: readonly DeliveryState[], now: string) {
  const told = firstEvents.filter(({ state }) => states.some((first) => first === state))
  const source = sql`(SELECT * FROM deliveries ORDER BY id DESC LIMIT ${states.length}) d
    CROSS JOIN json_each(${JSON.stringify(told)}) r ON r.value ->> 'state' = d.state`
  return [appendEvents(db, source, now), makeEndpointsDue(db, now)]
}

/**
 * The statement that appends events with all that they tell. What an order says that never changes is
 * read when an event is sent. `source` joins deliveries `d`, as they are before the change, with `r`:
 * JSON of `event`, the `status` after the change (`statusByState`), and what else an event stores.
 * `sequence`: its number among the events of the delivery. Default: the version after the change plus 1,
 * as `toShopFields` shows it. `transaction`: its hash, if it is another one than the newest.
 */
const appendEvents = (db: Database, source: SQL, at: string) =>
  raw<never>(db)`INSERT INTO events
      (id, type, at, itemId, orderId, sellerId, buyerId, source, sequence, data)
    SELECT ${nextEventId(at)} + row_number() OVER (ORDER BY told.id, sequence) - 1, told.event,
      ${at}, i.id, i.orderId, i.sellerId, o.buyerId, o.source, sequence,
      json_patch(json_object('buyerId', o.buyerId, 'claimUrl', iif(status = 'awaiting_wallet',
          (SELECT publicUrl || o.claimPath FROM instance), NULL),
        'status', coalesce(status, iif(hash IS NULL, NULL, 'transferring')), 'txId', hash,
        'failReason', told.value ->> 'failReason', 'reasonCode', told.value ->> 'reasonCode'),
        iif(status = 'transferred' AND (SELECT contentRelease FROM nfts WHERE id = i.nftId) IS NOT NULL,
          '{"hasContent":true}', '{}'))
    FROM (SELECT d.id, r.value, r.value ->> 'event' AS event, r.value ->> 'status' AS status,
        coalesce(r.value ->> 'sequence', (d.version + 1) + 1) AS sequence,
        iif(json_type(r.value, '$.transaction') IS NULL,
          (SELECT hash FROM transactions WHERE id = d.transactionId),
          (SELECT hash FROM transactions WHERE hash = r.value ->> 'transaction')) AS hash
      FROM ${source}) told
    JOIN orderItems i ON i.id = told.id JOIN orders o ON o.id = i.orderId
    ORDER BY told.id, sequence`
