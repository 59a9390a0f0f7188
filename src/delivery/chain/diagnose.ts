/** Why items cannot be delivered: what those say that fail in a simulation, and why their tokens refuse. */
import { type Node, otherNodes } from '../../chain/nodes.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Network } from '../../env.ts'
import type { ItemResult } from '../../ethereum/contract.ts'
import { readContractReason, revertReason } from '../../ethereum/revert.ts'
import { explain, type Reason } from '../reasons.ts'
import type { Candidate } from '../rules/compose.ts'
import {
  type ItemChange,
  needsConfirmation,
  queue,
  wait,
  waitOrFail,
} from '../rules/item-changes.ts'
import { askRefusals, readRefusal } from './refusal.ts'
import { type Circumstances, type Failing, simulate } from './simulate.ts'

/** Items of which a step asks why they would fail. More would delay the others. */
const MAX_DIAGNOSED = 20
/** Milliseconds until an item is processed again that a step did not ask about. */
const UNDIAGNOSED_DELAY = 30_000

/** Items fail only if a second node, where there is one, says so too. */
export async function diagnose(
  failing: readonly Failing[],
  circumstances: Circumstances,
  { network, node, now }: { network: Network; node: Node; now: Date },
): Promise<ItemChange[]> {
  if (failing.length === 0) return []
  const reasons = await findReasons(node.rpc, network, failing)
  const doubtful = failing.filter(({ candidate }) => {
    const reason = reasons.get(candidate)
    return reason && needsConfirmation(candidate.item, reason, now)
  })
  const confirmed = await confirm(network, node, doubtful, circumstances)
  return failing.map(({ candidate, result }) => {
    const { item } = candidate
    const reason = reasons.get(candidate)
    if (reason) return waitOrFail(item, reason, confirmed.has(candidate), now)
    const next = new Date(now.getTime() + UNDIAGNOSED_DELAY)
    // What it waits for is still the best that is known, and its time goes on.
    if (item.failingSince && item.reasonCode) return queue(item, next)
    const said = typeof result === 'string' ? undefined : revertReason(result.reason)
    return { ...wait(item, explain('simulation_failed', said), now), dueAt: next.toISOString() }
  })
}

/**
 * Returns the reasons of items that would fail. Equal ones are asked about once. An item has no
 * entry if there are too many, or if the node does not tell.
 */
async function findReasons(rpc: Rpc, { gasPerItem }: Network, failing: readonly Failing[]) {
  const reasons = new Map<Candidate, Reason>()
  const unclear: (Failing & { result: ItemResult })[] = []
  for (const { batch, candidate, result } of failing) {
    // What the Delivery contract itself says.
    const code =
      typeof result === 'string'
        ? result
        : readContractReason(Number(result.gasUsed), result.reason)
    if (code) reasons.set(candidate, explain(code))
    else if (typeof result !== 'string') unclear.push({ batch, candidate, result })
  }
  const isOutOfGas = ({ gasUsed }: ItemResult) => gasUsed > gasPerItem * 0.95
  // Items of the same holder and token have the same holder's problem.
  const groups = [
    ...Map.groupBy(unclear, ({ candidate: { contract, call }, result }) => {
      const { token, from, to, tokenId, amount } = call
      const recipient = isOutOfGas(result) && to
      return [contract, token, from, tokenId, amount, result.reason, recipient].join()
    }).values(),
  ]
    .slice(0, MAX_DIAGNOSED)
    .flatMap(([first, ...others]) => {
      if (!first) return []
      const by = { relayer: first.batch.relayer, delivery: first.candidate.contract, gasPerItem }
      return { by, first, members: [first, ...others] }
    })
  const asked = groups.map(({ by, first }) => ({ by, item: first.candidate.call }))
  const replies = await askRefusals(rpc, asked)
  for (const { by, first, members } of groups) {
    const failure = { said: first.result.reason }
    const refusal = readRefusal(by, first.candidate.call, failure, replies)
    if (refusal === undefined) continue
    const ofRecipient = ({ reason }: ItemResult) =>
      explain('recipient_rejects', revertReason(reason))
    for (const { candidate, result } of members)
      reasons.set(
        candidate,
        refusal ?? (isOutOfGas(result) ? explain('gas_limit_exceeded') : ofRecipient(result)),
      )
  }
  return reasons
}

/** Returns those of the candidates that would fail at another node, too. */
async function confirm(
  network: Network,
  node: Node,
  doubtful: readonly Failing[],
  circumstances: Circumstances,
): Promise<ReadonlySet<Candidate>> {
  if (network.rpcUrls.length === 1 || doubtful.length === 0)
    return new Set(doubtful.map(({ candidate }) => candidate))
  const [other] = otherNodes(network, node)
  if (!other) return new Set()
  const again = [...Map.groupBy(doubtful, ({ batch }) => batch)].map(([batch, members]) => ({
    ...batch,
    candidates: members.map(({ candidate }) => candidate),
  }))
  const simulation = await simulate(other.rpc, network, again, circumstances)
  return new Set(simulation.failing.map(({ candidate }) => candidate))
}
