/** What becomes of deliveries: the changes that a step writes, and how long a delivery waits. */
import type { Hex } from 'viem'
import type { ReasonCode } from '../../db/schema/delivery.ts'
import { HOUR, MINUTE, SECOND } from '../../time.ts'
import type { Delivery } from '../model.ts'
import { explain, hasReturnedPieces, type Reason, rules } from '../reasons.ts'

/** What the changes of a delivery depend on. */
export type WaitingDelivery = Pick<
  Delivery,
  'id' | 'version' | 'requestedAction' | 'waitingSince'
> &
  Pick<Delivery, 'tries' | 'withoutEffect' | 'reasonCode' | 'reasonDetail' | 'cancelRequestedAt'>

/** The new values of a delivery. Nothing is written if its version is another one by then. */
export type DeliveryChange = Omit<WaitingDelivery, 'cancelRequestedAt'> & {
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

/** Delay between two checks of a delivery that waits, in milliseconds: as long as it has waited. */
const FIRST_CHECK_DELAY = 15 * SECOND
const MAX_CHECK_DELAY = HOUR
/** The most while only one of several nodes has said what it waits for: that may be wrong. */
const MAX_UNCONFIRMED_CHECK_DELAY = 5 * MINUTE
/**
 * Transactions in which a transfer may fail before the delivery fails. With those that had no effect, the
 * delivery waits for an operator.
 */
export const MAX_TRIES = 3

const copy = (delivery: WaitingDelivery) => ({
  id: delivery.id,
  version: delivery.version,
  requestedAction: delivery.requestedAction,
  waitingSince: delivery.waitingSince,
  tries: delivery.tries,
  withoutEffect: delivery.withoutEffect,
  reasonCode: delivery.reasonCode,
  reasonDetail: delivery.reasonDetail,
})

const notWaiting = { waitingSince: null, reasonCode: null, reasonDetail: null }

/** Queues the delivery. It is processed next at `at`. */
export const queue = (delivery: WaitingDelivery, at: Date): DeliveryChange => ({
  ...copy(delivery),
  transition: 'queue',
  dueAt: at.toISOString(),
})

/** A transaction carries the delivery. What it waited for is over, unless its transfer failed before. */
export const carry = (delivery: WaitingDelivery, transaction: Hex): DeliveryChange => ({
  ...copy(delivery),
  ...(delivery.tries === 0 && !hasReturnedPieces(delivery) && notWaiting),
  transition: 'carry',
  dueAt: null,
  transaction,
})

/**
 * The NFT was delivered, by this transaction if it is known. `amount` is that of the call. A delivery whose
 * cancellation a reorganization has undone gets its pieces from the stock again.
 */
export const deliver = (
  delivery: WaitingDelivery,
  amount: bigint,
  transaction?: Hex | null,
): DeliveryChange => ({
  ...copy(delivery),
  ...notWaiting,
  transition: 'deliver',
  requestedAction: 'deliver',
  dueAt: null,
  transaction,
  amount: Number(amount),
  isTaken: hasReturnedPieces(delivery),
})

/** The delivery cannot be made, and its order fails with the reason. `reasons.ts` says when. */
export const fail = (
  delivery: WaitingDelivery,
  reason: Reason,
  transaction?: Hex | null,
): DeliveryChange => ({
  ...copy(delivery),
  ...reason,
  transition: 'fail',
  requestedAction: 'deliver',
  dueAt: null,
  transaction,
})

/**
 * A fork has dropped the block that had used up the key of a failed delivery. If its cancellation was
 * requested, it goes on. Otherwise the delivery stays failed, and can be retried.
 */
export const reopen = (delivery: WaitingDelivery, now: Date): DeliveryChange =>
  delivery.cancelRequestedAt === null
    ? fail(delivery, explain('transfer_failed', 'the chain has dropped its block'))
    : {
        ...copy(delivery),
        ...notWaiting,
        transition: 'resume_cancellation',
        requestedAction: 'cancel',
        tries: 0,
        dueAt: now.toISOString(),
        transaction: null,
      }

/** The key was used up without a transfer. The pieces return to the stock, but only once. */
export const cancel = (delivery: WaitingDelivery, transaction?: Hex | null): DeliveryChange => ({
  ...copy(delivery),
  ...explain('cancelled'),
  transition: 'cancel',
  requestedAction: 'cancel',
  dueAt: null,
  transaction,
  isUnrequested: delivery.cancelRequestedAt === null,
  isReturned: !hasReturnedPieces(delivery),
})

/** The transfer failed in a transaction. It is tried again at once, a few times. No cancellation fails so. */
export function failInTransaction(
  delivery: WaitingDelivery,
  reason: Reason,
  now: Date,
): DeliveryChange {
  const tries = delivery.tries + 1
  const waitingSince = delivery.waitingSince ?? now.toISOString()
  const failing = { ...delivery, ...reason, tries, waitingSince }
  return tries >= MAX_TRIES ? fail(failing, reason) : queue(failing, now)
}

/**
 * A mined transaction carried the delivery, and neither used its key nor failed for its own part. `reason`:
 * what it waits for, if the contract says that.
 */
export function carryWithoutEffect(
  delivery: WaitingDelivery,
  reason: Reason | null,
  now: Date,
): DeliveryChange {
  const counted = { ...delivery, withoutEffect: delivery.withoutEffect + 1 }
  return reason ? wait(counted, reason, now, true) : queue(counted, now)
}

/**
 * The delivery waits for something, and is checked less and less often. One that is cancelled again
 * keeps its reason, which says that its pieces have returned to the stock. `isConfirmed` as below.
 */
export function wait(delivery: WaitingDelivery, reason: Reason, now: Date, isConfirmed = false) {
  const since = waitsSince(delivery, reason, now)
  const elapsed = now.getTime() - since.getTime()
  const most = isConfirmed ? MAX_CHECK_DELAY : MAX_UNCONFIRMED_CHECK_DELAY
  const next = now.getTime() + Math.min(most, Math.max(FIRST_CHECK_DELAY, elapsed))
  const { waits = Infinity } = rules[reason.reasonCode]
  const limit = since.getTime() + waits
  const at = new Date(limit > now.getTime() ? Math.min(next, limit) : next)
  const kept = hasReturnedPieces(delivery) ? {} : reason
  return queue({ ...delivery, ...kept, waitingSince: since.toISOString() }, at)
}

/** The delivery waits until the nodes tell which transaction has used its key, and agree about its events. */
export const waitForTransaction = (
  delivery: WaitingDelivery,
  block: number,
  now: Date,
): DeliveryChange => wait(delivery, explain('transaction_not_found', `block ${block}`), now)

/**
 * The delivery stays due, and goes on as soon as the contract and its relayers allow it. Null: its reason
 * says so already.
 */
export const stayDue = (
  delivery: WaitingDelivery,
  reasonCode: ReasonCode,
  now: Date,
): DeliveryChange | null =>
  delivery.reasonCode === reasonCode || hasReturnedPieces(delivery)
    ? null
    : queue({ ...delivery, ...explain(reasonCode), waitingSince: now.toISOString() }, now)

/**
 * The delivery waits, or fails if it has waited long enough. `isConfirmed`: a second node gives the same
 * result, or the network has only one node.
 */
export function waitOrFail(
  delivery: WaitingDelivery,
  reason: Reason,
  isConfirmed: boolean,
  now: Date,
): DeliveryChange {
  const suffices = isConfirmed || rules[reason.reasonCode].needsNoSecondNode === true
  const change =
    suffices && isOverdue(delivery, reason, now)
      ? fail(delivery, reason)
      : wait(delivery, reason, now, suffices)
  return { ...change, stopsSale: suffices }
}

/** Whether a second node has to say so, too, because the delivery fails or waits longer by it. */
export const needsConfirmation = (delivery: WaitingDelivery, reason: Reason, now: Date): boolean =>
  isOverdue(delivery, reason, now) ||
  now.getTime() - waitsSince(delivery, reason, now).getTime() >= MAX_UNCONFIRMED_CHECK_DELAY

/**
 * Whether the delivery has waited long enough to fail, or has failed in a transaction for its own part. One
 * that is to be cancelled waits on: a retry of a failed delivery would deliver it.
 */
function isOverdue(delivery: WaitingDelivery, reason: Reason, now: Date): boolean {
  const { waits = Infinity, isOwnFault = false } = rules[reason.reasonCode]
  if (delivery.requestedAction === 'cancel' || hasReturnedPieces(delivery)) return false
  // With another wallet, it has not failed for any reason yet.
  if (isOwnFault && delivery.tries > 0 && delivery.reasonCode !== null) return true
  return now.getTime() - waitsSince(delivery, reason, now).getTime() >= waits
}

function waitsSince(delivery: WaitingDelivery, { reasonCode }: Reason, now: Date): Date {
  // A failure in a transaction is followed by the same failure in a simulation.
  const isSame =
    delivery.reasonCode === reasonCode || hasReturnedPieces(delivery) || delivery.tries > 0
  return delivery.waitingSince && isSame ? new Date(delivery.waitingSince) : now
}
