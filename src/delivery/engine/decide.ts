/**
 * What becomes of open transactions and of the items that they carry: a pure function of what was
 * loaded and observed. The chain decides: an item is `transferred` because a final block has its
 * key, and not because a transaction was sent.
 */
import {
  CANCELLED,
  type ContractItem,
  decodeDeliver,
  decodeFailure,
  hashContent,
  isFailure,
  isUse,
  type KeyRecord,
} from '../../ethereum/contract.ts'
import { type Fees, isUnderpriced, outbid } from '../../ethereum/fees.ts'
import type { Receipt } from '../../ethereum/requests.ts'
import { revertReason } from '../../ethereum/revert.ts'
import { decodeCallData } from '../../ethereum/signer.ts'
import { takeTransfer } from '../../ethereum/token.ts'
import { explain, type Reason } from '../reasons.ts'
import { cancelled, fail, failedInTransaction, type Move, queue, transferred } from './moves.ts'
import { hashesOf, type Observation } from './observe.ts'
import type { CarriedItem, Loaded, OpenTransaction } from './state.ts'

/** Milliseconds after which a transaction is sent again although no block was made. */
const RESEND_AFTER = 5_000

/** Why a transaction is closed. */
type Closing = 'final' | 'reverted' | 'expired' | 'foreign_transaction'

export type Fate = { transaction: OpenTransaction } & (
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
  | { do: 'close'; closing: Closing; receipt: Receipt | null; moves: Move[] }
)

/** Whether the transaction is in no block. */
export const isUnmined = ({ do: action }: Fate) =>
  action === 'await_block' || action === 'send' || action === 'replace'

/** Returns the fate of each open transaction. `cap` is in wei per unit of gas. */
export const decide = (loaded: Loaded, observation: Observation, cap: bigint, now: Date): Fate[] =>
  loaded.transactions.map((transaction) => ({
    transaction,
    ...fateOf(transaction, loaded, observation, cap, now),
  }))

type Decision = Fate extends infer F ? (F extends Fate ? Omit<F, 'transaction'> : never) : never

function fateOf(
  transaction: OpenTransaction,
  loaded: Loaded,
  observation: Observation,
  cap: bigint,
  now: Date,
): Decision {
  const { receipts, final, market } = observation
  const answers = hashesOf(transaction).map((hash) => receipts.get(hash))
  const receipt = answers.find((answer) => answer)
  if (receipt) {
    // It was mined after the newest block was asked for.
    if (receipt.blockNumber > observation.head.number) return { do: 'await_block' }
    if (receipt.blockNumber > final.number) return storeBlock(transaction, receipt)
    const closing = receipt.status === 1 ? 'final' : 'reverted'
    return close(transaction, closing, receipt, loaded, observation, now)
  }
  const { nonce, block, deadline, nonceUsedAt } = transaction
  const count = observation.signers.get(transaction.signer)?.count ?? 0
  if (nonce < count) {
    const isNotReceived = answers.some((answer) => answer === undefined)
    // Receipts are asked once the block that is known is final.
    if (isNotReceived || (block !== null && block > final.number)) return { do: 'wait' }
    if (nonceUsedAt === null) return { do: 'store_nonce_use' }
    if (nonceUsedAt > final.number) return { do: 'wait' }
    return close(transaction, 'foreign_transaction', null, loaded, observation, now)
  }
  if (deadline < final.timestamp)
    return close(transaction, 'expired', null, loaded, observation, now)
  const fees = isUnderpriced(transaction, market) ? outbid(transaction, market, cap) : null
  if (fees) return { do: 'replace', fees }
  const isNew = observation.head.number <= transaction.signedAtBlock
  return isNew && ageOf(transaction, now) < RESEND_AFTER ? { do: 'await_block' } : { do: 'send' }
}

/** Milliseconds since the newest bytes were signed. */
export const ageOf = ({ signedAt }: OpenTransaction, now: Date): number =>
  now.getTime() - new Date(signedAt).getTime()

const storeBlock = (transaction: OpenTransaction, receipt: Receipt): Decision =>
  transaction.block === receipt.blockNumber && transaction.blockHash === receipt.blockHash
    ? { do: 'wait' }
    : { do: 'store_block', receipt }

/** Waits if the node has not told the records of all items. */
function close(
  transaction: OpenTransaction,
  closing: Closing,
  receipt: Receipt | null,
  loaded: Loaded,
  { records, final }: Observation,
  now: Date,
): Decision {
  const sent = decodeDeliver(decodeCallData(transaction.raw))
  const logs = [...(receipt?.logs ?? [])]
  const failures = logs.filter((log) => isFailure(log, transaction.contract))
  const moves: Move[] = []
  for (const [i, id] of transaction.items.entries()) {
    const carried = loaded.carried.get(id)
    const item = sent[i]
    if (!carried || !item) continue
    const record = records.get(carried.key)
    if (!record) return { do: 'wait' }
    const isFinal = record.block > 0 && record.block <= final.number
    // Another transaction may have used the key in the same block.
    const isHere = isFinal && logs.some((log) => isUse(log, transaction.contract, carried.key))
    if (isHere) moves.push(settle(carried, item, record, logs, now))
    else moves.push(notDelivered(carried, isFinal ? [] : failures, now))
  }
  return { do: 'close', closing, receipt, moves }
}

/** An item whose key the transaction has used. */
function settle(
  carried: CarriedItem,
  item: ContractItem,
  record: KeyRecord,
  logs: Receipt['logs'],
  now: Date,
): Move {
  if (record.contentHash === CANCELLED) return cancelled(carried)
  if (record.contentHash !== hashContent(item)) return queue(carried, now)
  return takeTransfer(logs, item)
    ? transferred(carried)
    : fail(carried, explain('transfer_not_recorded'))
}

/** Queues the item again. The next step compares its key with the chain before it signs. */
function notDelivered(carried: CarriedItem, failures: Receipt['logs'], now: Date): Move {
  const failure = failures.find(({ topics }) => topics[1] === carried.key)
  if (!failure) return queue(carried, now)
  return failedInTransaction(carried, failureReason(failure), now)
}

const failureReason = ({ data }: Receipt['logs'][number]): Reason =>
  explain('transfer_failed', revertReason(decodeFailure(data)))
