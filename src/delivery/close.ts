/** The first phase of a step: decides what becomes of the open transactions, and closes those that are over. */
import { type Address, getAddress } from 'viem'
import { believe } from '../chain/claims.ts'
import { askAll } from '../chain/nodes.ts'
import type { Network } from '../env.ts'
import {
  contractCode,
  hex,
  integer,
  type Receipt,
  type Reply,
  read,
  transactionCount,
} from '../ethereum/requests.ts'
import { log } from '../log.ts'
import type { Observed } from './chain/observe.ts'
import type { SignerRow } from './model.ts'
import { type Decision, decide, isUnmined } from './rules/decide.ts'
import { findNewest } from './rules/settle.ts'
import type { Burn, Changes } from './store/changes.ts'
import type { TransactionChange } from './store/transactions.ts'

type Closed = Extract<Decision, { do: 'close' }>

/** Decides about each open transaction. Asks nodes only about transfers that have used up their gas. */
export async function closeTransactions(
  input: Observed,
): Promise<{ decisions: Decision[]; changes: Changes }> {
  const { network, loaded, now } = input
  const decisions = loaded.transactions.map(
    (transaction): Decision => ({ transaction, ...decide(transaction, input) }),
  )
  const closed = decisions.filter((decision) => decision.do === 'close')
  const changes = {
    transactions: decisions.flatMap((decision) => changeTransaction(decision, input)),
    deliveries: closed.flatMap((decision) => decision.changes),
    settled: findNewest(
      closed.flatMap(({ receipt }) => (receipt && isKnown(receipt, input) ? receipt : [])),
    ),
    signers: countReverts(closed, loaded.signers, now),
    burns: await findBurns(network, closed),
  }
  return { decisions, changes }
}

/** Whether two nodes have a receipt, or the only one: what one node alone says of a block may be wrong. */
const isKnown = (
  { transactionHash }: Receipt,
  { network, observation: { isAlone, unconfirmed } }: Observed,
): boolean => network.rpcUrls.length === 1 || !(isAlone || unconfirmed.has(transactionHash))

/** Returns where a transaction is now, and what it has cost if it is closed. */
function changeTransaction(decision: Decision, input: Observed): TransactionChange | [] {
  const { id, block, hash, replaced, nonceUsedAt } = decision.transaction
  if (decision.do === 'store_nonce_use') return { id, nonceUsedAt: input.observation.head.number }
  if (isUnmined(decision) && (block !== null || nonceUsedAt !== null))
    return { id, block: null, blockHash: null, nonceUsedAt: null }
  if (decision.do === 'close' && decision.closing === 'expired') return { id, items: [], raw: null }
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
  if (decision.do === 'store_block') return position
  const closed = { ...position, isOpen: false, raw: null, ...(mined && readCost(mined)) }
  return mined && !isKnown(mined, input) ? { ...closed, blockHash: null } : closed
}

const readCost = ({ gasUsed, effectiveGasPrice, l1Fee }: Receipt) => ({
  gasUsed,
  fee: BigInt(gasUsed) * effectiveGasPrice + (l1Fee ?? 0n),
})

/** Transactions in a row that revert, after which a signer pauses. */
const MAX_REVERTS = 3
/** Milliseconds for which a signer pauses first. Doubles with each transaction that reverts. */
const FIRST_PAUSE = 60_000
const MAX_PAUSE = 60 * 60_000

/** Counts the transactions of each signer that have reverted in a row. */
function countReverts(
  closed: readonly Closed[],
  signers: ReadonlyMap<Address, SignerRow>,
  now: Date,
): SignerRow[] {
  const reverts = new Map<Address, number>()
  for (const { transaction, receipt, closing } of closed) {
    if (!receipt) continue
    const { signer } = transaction
    const stored = signers.get(signer)?.reverts ?? 0
    const before = reverts.get(signer) ?? stored
    // Those of one step have one cause, so they make the pause longer once.
    const most = Math.max(MAX_REVERTS, stored + 1)
    reverts.set(signer, closing === 'reverted' ? Math.min(most, before + 1) : 0)
  }
  return [...reverts].flatMap(([address, count]) => {
    if (count === (signers.get(address)?.reverts ?? 0)) return []
    const pause = Math.min(MAX_PAUSE, FIRST_PAUSE * 2 ** (count - MAX_REVERTS))
    const pausedUntil = count < MAX_REVERTS ? null : new Date(now.getTime() + pause).toISOString()
    return { address, reverts: count, pausedUntil }
  })
}

/**
 * Returns which transfers have used up gas. The token alone is to blame if all nodes prove that the
 * recipient had no code in this block. An account gets code for a moment only by an authorization,
 * which raises its nonce (EIP-7702), or as a contract that is deployed and destroyed in one transaction:
 * not where transactions were sent from before. Otherwise either may have made the other look guilty.
 */
async function findBurns(network: Network, closed: readonly Closed[]): Promise<Burn[]> {
  const burns = closed.flatMap(({ burned, receipt }) =>
    burned.flatMap(({ contractAddr: token, recipient }) =>
      recipient && receipt ? [{ token, recipient, block: receipt.blockNumber }] : [],
    ),
  )
  if (burns.length === 0) return []
  const questions = burns.map(({ recipient, block }) => {
    const account = getAddress(recipient)
    return [block - 1, block].flatMap((height) => [
      contractCode(account, height),
      transactionCount(account, height),
    ])
  })
  const replies = await askAll(network, questions.flat())
  return burns.map(({ token, recipient }, i) => {
    const answers = network.rpcUrls.map((_, node) =>
      hadNoCode((questions[i] ?? []).flatMap((request) => replies(request)[node] ?? [])),
    )
    return { token, recipient: believe('is_proven', network, answers) ? null : recipient }
  })
}

/**
 * Whether an account cannot have had code in a block, by code and nonce before and after it; null: not told.
 */
function hadNoCode([codeBefore, nonceBefore, code, nonce]: readonly Reply[]): boolean | null {
  if (!codeBefore || !nonceBefore || !code || !nonce) return null
  const codes = [codeBefore, code].map((reply) => read(hex, reply))
  const nonces = [nonceBefore, nonce].map((reply) => read(integer, reply))
  if (codes.includes(null) || nonces.includes(null)) return null
  return codes.every((one) => one === '0x') && new Set(nonces).size === 1 && !nonces.includes(0)
}

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
