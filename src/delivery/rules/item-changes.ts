/** What becomes of items: the changes that a step writes, and how long an item waits. */
import type { Hex } from 'viem'
import type { ReasonCode } from '../../db/schema/delivery.ts'
import { HOUR, MINUTE, SECOND } from '../../time.ts'
import type { Item } from '../model.ts'
import { explain, hasReturnedPieces, type Reason, rules } from '../reasons.ts'

/** What the changes of an item depend on. */
export type WaitingItem = Pick<Item, 'id' | 'version' | 'requestedAction' | 'failingSince'> &
  Pick<Item, 'tries' | 'withoutEffect' | 'reasonCode' | 'reasonDetail' | 'cancelRequestedAt'>

/** The new values of an item. Nothing is written if its version is another one by then. */
export type ItemChange = Omit<WaitingItem, 'cancelRequestedAt'> & {
  /** `transitions.ts` says from which states to which one they lead. */
  transition: 'carry' | 'queue' | 'deliver' | 'fail' | 'cancel' | 'resume_cancellation'
  dueAt: string | null
  /** The hash of its transaction, if that is another one. Null: none carries it any more. */
  transaction?: Hex | null | undefined
  /** What the contract was asked for, if it was delivered: 0 for an ERC-721 token. */
  amount?: number
  /** Whether its reason, if it is one of listings, stops the sale: two nodes tell it, where there are two. */
  stopsSale?: boolean
  /** Whether its key was used up although nobody has asked for that. */
  isUnrequested?: boolean
  /** Whether its pieces return to the stock. */
  isReturned?: boolean
  /** Whether its pieces, which had returned to the stock, are taken from it again. */
  isTaken?: boolean
}

/** Delay between two checks of an item that waits, in milliseconds: as long as it has waited. */
const FIRST_CHECK_DELAY = 15 * SECOND
const MAX_CHECK_DELAY = HOUR
/** The most while only one of several nodes has said what it waits for: that may be wrong. */
const MAX_UNCONFIRMED_CHECK_DELAY = 5 * MINUTE
/**
 * Transactions in which a transfer may fail before the item fails. With those that had no effect, the item
 * waits for an operator.
 */
export const MAX_TRIES = 3

const copy = (item: WaitingItem) => ({
  id: item.id,
  version: item.version,
  requestedAction: item.requestedAction,
  failingSince: item.failingSince,
  tries: item.tries,
  withoutEffect: item.withoutEffect,
  reasonCode: item.reasonCode,
  reasonDetail: item.reasonDetail,
})

const notWaiting = { failingSince: null, reasonCode: null, reasonDetail: null }

/** Queues the item. It is processed next at `at`. */
export const queue = (item: WaitingItem, at: Date): ItemChange => ({
  ...copy(item),
  transition: 'queue',
  dueAt: at.toISOString(),
})

/** A transaction carries the item. What it waited for is over, unless its transfer failed before. */
export const carry = (item: WaitingItem, transaction: Hex): ItemChange => ({
  ...copy(item),
  ...(item.tries === 0 && !hasReturnedPieces(item) && notWaiting),
  transition: 'carry',
  dueAt: null,
  transaction,
})

/**
 * The item was delivered, by this transaction if it is known. `amount` is that of the call. One whose
 * cancellation a reorganization has undone gets its pieces from the stock again.
 */
export const deliver = (
  item: WaitingItem,
  amount: bigint,
  transaction?: Hex | null,
): ItemChange => ({
  ...copy(item),
  ...notWaiting,
  transition: 'deliver',
  requestedAction: 'deliver',
  dueAt: null,
  transaction,
  amount: Number(amount),
  isTaken: hasReturnedPieces(item),
})

/** The item cannot be delivered, and its order fails with the reason. `reasons.ts` says when. */
export const fail = (item: WaitingItem, reason: Reason, transaction?: Hex | null): ItemChange => ({
  ...copy(item),
  ...reason,
  transition: 'fail',
  requestedAction: 'deliver',
  dueAt: null,
  transaction,
})

/**
 * A fork has dropped the block that had used up the key of a failed item. If its cancellation was
 * requested, it goes on. Otherwise the item stays failed, and can be retried.
 */
export const reopen = (item: WaitingItem, now: Date): ItemChange =>
  item.cancelRequestedAt === null
    ? fail(item, explain('transfer_failed', 'the chain has dropped its block'))
    : {
        ...copy(item),
        ...notWaiting,
        transition: 'resume_cancellation',
        requestedAction: 'cancel',
        tries: 0,
        dueAt: now.toISOString(),
        transaction: null,
      }

/** The key was used up without a transfer. The pieces return to the stock, but only once. */
export const cancel = (item: WaitingItem, transaction?: Hex | null): ItemChange => ({
  ...copy(item),
  ...explain('cancelled'),
  transition: 'cancel',
  requestedAction: 'cancel',
  dueAt: null,
  transaction,
  isUnrequested: item.cancelRequestedAt === null,
  isReturned: !hasReturnedPieces(item),
})

/** The transfer failed in a transaction. It is tried again at once, a few times. No cancellation fails so. */
export function failInTransaction(item: WaitingItem, reason: Reason, now: Date): ItemChange {
  const tries = item.tries + 1
  const failingSince = item.failingSince ?? now.toISOString()
  const failing = { ...item, ...reason, tries, failingSince }
  return tries >= MAX_TRIES ? fail(failing, reason) : queue(failing, now)
}

/**
 * A mined transaction carried the item, and neither used its key nor failed for its own part. `reason`: what
 * it waits for, if the contract says that.
 */
export function carryWithoutEffect(
  item: WaitingItem,
  reason: Reason | null,
  now: Date,
): ItemChange {
  const counted = { ...item, withoutEffect: item.withoutEffect + 1 }
  return reason ? wait(counted, reason, now, true) : queue(counted, now)
}

/**
 * The item waits for something, and is checked less and less often. One that is cancelled again
 * keeps its reason, which says that its pieces have returned to the stock. `isConfirmed` as below.
 */
export function wait(item: WaitingItem, reason: Reason, now: Date, isConfirmed = false) {
  const since = waitsSince(item, reason, now)
  const elapsed = now.getTime() - since.getTime()
  const most = isConfirmed ? MAX_CHECK_DELAY : MAX_UNCONFIRMED_CHECK_DELAY
  const next = now.getTime() + Math.min(most, Math.max(FIRST_CHECK_DELAY, elapsed))
  const { waits = Infinity } = rules[reason.reasonCode]
  const limit = since.getTime() + waits
  const at = new Date(limit > now.getTime() ? Math.min(next, limit) : next)
  const kept = hasReturnedPieces(item) ? {} : reason
  return queue({ ...item, ...kept, failingSince: since.toISOString() }, at)
}

/** The item waits until the nodes tell which transaction has used its key, and agree about its events. */
export const waitForTransaction = (item: WaitingItem, block: number, now: Date): ItemChange =>
  wait(item, explain('transaction_not_found', `block ${block}`), now)

/**
 * The item stays due, and goes on as soon as the contract and its relayers allow it. Null: its reason
 * says so already.
 */
export const stayDue = (item: WaitingItem, reasonCode: ReasonCode, now: Date): ItemChange | null =>
  item.reasonCode === reasonCode || hasReturnedPieces(item)
    ? null
    : queue({ ...item, ...explain(reasonCode), failingSince: now.toISOString() }, now)

/**
 * The item waits, or fails if it has waited long enough. `isConfirmed`: a second node gives the same
 * result, or the network has only one node.
 */
export function waitOrFail(
  item: WaitingItem,
  reason: Reason,
  isConfirmed: boolean,
  now: Date,
): ItemChange {
  const suffices = isConfirmed || rules[reason.reasonCode].needsNoSecondNode === true
  const change =
    suffices && isOverdue(item, reason, now)
      ? fail(item, reason)
      : wait(item, reason, now, suffices)
  return { ...change, stopsSale: suffices }
}

/** Whether a second node has to say so, too, because the item fails or waits longer by it. */
export const needsConfirmation = (item: WaitingItem, reason: Reason, now: Date): boolean =>
  isOverdue(item, reason, now) ||
  now.getTime() - waitsSince(item, reason, now).getTime() >= MAX_UNCONFIRMED_CHECK_DELAY

/**
 * Whether the item has waited long enough to fail, or has failed in a transaction for its own part. One
 * that is to be cancelled waits on: a retry of a failed item would deliver it.
 */
function isOverdue(item: WaitingItem, reason: Reason, now: Date): boolean {
  const { waits = Infinity, isOwnFault = false } = rules[reason.reasonCode]
  if (item.requestedAction === 'cancel' || hasReturnedPieces(item)) return false
  // With another wallet, it has not failed for any reason yet.
  if (isOwnFault && item.tries > 0 && item.reasonCode !== null) return true
  return now.getTime() - waitsSince(item, reason, now).getTime() >= waits
}

function waitsSince(item: WaitingItem, { reasonCode }: Reason, now: Date): Date {
  // A failure in a transaction is followed by the same failure in a simulation.
  const isSame = item.reasonCode === reasonCode || hasReturnedPieces(item) || item.tries > 0
  return item.failingSince && isSame ? new Date(item.failingSince) : now
}
