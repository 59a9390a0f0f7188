/**
 * What can be asked only once the first answers are in: whether blocks are canonical, whether calls
 * would go through, why others did not, and who used a nonce.
 */
import type { Address } from 'viem'
import type { Network } from '../env.ts'
import { type Facts, isSuspect, newestOf, type Simulation } from './decide.ts'
import { consumersOf } from './nonce-use.ts'
import * as ask from './questions.ts'
import { read } from './questions.ts'
import { isRevert, revertReason, unheard } from './revert.ts'
import { call, type Question, type Replies } from './rpc.ts'
import { callIn } from './sign.ts'
import type { StoredTransaction, Transfer } from './state.ts'
import type { Finding } from './token.ts'

export type State = Pick<Facts, 'head' | 'market' | 'balance' | 'counts'>
type Seen = State & Pick<Facts, 'receipts'>
type Verified = Pick<Facts, 'blocks' | 'simulations' | 'reverts' | 'usedBy'>

/** Room for the state to change between the simulation and the block: a fifth more gas. */
const withRoom = (gas: bigint) => (gas * 6n) / 5n

export async function verify(
  network: Network,
  signer: Address,
  seen: Seen,
  findings: ReadonlyMap<number, Finding>,
  transfers: readonly Transfer[],
): Promise<Verified> {
  /** The highest block that is deep enough to count. */
  const final = seen.head - network.confirmations + 1
  const suspects = final < 0 ? [] : transfers.filter((t) => isSuspect(t, seen))
  const heights = [...seen.receipts.values()].map((r) => r.blockNumber).filter((n) => n <= final)
  const reverted = revertedUpTo(final, seen, transfers)

  const replies = await call(network, [
    ...heights.map((height) => ask.blockAt(height)),
    ...[...findings.values()].flatMap((f) => ('call' in f ? ask.gasOf(signer, f.call) : [])),
    ...reverted.map(({ replay }) => replay),
    ...suspects.map((transfer) => ask.countOf(newestOf(transfer).signer, final)),
  ])
  const used = suspects.map(newestOf).filter(({ signer, nonce }) => {
    const count = read(ask.integer, replies(ask.countOf(signer, final)))
    return count !== null && count > nonce
  })
  return {
    blocks: readBlocks(heights, replies),
    simulations: new Map([...findings].map(([id, f]) => [id, simulation(f, signer, replies)])),
    reverts: readReverts(reverted, replies),
    usedBy: await consumersOf(network, used, final),
  }
}

function readBlocks(heights: readonly number[], replies: Replies): Map<number, string> {
  const blocks = new Map<number, string>()
  for (const height of heights) {
    const found = read(ask.block, replies(ask.blockAt(height)))
    if (found?.number === height) blocks.set(height, found.hash)
  }
  return blocks
}

function simulation(finding: Finding, signer: Address, replies: Replies): Simulation {
  if (!('call' in finding)) return finding
  const reply = replies(ask.gasOf(signer, finding.call))
  const lost = unheard(reply)
  if (lost) return { unknown: lost }
  if ('error' in reply) return { impossible: `it would revert: ${revertReason(reply.error)}` }
  const gas = read(ask.wei, reply)
  if (gas === null) return { unknown: 'the node gave no estimate of the gas' }
  return { call: finding.call, gas: withRoom(gas) }
}

type Reverted = { transaction: StoredTransaction; replay: Question }

/** Transfers that reverted in a final block: running them once more there tells why. */
function revertedUpTo(
  final: number,
  { receipts }: Seen,
  transfers: readonly Transfer[],
): Reverted[] {
  return transfers
    .flatMap(({ transactions }) => transactions)
    .flatMap((transaction) => {
      const receipt = receipts.get(transaction.hash)
      if (transaction.kind !== 'transfer' || !receipt || receipt.succeeded) return []
      if (receipt.blockNumber > final) return []
      const call = callIn(transaction.raw)
      return [{ transaction, replay: ask.replayOf(transaction, call, receipt.blockNumber) }]
    })
}

function readReverts(reverted: readonly Reverted[], replies: Replies): Map<string, string> {
  const reasons = new Map<string, string>()
  for (const { transaction, replay } of reverted) {
    const reply = replies(replay)
    if ('error' in reply && isRevert(reply.error))
      reasons.set(transaction.hash, revertReason(reply.error))
  }
  return reasons
}
