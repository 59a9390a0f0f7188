/** Asks the nodes of a network for a check. */
import type { Address, Hex } from 'viem'
import { askOne, findClockProblem, type Node, nodes } from '../../chain/nodes.ts'
import { askNode, type View } from '../../chain/views.ts'
import type { NodeRow, NodeState } from '../../db/schema/operations.ts'
import { readReceipts } from '../../delivery/chain/records.ts'
import { LATE } from '../../delivery/store/findings.ts'
import type { Network } from '../../env.ts'
import { transactionReceipt } from '../../ethereum/requests.ts'
import { SECOND, within } from '../../time.ts'
import type { OwnTransaction } from './compare-views.ts'

/** Milliseconds that a node has to answer. */
const TIMEOUT = 5 * SECOND
/** Milliseconds for what a node says, and for its receipts: a check of all networks takes 20 s at most. */
const MAX_DURATION = { view: 12 * SECOND, receipts: 4 * SECOND }
const LATE_ANSWER = 'the node did not answer in time'
const LATE_REPLY = { fault: LATE_ANSWER }

/** `rows`: what is stored of the nodes. `tokens`: the token contracts to read. */
type Question = {
  network: Network
  signers: readonly Address[]
  rows: readonly NodeRow[]
  tokens: readonly Address[]
  now: Date
}

export type AskedNode = {
  node: Node
  row: NodeRow | undefined
  /** What it told last; of a node that is new, or has not answered for long, what another one told. */
  before: NodeState | null
  /** Null: it does not answer. */
  view: View | null
  /** Why it cannot be used; null if it can. */
  problem: string | null
}

/** Asks each node what it says of the network. */
export function askNodes({ network, signers, rows, tokens, now }: Question): Promise<AskedNode[]> {
  const states = rows.flatMap(({ state }) => state ?? [])
  const [newest = null] = states.toSorted((a, b) => b.block - a.block)
  const late = new Date(now.getTime() - LATE).toISOString()
  return Promise.all(
    nodes({ ...network, timeout: TIMEOUT }).map(async (node) => {
      const row = rows[node.index]
      const before = row?.state && row.state.seenAt >= late ? row.state : newest
      const cursors = stateOf(network, row?.state) ?? stateOf(network, before)
      const asking = askNode(node, { network, signers, before, cursors, tokens })
      const answer = await within(MAX_DURATION.view, asking).catch(() => LATE_ANSWER)
      if (typeof answer === 'string') return { node, row, before, view: null, problem: answer }
      const problem = findClockProblem(network, answer.head)
      return { node, row, before, view: answer, problem }
    }),
  )
}

/** The state, if it is of the contract that is configured. */
const stateOf = (network: Network, state: NodeState | null | undefined) =>
  state?.contract === network.delivery ? state : null

/**
 * Asks the nodes that have answered for the receipts of unproven transactions whose nonces are used. `receipts`:
 * by hash. Null: the node has none. Absent: it does not tell.
 */
export const askReceipts = (asked: readonly AskedNode[], own: readonly OwnTransaction[]) =>
  Promise.all(
    asked.map(async (answer) => {
      const hashes = answer.view ? findUnproven(answer.view, own) : []
      const asking = askOne(answer.node, hashes.map(transactionReceipt))
      const replies = await within(MAX_DURATION.receipts, asking).catch(() => () => LATE_REPLY)
      return { ...answer, receipts: readReceipts(hashes, replies) }
    }),
  )

const findUnproven = ({ relayers }: View, own: readonly OwnTransaction[]): Hex[] =>
  own
    .filter(({ isUnproven, signer, nonce }) => {
      const count = relayers.find(({ address }) => address === signer)?.nonce ?? 0
      return isUnproven && nonce < count
    })
    .flatMap(({ hashes }) => hashes)
