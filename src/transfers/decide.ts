/**
 * What a transfer needs next: a pure function of its row and of what the node said. Everything
 * that keeps a transfer from happening twice, or never, is decided here.
 */
import type { Hex } from 'viem'
import type { Network } from '../env.ts'
import type { Market } from './fees.ts'
import type { StoredTransaction, Transfer } from './state.ts'
import type { Call } from './token.ts'

export type Receipt = { blockNumber: number; blockHash: string; succeeded: boolean }

/** Whether the transfer would go through: asked of the node before anything is signed. */
export type Simulation = { call: Call; gas: bigint } | { impossible: string } | { unknown: string }

/** What the node said about the chain and about these transfers. */
export type Facts = {
  /** Number of the latest block. */
  head: number
  market: Market
  /** Balance of the signer, in wei. */
  balance: bigint
  /** Transactions that an address has in mined blocks: its lowest nonce not used yet. */
  counts: ReadonlyMap<string, number>
  /** By hash. One that is missing says nothing. */
  receipts: ReadonlyMap<string, Receipt>
  /** The canonical block's hash, by number. */
  blocks: ReadonlyMap<number, string>
  /** By transfer. */
  simulations: ReadonlyMap<number, Simulation>
  /** Why a transaction reverted in its block, as far as the node can still tell; by hash. */
  reverts: ReadonlyMap<string, string>
  /**
   * The final transaction that used a nonce for which no receipt of ours was found, by transfer:
   * its hash, or null when the node cannot tell. Missing: it is not final yet.
   */
  usedBy: ReadonlyMap<number, Hex | null>
}

export type Action =
  | { do: 'settle'; status: 'mined' | 'transferred'; hash: Hex }
  | { do: 'fail'; reason: string; hash: Hex | null }
  | { do: 'review'; reason: string }
  /** Stays as it is until the next look. */
  | { do: 'wait'; reason: string | null }
  /** A nonce of its own, and the first transaction at it. */
  | { do: 'sign'; call: Call; gas: bigint }
  /** Another transaction at the nonce it has, with a higher fee. */
  | { do: 'replace'; kind: StoredTransaction['kind'] }
  /** The newest bytes again. */
  | { do: 'send'; reason: string | null }

export const CANCELLED = 'cancelled by the operator'

export function decide(transfer: Transfer, facts: Facts, network: Network, now: Date): Action {
  return (
    outcome(transfer, facts, network) ??
    (isSigned(transfer) ? pursue(transfer, facts, network, now) : begin(transfer, facts))
  )
}

/** The transactions of the current generation, oldest first. All have the same nonce. */
export const attemptsOf = ({ transactions, generation }: Transfer): StoredTransaction[] =>
  transactions.filter((transaction) => transaction.generation === generation)

const isSigned = (transfer: Transfer) => attemptsOf(transfer).length > 0

/**
 * How much a receipt is worth. Only one whose block is still canonical at the network's depth
 * counts; `orphaned` is as good as none.
 */
function standingOf(receipt: Receipt, facts: Facts, network: Network) {
  if (facts.head - receipt.blockNumber + 1 < network.confirmations) return 'shallow'
  const canonical = facts.blocks.get(receipt.blockNumber)
  if (canonical === undefined) return 'unsure'
  return canonical === receipt.blockHash ? 'final' : 'orphaned'
}

/** What the receipts say, if anything. */
function outcome(transfer: Transfer, facts: Facts, network: Network): Action | null {
  let mined: Action | null = null
  for (const { hash, generation, kind } of transfer.transactions) {
    const receipt = facts.receipts.get(hash)
    if (!receipt) continue
    const standing = standingOf(receipt, facts, network)
    if (standing === 'orphaned') continue
    const isTransfer = kind === 'transfer' && receipt.succeeded
    // A generation that was given up may matter only if its transfer happened after all.
    if (generation !== transfer.generation && !isTransfer) continue
    if (standing !== 'final') mined = { do: 'settle', status: 'mined', hash }
    else if (isTransfer) return { do: 'settle', status: 'transferred', hash }
    else if (kind === 'cancel') return { do: 'fail', reason: CANCELLED, hash }
    else return { do: 'fail', reason: revertedFor(facts.reverts.get(hash)), hash }
  }
  return mined
}

const revertedFor = (reason: string | undefined) =>
  `the transaction was mined, but reverted${reason ? `: ${reason}` : ''}`

/** A transfer without a nonce. */
function begin({ id }: Transfer, facts: Facts): Action {
  const simulation = facts.simulations.get(id)
  if (!simulation) return { do: 'wait', reason: null }
  if ('unknown' in simulation) return { do: 'wait', reason: simulation.unknown }
  if ('impossible' in simulation) return { do: 'fail', reason: simulation.impossible, hash: null }
  return { do: 'sign', ...simulation }
}

/** A transfer whose nonce is taken, and none of whose transactions is seen in the chain. */
function pursue(transfer: Transfer, facts: Facts, network: Network, now: Date): Action {
  const newest = newestOf(transfer)
  const count = facts.counts.get(newest.signer) ?? 0
  if (count > newest.nonce) return nonceUsed(transfer, facts, newest)
  if (transfer.cancelRequestedAt && newest.kind !== 'cancel')
    return { do: 'replace', kind: 'cancel' }
  // Perhaps it never was sent, or it was in the chain and is not any more: the same bytes.
  if (transfer.status !== 'sent') return { do: 'send', reason: null }
  const isOverdue = now.getTime() - Date.parse(newest.createdAt) > network.bumpAfterSeconds * 1000
  if (!isOverdue) return { do: 'send', reason: null }
  const isNext = count === newest.nonce
  if (isNext || isUnderpriced(newest, facts.market)) return { do: 'replace', kind: newest.kind }
  return { do: 'send', reason: `waits for nonce ${count} to be mined first` }
}

/**
 * The chain has used this nonce. Receipts that are not found prove nothing, so it matters whose
 * transaction it was.
 */
function nonceUsed(transfer: Transfer, facts: Facts, { nonce }: StoredTransaction): Action {
  const used = facts.usedBy.get(transfer.id)
  if (used === undefined) return { do: 'wait', reason: null }
  if (used === null)
    return { do: 'wait', reason: `nonce ${nonce} is used, and the node cannot tell by what` }
  const isOurs = attemptsOf(transfer).some(({ hash }) => hash === used)
  if (isOurs) return { do: 'wait', reason: `the node has not given the receipt of ${used} yet` }
  return { do: 'review', reason: `nonce ${nonce} was used by ${used}, which is none of ours` }
}

/** Whether the nonce of a transfer may have been used by somebody else, which is to be found out. */
export function isSuspect(
  transfer: Transfer,
  { counts, receipts }: Pick<Facts, 'counts' | 'receipts'>,
) {
  if (!isSigned(transfer)) return false
  const { nonce, signer } = newestOf(transfer)
  if (attemptsOf(transfer).some(({ hash }) => receipts.has(hash))) return false
  return (counts.get(signer) ?? 0) > nonce
}

const isUnderpriced = (transaction: StoredTransaction, { baseFee }: Market) =>
  BigInt(transaction.maxFeePerGas) < baseFee + BigInt(transaction.maxPriorityFeePerGas)

export function newestOf(transfer: Transfer): StoredTransaction {
  const newest = attemptsOf(transfer).at(-1)
  if (!newest) throw new Error(`transfer ${transfer.id} has no transaction`)
  return newest
}
