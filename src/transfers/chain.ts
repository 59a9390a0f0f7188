/**
 * What is heard of a network's node, in a constant number of HTTP calls however many transfers.
 * A node that is not heard, or is of another chain, is trouble: nothing is decided on its word.
 */
import type { Address, Hex } from 'viem'
import type { Network } from '../env.ts'
import { attemptsOf, type Facts, newestOf, type Receipt } from './decide.ts'
import * as ask from './questions.ts'
import { read } from './questions.ts'
import { unheard, withoutAddresses } from './revert.ts'
import { call, type Replies } from './rpc.ts'
import type { Transfer } from './state.ts'
import { inquire } from './token.ts'
import { type State, verify } from './verify.ts'

export type Trouble = { trouble: string }

/** For a node that has no opinion about the tip: 1 gwei. */
const USUAL_TIP = 1_000_000_000n
/** All that has to be known to decide about these transfers. */
export async function observe(
  network: Network,
  signer: Address,
  transfers: readonly Transfer[],
): Promise<Facts | Trouble> {
  const signed = transfers.filter((transfer) => attemptsOf(transfer).length > 0)
  const signers = new Set([signer, ...signed.map((transfer) => newestOf(transfer).signer)])
  const hashes = transfers.flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
  const inquiries = transfers
    .filter((transfer) => attemptsOf(transfer).length === 0)
    .map((transfer) => ({ id: transfer.id, ...inquire(transfer, signer) }))

  const replies = await call(network, [
    ask.chainIdOf(),
    ask.blockAt('latest'),
    ask.balanceOf(signer),
    ask.tipOf(),
    ...[...signers].map((address) => ask.countOf(address, 'latest')),
    ...hashes.map(ask.receiptOf),
    ...inquiries.flatMap(({ questions }) => questions),
  ])
  const state = readState(network, signer, signers, replies)
  if ('trouble' in state) return state
  const receipts = readReceipts(hashes, replies)
  const findings = new Map(inquiries.map(({ id, read }) => [id, read(replies)]))
  const seen = { ...state, receipts }
  return { ...seen, ...(await verify(network, signer, seen, findings, transfers)) }
}

function readState(
  { chainId }: Network,
  signer: Address,
  signers: ReadonlySet<Address>,
  replies: Replies,
): State | Trouble {
  const lost = unheard(replies(ask.chainIdOf()))
  if (lost) return { trouble: lost }
  const actual = read(ask.integer, replies(ask.chainIdOf()))
  if (actual !== chainId)
    return { trouble: `the node is of chain ${actual}, but chain ${chainId} is configured` }
  const latest = read(ask.latestBlock, replies(ask.blockAt('latest')))
  if (!latest) return { trouble: 'the node gave no latest block with a base fee (EIP-1559)' }
  const balance = read(ask.wei, replies(ask.balanceOf(signer)))
  if (balance === null) return { trouble: "the node did not tell the signer's balance" }
  const counts = new Map<string, number>()
  for (const address of signers) {
    const count = read(ask.integer, replies(ask.countOf(address, 'latest')))
    if (count === null) return { trouble: "the node did not tell the signer's nonce" }
    counts.set(address, count)
  }
  const tip = read(ask.wei, replies(ask.tipOf())) ?? USUAL_TIP
  return { head: latest.number, market: { baseFee: latest.baseFeePerGas, tip }, balance, counts }
}

function readReceipts(hashes: readonly Hex[], replies: Replies): Map<string, Receipt> {
  const receipts = new Map<string, Receipt>()
  for (const hash of hashes) {
    const found = read(ask.receipt, replies(ask.receiptOf(hash)))
    if (found?.transactionHash !== hash) continue
    const { blockNumber, blockHash, status } = found
    receipts.set(hash, { blockNumber, blockHash, succeeded: status === 1 })
  }
  return receipts
}

/** Nodes' ways to say that they have the transaction, or its nonce's, already. */
const isKnown = /already (known|imported|exists)|known transaction|nonce too low|underpriced/i

/**
 * Hands signed transactions to the node, in the order given. Whatever it answers, and if it does
 * not, the transaction may have been sent: what comes back is only what the operator may want to
 * know, by hash.
 */
export async function broadcast(
  network: Network,
  transactions: readonly { hash: Hex; raw: Hex }[],
): Promise<Map<Hex, string>> {
  const replies = await call(
    network,
    transactions.map(({ raw }) => ask.broadcastOf(raw)),
  )
  const remarks = new Map<Hex, string>()
  for (const { hash, raw } of transactions) {
    const reply = replies(ask.broadcastOf(raw))
    if ('fault' in reply) remarks.set(hash, `perhaps sent: ${reply.fault}`)
    if ('error' in reply && !isKnown.test(reply.error.message))
      remarks.set(hash, `perhaps sent: ${withoutAddresses(reply.error.message).slice(0, 200)}`)
  }
  return remarks
}
