/** The first phase of a step: decides what becomes of the open transactions, and closes those that are over. */
import type { Address, Hex } from 'viem'
import { parseGwei } from 'viem/utils'
import type { Network } from '../env.ts'
import type { Block, Receipt } from '../ethereum/requests.ts'
import { log } from '../log.ts'
import { findBurns } from './chain/burns.ts'
import type { Loaded, Observation, SignerRow } from './model.ts'
import { type Decision, decide, isUnmined } from './rules/decide.ts'
import {
  type Changes,
  NO_CHANGES,
  type SignerChange,
  type TransactionChange,
} from './store/store.ts'

type Closed = { decisions: Decision[]; changes: Changes }

/** Decides about each open transaction. Asks nodes only about transfers that have used up their gas. */
export async function closeTransactions(
  network: Network,
  loaded: Loaded,
  observation: Observation,
  now: Date,
): Promise<Closed> {
  const evidence = {
    observation,
    carried: loaded.carried,
    gasPerItem: network.gasPerItem,
    feeCap: parseGwei(String(network.maxFeePerGasGwei)),
    now,
  }
  const decisions = loaded.transactions.map((transaction) => decide(transaction, evidence))
  const changes = {
    ...NO_CHANGES,
    transactions: changeTransactions(decisions, observation.head),
    items: decisions.flatMap((decision) => (decision.do === 'close' ? decision.changes : [])),
    settled: findSettled(decisions),
    signers: countReverts(decisions, loaded.signers, now),
    burns: await findBurns(network, decisions),
  }
  return { decisions, changes }
}

/** Returns where the transactions are now, and what those have cost that are closed. */
const changeTransactions = (
  decisions: readonly Decision[],
  head: Pick<Block, 'number'>,
): TransactionChange[] =>
  decisions.flatMap((decision) => {
    const { id, block, hash, replaced, nonceUsedAt } = decision.transaction
    if (decision.do === 'store_nonce_use') return { id, nonceUsedAt: head.number }
    if (isUnmined(decision) && (block !== null || nonceUsedAt !== null))
      return { id, block: null, blockHash: null, nonceUsedAt: null }
    if (decision.do === 'close' && decision.closing === 'expired')
      return { id, items: [], raw: null }
    if (decision.do !== 'close' && decision.do !== 'store_block') return []
    const mined = decision.receipt
    // The newest hash is kept if an older one was mined: its bytes are sent after a reorganization.
    const isOlder = mined !== null && mined.transactionHash !== hash
    const position = {
      id,
      block: mined?.blockNumber ?? null,
      blockHash: mined?.blockHash ?? null,
      ...(isOlder && { hash: mined.transactionHash, replaced: [...replaced, hash] }),
    }
    return decision.do === 'store_block'
      ? position
      : { ...position, isOpen: false, raw: null, ...(mined && readCost(mined)) }
  })

const readCost = ({ gasUsed, effectiveGasPrice, l1Fee }: Receipt) => ({
  gasUsed,
  fee: BigInt(gasUsed) * effectiveGasPrice + (l1Fee ?? 0n),
})

/** The newest block in which a transaction was closed; null if none was. */
function findSettled(decisions: readonly Decision[]): { block: number; hash: Hex } | null {
  const receipts = decisions.flatMap((decision) =>
    decision.do === 'close' ? (decision.receipt ?? []) : [],
  )
  const [newest] = receipts.sort((a, b) => b.blockNumber - a.blockNumber)
  return newest ? { block: newest.blockNumber, hash: newest.blockHash } : null
}

/** Transactions in a row that revert, after which a signer pauses. */
const MAX_REVERTS = 3

/** Milliseconds for which a signer pauses first. Doubles with each transaction that reverts. */
const FIRST_PAUSE = 60_000
const MAX_PAUSE = 60 * 60_000

/** Counts the transactions of each signer that have reverted in a row. */
function countReverts(
  decisions: readonly Decision[],
  signers: ReadonlyMap<Address, SignerRow>,
  now: Date,
): SignerChange[] {
  const reverts = new Map<Address, number>()
  for (const decision of decisions) {
    if (decision.do !== 'close' || !decision.receipt) continue
    const { signer } = decision.transaction
    const stored = signers.get(signer)?.reverts ?? 0
    const before = reverts.get(signer) ?? stored
    // Those of one step have one cause, so they make the pause longer once.
    const most = Math.max(MAX_REVERTS, stored + 1)
    reverts.set(signer, decision.closing === 'reverted' ? Math.min(most, before + 1) : 0)
  }
  return [...reverts].flatMap(([address, count]) => {
    if (count === (signers.get(address)?.reverts ?? 0)) return []
    const pause = Math.min(MAX_PAUSE, FIRST_PAUSE * 2 ** (count - MAX_REVERTS))
    const pausedUntil = count < MAX_REVERTS ? null : new Date(now.getTime() + pause).toISOString()
    return { address, reverts: count, pausedUntil }
  })
}

/** Logs the transactions that were closed. */
export function logClosed({ chainId }: Network, decisions: readonly Decision[]): void {
  for (const decision of decisions) {
    if (decision.do !== 'close') continue
    const { closing, receipt, transaction } = decision
    const { nonce, signer } = transaction
    const write = closing === 'final' ? log.info : log.error
    const event = closing === 'foreign_transaction' ? closing : (`transaction_${closing}` as const)
    const hash = receipt?.transactionHash ?? transaction.hash
    write(event, { chainId, signer, nonce, hash })
  }
}
