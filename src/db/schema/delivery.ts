import { sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import type { Address, Hex } from 'viem'
import { boolean, idColumn, isOneOfSql, timestamp, timestampColumns } from './columns.ts'
import { orderItems } from './orders.ts'
import { users } from './users.ts'

export const deliveryStates = [
  'awaiting_wallet',
  'queued',
  'in_flight',
  'transferred',
  'failed',
  'cancelled',
  'written_off',
] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** The states of a delivery, as an order item shows them; null until a transaction was sent. */
export const orderItemStatuses = [
  'awaiting_wallet',
  'transferring',
  'transferred',
  'failed',
] as const

export const requestedActions = ['deliver', 'cancel'] as const
export type RequestedAction = (typeof requestedActions)[number]

/** Why a delivery waits or failed. `src/delivery/reasons.ts` has a sentence for each. */
export const reasonCodes = [
  'cancelled',
  'contract_paused',
  'contract_unavailable',
  'gas_burned',
  'gas_limit_exceeded',
  'holder_has_no_token',
  'holder_not_approved',
  'invalid_quantity',
  'invalid_recipient',
  'invalid_token_address',
  'invalid_token_id',
  'key_used_for_other_delivery',
  'mint_not_exact',
  'mint_refused',
  'minter_role_missing',
  'network_not_configured',
  'no_relayer',
  'node_unavailable',
  'quantity_above_limit',
  'recipient_not_deployed',
  'recipient_on_other_chain',
  'recipient_rejects',
  'relayer_limit_reached',
  'seller_has_no_wallet',
  'seller_on_other_chain',
  'simulation_failed',
  'single_piece_token',
  'token_limit_missing',
  'token_limit_reached',
  'token_moved_nothing',
  'token_not_deployed',
  'token_not_supported',
  'token_not_transferable',
  'transaction_not_found',
  'transfer_failed',
  'transfer_without_effect',
] as const
export type ReasonCode = (typeof reasonCodes)[number]

/**
 * The delivery of each order item. The fields `status` and `txId` of an order item and `failReason` of an
 * order are read from here.
 */
export const deliveries = sqliteTable(
  'deliveries',
  {
    /** Id of the order item. */
    id: integer()
      .primaryKey()
      .references(() => orderItems.id),
    /**
     * The delivery key, hex. The Delivery contract uses it at most once. Each is different without an
     * index: it is made of an order number, which is unique in its namespace, or of 256 random bits.
     */
    key: text().notNull(),
    /** The chain of the NFT when the order was placed; null if its network was not configured. */
    chainId: integer(),
    /** The Delivery contract of the newest transaction; null before the first. */
    contract: text(),
    state: text({ enum: deliveryStates }).notNull(),
    /** What is to be done with the key. */
    requestedAction: text({ enum: requestedActions }).notNull().default('deliver'),
    /** When the cancellation was requested first; null if it was not. */
    cancelRequestedAt: timestamp(),
    /** Number of changes. A run that read an older version changes nothing. */
    version: integer().notNull().default(0),
    /**
     * The newest transaction that carries the delivery. No foreign key: to delete a transaction, SQLite
     * would read all deliveries.
     */
    transactionId: integer(),
    /** What the contract was asked for: the pieces, or 0 for an ERC-721 token. Null until transferred. */
    deliveredAmount: integer(),
    /** When its order was paid and the buyer had a wallet. Alarms look at it. Null once transferred. */
    queuedAt: timestamp(),
    /** When an operator queued the failed delivery again. */
    retriedAt: timestamp(),
    /**
     * Since when the delivery waits for the same kind of reason; null if for its turn only. It has not
     * failed.
     */
    waitingSince: timestamp(),
    /** The transactions in which the transfer failed. */
    tries: integer().notNull().default(0),
    /**
     * Mined transactions that carried the delivery, and neither used its key nor say that its transfer
     * failed.
     */
    withoutEffect: integer().notNull().default(0),
    /**
     * Whether only one node of several has told how it ended. It is compared again once a second one answers.
     */
    isUnconfirmed: boolean().notNull().default(false),
    /** Why the delivery failed, or what it waits for; null if for its turn only. */
    reasonCode: text({ enum: reasonCodes }),
    /** What differs from delivery to delivery, such as what the chain said. No program reads it. */
    reasonDetail: text(),
    /** When the delivery is processed next; null if nothing is to be done or a transaction carries it. */
    dueAt: timestamp(),
    /** The buyer whose wallet the delivery waits for. */
    awaits: integer().references(() => users.id),
    /** When it began to wait for a wallet last; null if it never has. */
    awaitsSince: timestamp(),
    /**
     * What became of the wait: 1 once the buyer was reminded, 2 once for the last time, 3 once
     * `order.unclaimed` was told. It never goes back, so that nothing is repeated.
     */
    reminders: integer().notNull().default(0),
    /** The user whose user token placed the order; null for a master token. */
    placedBy: integer().references(() => users.id),
    /** Who placed the order: `placer` in `auth/sources.ts`. Batches are shared among them. */
    placer: text().notNull(),
    ...timestampColumns,
  },
  (t) => [
    index('deliveries_due').on(t.chainId, t.placer, t.dueAt).where(sql`${t.dueAt} IS NOT NULL`),
    // Finds the oldest delivery of each reason. Only deliveries that wait for more than their turn write it.
    index('deliveries_delayed')
      .on(t.chainId, t.reasonCode, t.queuedAt)
      .where(sql`${t.waitingSince} IS NOT NULL AND ${t.dueAt} IS NOT NULL`),
    // Only states in which deliveries stay, so that passing through the others writes no index.
    index('deliveries_waiting')
      .on(t.state, t.id)
      .where(sql`${t.state} IN ('awaiting_wallet', 'failed', 'cancelled', 'written_off')`),
    index('deliveries_compared')
      .on(t.chainId, t.id)
      .where(sql`${t.state} IN ('awaiting_wallet', 'failed')`),
    index('deliveries_unconfirmed').on(t.chainId, t.id).where(sql`${t.isUnconfirmed}`),
    // Counts what a user's tokens have under way. Going from one of the states to another writes nothing.
    index('deliveries_open')
      .on(t.placedBy)
      .where(
        sql`${t.placedBy} IS NOT NULL AND ${t.state} IN ('awaiting_wallet', 'queued', 'in_flight')`,
      ),
    // Counts what failed, by reason. With the state, SQLite does not read the rows of the table.
    index('deliveries_failed').on(t.reasonCode, t.state).where(sql`${t.state} = 'failed'`),
    // When one failed last.
    index('deliveries_failedAt').on(t.updatedAt).where(sql`${t.state} = 'failed'`),
    // Failed deliveries that were queued again and have not ended.
    index('deliveries_retried')
      .on(t.state)
      .where(sql`${t.retriedAt} IS NOT NULL AND ${t.state} IN ('queued', 'in_flight')`),
    // What changed since a time. Queued deliveries and those in flight are found by other indexes.
    index('deliveries_changed')
      .on(t.updatedAt)
      .where(sql`${t.state} NOT IN ('queued', 'in_flight')`),
    // Finds who is to be reminded, and who has waited for the longest time.
    index('deliveries_reminders')
      .on(t.reminders, t.awaitsSince)
      .where(sql`${t.state} = 'awaiting_wallet'`),
    index('deliveries_awaits').on(t.awaits).where(sql`${t.awaits} IS NOT NULL`),
    check('deliveries_state', isOneOfSql(t.state, deliveryStates)),
    check('deliveries_requestedAction', isOneOfSql(t.requestedAction, requestedActions)),
    // Without the first condition, SQLite reads the list of codes for every row without a code.
    check(
      'deliveries_reasonCode',
      sql`${t.reasonCode} IS NULL OR ${isOneOfSql(t.reasonCode, reasonCodes)}`,
    ),
    check('deliveries_reason', sql`${t.reasonCode} IS NOT NULL OR ${t.reasonDetail} IS NULL`),
    check('deliveries_awaits', sql`(${t.state} = 'awaiting_wallet') = (${t.awaits} IS NOT NULL)`),
  ],
)

/**
 * Calls of a Delivery contract. Stored before they are broadcast. There is one open row for each
 * nonce until a final block has used the nonce.
 */
export const transactions = sqliteTable(
  'transactions',
  {
    id: idColumn(),
    chainId: integer().notNull(),
    /** The Delivery contract that is called. */
    contract: text().$type<Address>().notNull(),
    signer: text().$type<Address>().notNull(),
    nonce: integer().notNull(),
    /** JSON: the ids of the deliveries, in the order of the call. Empty once the call has expired. */
    items: text({ mode: 'json' }).$type<number[]>().notNull(),
    /** The newest hash; once one is mined, that one. */
    hash: text().$type<Hex>().notNull(),
    /** JSON: the hashes of everything else that was signed for the nonce. */
    replaced: text({ mode: 'json' }).$type<Hex[]>().notNull(),
    /** The newest signed bytes; null once the transaction is closed. */
    raw: text().$type<Hex>(),
    gas: text().notNull(),
    maxFeePerGas: text().notNull(),
    maxPriorityFeePerGas: text().notNull(),
    /**
     * The last block time at which the call has an effect, in seconds since 1970. 0: this instance has
     * not signed it, or has forgotten it.
     */
    deadline: integer().notNull(),
    /** The newest block when the newest bytes were signed. */
    signedAtBlock: integer().notNull(),
    /** When the newest bytes were signed. */
    signedAt: timestamp().notNull(),
    /** The block that has the transaction; null while none is known. */
    block: integer(),
    blockHash: text().$type<Hex>(),
    /** The newest block when the nonce was first seen used by another transaction. */
    nonceUsedAt: integer(),
    /** Gas that the transaction used, and wei that it cost; null until it is final. */
    gasUsed: integer(),
    fee: text(),
    /** Whether the transaction may still be mined or dropped by a reorganization. */
    isOpen: boolean().notNull(),
    ...timestampColumns,
  },
  (t) => [
    uniqueIndex('transactions_open').on(t.chainId, t.signer, t.nonce).where(sql`${t.isOpen}`),
    index('transactions_block').on(t.chainId, t.block).where(sql`${t.block} IS NOT NULL`),
    index('transactions_hash').on(t.hash),
    // What this instance has signed. With the condition, other statements keep their smaller indexes.
    index('transactions_signed').on(t.chainId, t.signer, t.nonce).where(sql`${t.deadline} > 0`),
  ],
)

/** One row for each chain: who works on it, when to look next, and what is settled. */
export const networks = sqliteTable('networks', {
  chainId: integer().primaryKey(),
  /** Id of the run that works on the chain; null once it has released the lease. */
  lease: text(),
  /** The run may be taken for dead after this time. */
  leaseUntil: timestamp().notNull(),
  /** When the next run is needed; null if nothing is under way. */
  wakeAt: timestamp(),
  /** The highest block in which something was settled. */
  settledBlock: integer(),
  settledHash: text().$type<Hex>(),
  /** The last delivery whose key was compared with the chain, of those that failed or wait. */
  comparedId: integer().notNull().default(0),
  /** When all of them were compared. */
  comparedAt: timestamp(),
  /** JSON: every Delivery contract that has deliveries. The configured one has to know their keys. */
  contracts: text({ mode: 'json' }).$type<Address[]>().notNull().default([]),
  /** The largest number of pieces that a relayer may deliver at once; null until a node told it. */
  maxPieces: integer(),
  /** Since when no second node confirms what the first one says; null if one does. */
  unconfirmedSince: timestamp(),
  /** Open transactions that one node alone calls mined. They take no place of those in flight. */
  minedByOne: integer().notNull().default(0),
  /** Since when all nodes contradict what is stored of blocks and nonces; null if one does not. */
  contradictedSince: timestamp(),
  /** Why the last run could not work on the chain, or what it has thrown; null if it could. */
  problem: text(),
  /** Since when runs throw or stop before they have released the lease; null if the last one did not. */
  failedSince: timestamp(),
})

/** What this instance knows of the relayers of each chain. */
export const signers = sqliteTable(
  'signers',
  {
    chainId: integer().notNull(),
    address: text().$type<Address>().notNull(),
    /** Transactions in a row that reverted, and until when the signer pauses for that. */
    reverts: integer().notNull().default(0),
    pausedUntil: timestamp(),
  },
  (t) => [primaryKey({ columns: [t.chainId, t.address] })],
)

/**
 * Tokens and recipients whose transfers used up gas in transactions. After two times their deliveries wait
 * for an operator.
 */
export const burns = sqliteTable(
  'burns',
  {
    chainId: integer().notNull(),
    /** In lower case. */
    token: text().notNull(),
    /** In lower case; empty if the recipient is proven to have no part in it. */
    recipient: text().notNull(),
    times: integer().notNull(),
    updatedAt: timestamp().notNull(),
  },
  (t) => [primaryKey({ columns: [t.chainId, t.token, t.recipient] })],
)

/** One row: what belongs to the instance as a whole. */
export const instance = sqliteTable('instance', {
  id: integer().primaryKey(),
  /** SHA-256 of DELIVERY_KEY_SECRET, hex. With another secret, other keys would be made. */
  deliverySecretHash: text().notNull(),
  /** PUBLIC_URL of the newest order. Events have links. */
  publicUrl: text().notNull(),
  /** The event up to which mails about orders were sent. */
  mailPosition: integer().notNull().default(0),
})
