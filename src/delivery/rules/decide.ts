/**
 * What becomes of open transactions and of the deliveries that they carry, and when they are looked at again:
 * pure functions of what was loaded and observed. The chain decides: a delivery is `transferred` because a
 * final block has its key, and not because a transaction was sent.
 */
import type { Address, Hex } from 'viem'
import type { Network } from '../../env.ts'
import { decodeFailure, isFailure, isUse, type Log } from '../../ethereum/contract.ts'
import { type Fees, isUnderpriced, outbid, readFeeCap } from '../../ethereum/fees.ts'
import type { Receipt } from '../../ethereum/requests.ts'
import { readContractReason, revertReason } from '../../ethereum/revert.ts'
import type { Delivery, DeliveryTransaction, Loaded, Observation, SignerState } from '../model.ts'
import { explain } from '../reasons.ts'
import {
  carryWithoutEffect,
  type DeliveryChange,
  failInTransaction,
  queue,
  waitForTransaction,
} from './delivery-changes.ts'
import { isFinal, settleUses } from './settle.ts'

/**
 * Seconds from the block of a signature until the call has no effect any more. It still costs gas if it is
 * mined then, so that should not happen often.
 */
export const DEADLINE = 60 * 60
/** Blocks after which a transaction that is not mined is sent through every node. */
export const PATIENCE = 3
/** Milliseconds after which a transaction is sent again although no block was made, or is looked for again. */
const RESEND_AFTER = 5_000

/** What is to be done with an open transaction. */
type NextAction =
  | { do: 'wait' }
  /** It is in a block that is not final. */
  | { do: 'store_block'; receipt: Receipt }
  /** Its nonce is used, and the node has no receipt. */
  | { do: 'store_nonce_use' }
  /** It was sent just now and is not in a block. */
  | { do: 'await_block' }
  /** It is not in a block: the same bytes again, or the same call with higher fees. */
  | { do: 'send' }
  | { do: 'replace'; fees: Fees }
  /** The call is over. One that has expired leaves its nonce to be signed again. */
  | {
      do: 'close'
      closing: 'final' | 'reverted' | 'expired' | 'foreign_transaction'
      receipt: Receipt | null
      changes: DeliveryChange[]
      /** Deliveries whose call has used up gas. */
      burned: Delivery[]
    }

export type Decision = { transaction: DeliveryTransaction } & NextAction

type Evidence = {
  network: Pick<Network, 'gasPerItem' | 'maxFeePerGasGwei'>
  loaded: Pick<Loaded, 'carried'>
  observation: Observation
  now: Date
}

/** Returns the next nonce of a signer as the node tells it that has most of its transactions. */
export const findHighestCount = (state: SignerState | undefined): number =>
  Math.max(0, ...(state?.told ?? []).map(({ count }) => count))

export const isUnmined = ({ do: action }: Decision) =>
  action === 'await_block' || action === 'send' || action === 'replace'

/** The hashes of everything that was signed for a nonce, newest first. */
export const signedHashes = ({ hash, replaced }: DeliveryTransaction): Hex[] => [
  hash,
  ...replaced.toReversed(),
]

/** Whether a transaction is in a block that is not final. One that does not exist yet was a wrong answer. */
export const isPending = (
  { block }: Pick<DeliveryTransaction, 'block'>,
  { head, final }: Heads,
): boolean => block !== null && block > final.number && block <= head.number

/** Decides what is to be done with an open transaction. */
export function decide(transaction: DeliveryTransaction, evidence: Evidence): NextAction {
  const { network, observation, now } = evidence
  const { receipts, final, finalTime, head, market, signers, isAlone } = observation
  const answers = signedHashes(transaction).map((hash) => receipts.get(hash))
  // A receipt that only one node has counts once two nodes have the nonce: others need the bytes meanwhile.
  const isNonceUsed = transaction.nonce < (signers.get(transaction.signer)?.count ?? 0)
  const receipt = answers.find(
    (answer) => answer && (isNonceUsed || !observation.unconfirmed.has(answer.transactionHash)),
  )
  if (receipt) {
    // It was mined after the newest block was asked for.
    if (receipt.blockNumber > head.number) return { do: 'await_block' }
    if (receipt.blockNumber > final.number) return storeBlock(transaction, receipt)
    const closing = receipt.status === 1 ? 'final' : 'reverted'
    const action = close(transaction, closing, receipt, evidence)
    const isStored = transaction.block !== null || transaction.nonceUsedAt !== null
    // While it waits for what nodes say differently, it takes no place of those in flight.
    return action.do === 'wait' && isNonceUsed && !isStored ? { do: 'store_nonce_use' } : action
  }
  const { nonce, block, deadline, nonceUsedAt, items } = transaction
  const isUnknown = answers.some((answer) => answer === undefined)
  const { count = 0, told = [] } = signers.get(transaction.signer) ?? {}
  if (nonce < count) {
    // Receipts are asked once the block that is known is final.
    if (isPending(transaction, observation)) return { do: 'wait' }
    const isConfirmed = isAlone || told.length > 1
    // Nodes may have different receipts for long: others are sent meanwhile, if two say that it is mined.
    if (isUnknown && !isConfirmed) return { do: 'wait' }
    // A block that does not exist yet was a wrong answer.
    if (nonceUsedAt === null || nonceUsedAt > head.number) return { do: 'store_nonce_use' }
    if (isUnknown || nonceUsedAt > final.number || !isConfirmed) return { do: 'wait' }
    return close(transaction, 'foreign_transaction', null, evidence)
  }
  // Its nonce is signed again when there are deliveries, also if a reorganization has undone its use.
  if (items.length === 0)
    return { do: block === null && nonceUsedAt === null ? 'wait' : 'await_block' }
  if (deadline < final.timestamp) {
    const isConfirmed = !isUnknown && deadline < finalTime
    return isConfirmed ? close(transaction, 'expired', null, evidence) : { do: 'wait' }
  }
  // Also if the block in which it was signed was a wrong answer, far above all others.
  const isOverdue = Math.abs(head.number - transaction.signedAtBlock) >= PATIENCE
  const isTooLow = market && isUnderpriced(transaction, market, isOverdue)
  const offered = market && { ...market, tip: isOverdue ? market.overdueTip : market.tip }
  const fees = isTooLow && offered ? outbid(transaction, offered, readFeeCap(network)) : null
  if (fees) return { do: 'replace', fees }
  const isNew = head.number <= transaction.signedAtBlock
  return isNew && getAge(transaction, now) < RESEND_AFTER ? { do: 'await_block' } : { do: 'send' }
}

/** Milliseconds since the newest bytes were signed. */
const getAge = ({ signedAt }: DeliveryTransaction, now: Date): number =>
  now.getTime() - new Date(signedAt).getTime()

const storeBlock = (transaction: DeliveryTransaction, receipt: Receipt): NextAction =>
  transaction.block === receipt.blockNumber && transaction.blockHash === receipt.blockHash
    ? { do: 'wait' }
    : { do: 'store_block', receipt }

/**
 * Waits if the nodes have not told the records of all deliveries. A receipt that only one node has counts
 * if records prove it, and proves no failure.
 */
function close(
  { contract, items }: DeliveryTransaction,
  closing: (NextAction & { do: 'close' })['closing'],
  receipt: Receipt | null,
  { network: { gasPerItem }, loaded: { carried }, observation, now }: Evidence,
): NextAction {
  const { records, disputed, unconfirmed, doubtfulLogs: doubtful, final } = observation
  const logs = [...(receipt?.logs ?? [])]
  const failures = logs.filter((log) => isFailure(log, contract))
  const changes: DeliveryChange[] = []
  const burned: Delivery[] = []
  const isUnconfirmed = receipt !== null && unconfirmed.has(receipt.transactionHash)
  const isShort = failures.some(
    (log) => !isUnconfirmed && !doubtful.has(log) && isBurning(log, gasPerItem),
  )
  let isProven = !isUnconfirmed
  for (const delivery of items.flatMap((id) => carried.get(id) ?? [])) {
    const record = records.get(delivery.key)
    if (!record || disputed.has(delivery.key)) return { do: 'wait' }
    const isUsed = isFinal(record, final)
    // Another transaction may have used the key, in the same block, too.
    const uses =
      isUsed && record.block === receipt?.blockNumber
        ? logs.filter((log) => isUse(log, contract, delivery.key, record))
        : []
    const failure = isUsed ? undefined : failures.find(({ topics }) => topics[1] === delivery.key)
    isProven ||= uses.length > 0
    if (uses.length > 0)
      changes.push(
        settleUses(delivery, { uses, logs, doubtful }) ??
          waitForTransaction(delivery, record.block, now),
      )
    // An event that only one node has is no failure.
    else if (failure && !isUnconfirmed && !doubtful.has(failure)) {
      const decoded = decodeFailure(failure.data)
      if (!decoded) return { do: 'wait' }
      const { gasUsed, reason } = decoded
      if (isBurning(failure, gasPerItem)) burned.push(delivery)
      // A limit of the contract is not the delivery's fault.
      const code = readContractReason(gasUsed, reason)
      changes.push(
        code === null || code === 'token_not_deployed'
          ? failInTransaction(delivery, explain('transfer_failed', revertReason(reason)), now)
          : carryWithoutEffect(delivery, explain(code), now),
      )
    }
    // The next step compares the key with the chain before it signs.
    else if (closing === 'expired') changes.push({ ...queue(delivery, now), transaction: null })
    // What burned the gas of the others was counted: it is held after two times.
    else if (isUsed || receipt === null || isShort) changes.push(queue(delivery, now))
    else changes.push(carryWithoutEffect(delivery, null, now))
    if (isUnconfirmed && changes.at(-1)?.transition === 'fail') return { do: 'wait' }
  }
  return isProven ? { do: 'close', closing, receipt, changes, burned } : { do: 'wait' }
}

/** Whether a failure has used up so much gas that the contract may have reached no delivery after it. */
const isBurning = ({ data }: Log, gasPerItem: number): boolean =>
  (decodeFailure(data)?.gasUsed ?? 0) >= gasPerItem / 2

/** Returns when the open transactions have to be looked at. `isSigned`: some were signed just now. */
export function nextLook(
  decisions: readonly Decision[],
  isSigned: boolean,
  heads: Heads,
  now: Date,
): Date | null {
  const delays = decisions.flatMap((decision) => {
    const { transaction } = decision
    const age = getAge(transaction, now)
    if (isUnmined(decision)) return unminedDelay(age)
    const { block, nonceUsedAt, items } = transaction
    // The receipt of what has expired may only be late: a check would take its nonce for a theft.
    if (decision.do === 'store_nonce_use' && items.length === 0) return RESEND_AFTER
    const isIdle = items.length === 0 && block === null && nonceUsedAt === null
    if (decision.do === 'close' || (decision.do === 'wait' && isIdle)) return []
    const height =
      decision.do === 'store_block'
        ? decision.receipt.blockNumber
        : Math.max(block ?? 0, nonceUsedAt ?? 0) || heads.head.number
    // Less often on a chain that makes no blocks.
    return Math.max(finalDelay(height, heads), Math.min(15_000, age / 10))
  })
  if (isSigned) delays.push(unminedDelay(0))
  return delays.length === 0 ? null : new Date(now.getTime() + Math.min(...delays))
}

type Heads = Pick<Observation, 'head' | 'final'>

/** The time between two blocks, in milliseconds. */
function blockTime({ head, final }: Heads): number {
  const blocks = Math.max(1, head.number - final.number)
  return Math.min(15_000, Math.max(250, ((head.timestamp - final.timestamp) * 1000) / blocks))
}

/** Blocks can come at any time, so a transaction is first looked at soon, then less often. */
const unminedDelay = (age: number) => Math.min(6_000, Math.max(50, age / 2))

/** Milliseconds until a block is probably final. */
export const finalDelay = (block: number, heads: Heads): number =>
  Math.min(300_000, Math.max(500, (block - heads.final.number) * blockTime(heads)))

/**
 * Counts the transactions of relayers that `load` will count as in flight. `minedByOne`: those of them that one
 * node calls mined.
 */
export function countInFlight(
  decisions: readonly Decision[],
  relayers: readonly Address[],
  { signers }: Pick<Observation, 'signers'>,
): { inFlight: number; minedByOne: number } {
  const inFlight = decisions.filter((decision) => {
    const { signer, block, nonceUsedAt, items } = decision.transaction
    const isWaiting =
      decision.do === 'wait' && block === null && nonceUsedAt === null && items.length > 0
    return relayers.includes(signer) && (isUnmined(decision) || isWaiting)
  })
  const minedByOne = inFlight.filter(
    ({ transaction: { signer, nonce } }) => nonce < findHighestCount(signers.get(signer)),
  )
  return { inFlight: inFlight.length, minedByOne: minedByOne.length }
}
