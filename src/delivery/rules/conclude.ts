/** What a step writes about the open transactions and their signers, once it has decided. */
import { type Address, getAddress, type Hex } from 'viem'
import { agree, askAll } from '../../ethereum/node.ts'
import {
  contractCode,
  hex,
  integer,
  type Receipt,
  read,
  transactionCount,
} from '../../ethereum/requests.ts'
import type { Reply } from '../../ethereum/rpc.ts'
import type { World } from '../chain/observe.ts'
import type { Burn, SignerChange, TransactionChange } from '../store/store.ts'
import { type Decision, isUnmined } from './decide.ts'

/** Returns where the transactions are now, and what those have cost that are closed. */
export const changeTransactions = (
  { observation: { head } }: World,
  decisions: readonly Decision[],
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
export function findSettled(decisions: readonly Decision[]): { block: number; hash: Hex } | null {
  const receipts = decisions.flatMap((decision) =>
    decision.do === 'close' ? (decision.receipt ?? []) : [],
  )
  const [newest] = receipts.sort((a, b) => b.blockNumber - a.blockNumber)
  return newest ? { block: newest.blockNumber, hash: newest.blockHash } : null
}

/** Counts the transactions that `load` will count as in flight. */
export const countInFlight = (
  decisions: readonly Decision[],
  signers: readonly Address[],
): number =>
  decisions.filter((decision) => {
    const { signer, block, nonceUsedAt, items } = decision.transaction
    const isWaiting =
      decision.do === 'wait' && block === null && nonceUsedAt === null && items.length > 0
    return signers.includes(signer) && (isUnmined(decision) || isWaiting)
  }).length

/** Transactions in a row that revert, after which a signer pauses. */
const MAX_REVERTS = 3

/** Milliseconds for which a signer pauses first. Doubles with each transaction that reverts. */
const FIRST_PAUSE = 60_000
const MAX_PAUSE = 60 * 60_000

/** Counts the transactions of each signer that have reverted in a row. */
export function countReverts(
  { loaded: { signers }, now }: World,
  decisions: readonly Decision[],
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

/**
 * Returns which transfers have used up gas. The token alone is to blame if all nodes prove that the
 * recipient had no code in this block. An account gets code for a moment only by an authorization,
 * which raises its nonce (EIP-7702), or as a contract that is deployed and destroyed in one transaction:
 * not where transactions were sent from before. Otherwise either may have made the other look guilty.
 */
export async function findBurns(
  { network }: World,
  decisions: readonly Decision[],
): Promise<Burn[]> {
  const burns = decisions.flatMap((decision) => {
    if (decision.do !== 'close' || !decision.receipt) return []
    const block = decision.receipt.blockNumber
    return decision.burned.flatMap(({ contractAddr: token, recipient }) =>
      recipient ? [{ token, recipient, block }] : [],
    )
  })
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
    return { token, recipient: agree(network, answers) ? null : recipient }
  })
}

/** Whether an account cannot have had code in a block, by code and nonce before and after it; null: not told. */
function hadNoCode([codeBefore, nonceBefore, code, nonce]: readonly Reply[]): boolean | null {
  if (!codeBefore || !nonceBefore || !code || !nonce) return null
  const codes = [codeBefore, code].map((reply) => read(hex, reply))
  const nonces = [nonceBefore, nonce].map((reply) => read(integer, reply))
  if (codes.includes(null) || nonces.includes(null)) return null
  return codes.every((one) => one === '0x') && new Set(nonces).size === 1 && !nonces.includes(0)
}
