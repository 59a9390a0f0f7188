import type { Hex } from 'viem'
import type { Network } from '../../env.ts'
import { otherNodes } from '../../ethereum/node.ts'
import { broadcast } from '../../ethereum/requests.ts'
import { loggedMessage } from '../../ethereum/revert.ts'
import { log } from '../../log.ts'
import type { Observation } from './observe.ts'

/** Blocks after which a transaction that is not mined is sent through every node. */
const PATIENCE = 3

/** How nodes say that they have the transaction, or another one at its nonce. */
const isKnown =
  /already ?(known|imported|exists)|known transaction|nonce too low|replacement .*underpriced/i

type Signed = { hash: Hex; raw: Hex; nonce: number; signedAtBlock: number }

/**
 * Broadcasts signed transactions by ascending nonce. Whatever the node answers, a transaction may
 * have been accepted, so the answers decide nothing.
 */
export async function send(
  network: Network,
  { node, head }: Observation,
  transactions: readonly Signed[],
): Promise<void> {
  if (transactions.length === 0) return
  const sorted = transactions.toSorted((a, b) => a.nonce - b.nonce)
  const overdue = sorted.filter(({ signedAtBlock }) => head.number - signedAtBlock >= PATIENCE)
  const others = overdue.length > 0 ? otherNodes(network, node) : []
  const [replies] = await Promise.all([
    node.rpc(sorted.map(({ raw }) => broadcast(raw))),
    ...others.map((other) => other.rpc(overdue.map(({ raw }) => broadcast(raw)))),
  ])
  for (const { hash, raw, nonce } of sorted) {
    const reply = replies(broadcast(raw))
    const text = 'error' in reply ? reply.error.message : 'fault' in reply ? reply.fault : ''
    if (!text || isKnown.test(text)) continue
    const reason = loggedMessage(text)
    log.error('broadcast_failed', { chainId: network.chainId, nonce, hash, reason })
  }
}
