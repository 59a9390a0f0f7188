/** Sends signed transactions to nodes. */
import type { Network } from '../../env.ts'
import { otherNodes } from '../../ethereum/node.ts'
import { broadcast as broadcastRequest } from '../../ethereum/requests.ts'
import { loggedMessage } from '../../ethereum/revert.ts'
import { log } from '../../log.ts'
import type { Observation } from '../model.ts'
import { type Decision, PATIENCE } from '../rules/decide.ts'
import type { NewTransaction, TransactionChange } from '../store/store.ts'

/** How nodes say that they have the transaction, or another one at its nonce. */
const isKnown =
  /already ?(known|imported|exists)|known transaction|nonce too low|replacement .*underpriced/i

/**
 * Broadcasts what was signed in this step and what is in no block, by ascending nonce. Whatever the
 * node answers, a transaction may have been accepted, so the answers decide nothing.
 */
export async function broadcast(
  network: Network,
  { node, head }: Pick<Observation, 'node' | 'head'>,
  decisions: readonly Decision[],
  signed: readonly (NewTransaction | TransactionChange)[],
): Promise<void> {
  const unmined = decisions.flatMap(({ do: action, transaction }) =>
    action === 'send' ? transaction : [],
  )
  const sorted = [...unmined, ...signed]
    .flatMap(({ hash, raw, nonce, signedAtBlock }) =>
      raw && hash && nonce !== undefined && signedAtBlock !== undefined
        ? { hash, raw, nonce, signedAtBlock }
        : [],
    )
    .sort((a, b) => a.nonce - b.nonce)
  if (sorted.length === 0) return
  const overdue = sorted.filter(({ signedAtBlock }) => head.number - signedAtBlock >= PATIENCE)
  const others = overdue.length > 0 ? otherNodes(network, node) : []
  const [replies] = await Promise.all([
    node.rpc(sorted.map(({ raw }) => broadcastRequest(raw))),
    ...others.map((other) => other.rpc(overdue.map(({ raw }) => broadcastRequest(raw)))),
  ])
  for (const { hash, raw, nonce } of sorted) {
    const reply = replies(broadcastRequest(raw))
    const text = 'error' in reply ? reply.error.message : 'fault' in reply ? reply.fault : ''
    if (!text || isKnown.test(text)) continue
    const reason = loggedMessage(text)
    log.error('broadcast_failed', { chainId: network.chainId, nonce, hash, reason })
  }
}
