/** Changes of items that a step writes. */
import type { Hex } from 'viem'
import type { ReasonCode } from '../../db/schema/delivery.ts'
import { withoutAddresses } from '../../ethereum/revert.ts'
import { explain, type Reason } from '../reasons.ts'
import type { CarriedItem, Item } from './state.ts'

/** The new values of an item. Nothing is written if its version is another one by then. */
export type Move = {
  id: number
  version: number
  state: Item['state']
  requestedAction: Item['requestedAction']
  failingSince: string | null
  tries: number
  reasonCode: ReasonCode | null
  reason: string | null
  dueAt: string | null
  /** Its transaction, of those that the same step writes. */
  transaction?: Hex | undefined
  /** Whether its pieces return to the stock. */
  isReturned?: boolean
}

/** Transactions in which a transfer may fail before the item fails. */
const MAX_TRIES = 3

type Source = Omit<CarriedItem, 'key'>

/** Copies what stays the same. */
const moveOf = ({
  id,
  version,
  requestedAction,
  failingSince,
  tries,
  reasonCode,
  reason,
}: Source) => ({
  id,
  version,
  requestedAction,
  failingSince,
  tries,
  reasonCode,
  reason,
})

/** Queues the item. It is processed next at `at`. */
export const queue = (item: Source, at: Date): Move => ({
  ...moveOf(item),
  state: 'queued',
  dueAt: at.toISOString(),
})

/** The item was delivered, by this transaction if it is known. */
export const transferred = (item: Source, transaction?: Hex): Move => ({
  ...moveOf(item),
  state: 'transferred',
  requestedAction: 'deliver',
  failingSince: null,
  reasonCode: null,
  reason: null,
  dueAt: null,
  transaction,
})

/** The item cannot be delivered, and its order fails with the reason. */
export const fail = (item: Source, { reasonCode, reason }: Reason, transaction?: Hex): Move => ({
  ...moveOf(item),
  state: 'failed',
  requestedAction: 'deliver',
  reasonCode,
  reason,
  dueAt: null,
  transaction,
})

/** The key was used up without a transfer. The pieces return to the stock, but only once. */
export const cancelled = (item: Source, transaction?: Hex): Move => ({
  ...moveOf(item),
  ...explain('cancelled'),
  state: 'cancelled',
  requestedAction: 'cancel',
  dueAt: null,
  transaction,
  isReturned: item.reasonCode !== 'cancelled',
})

/** The transfer failed in a transaction. It is tried again at once, a few times. */
export function failedInTransaction(item: Source, reason: Reason, now: Date): Move {
  const tries = item.tries + 1
  const failingSince = item.failingSince ?? now.toISOString()
  const failing = { ...item, ...reason, tries, failingSince }
  return tries >= MAX_TRIES ? fail(failing, reason) : queue(failing, now)
}

/** The item waits for something. It is processed next at `at`. */
export const wait = (
  item: Source,
  { reasonCode, reason }: Reason,
  failingSince: string,
  at: Date,
): Move => queue({ ...item, reasonCode, reason, failingSince }, at)

/**
 * Queues the item with what it waits for. One that is cancelled again keeps its reason, which says
 * that its pieces have returned to the stock.
 */
export const postpone = (item: Source, reason: Reason, at: Date): Move =>
  queue(item.reasonCode === 'cancelled' ? item : { ...item, ...reason }, at)

/** What the log may show of a reason. */
export const loggedReason = (reason: string | null) => reason && withoutAddresses(reason)
