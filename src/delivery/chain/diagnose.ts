/** Why items that fail in a simulation cannot be delivered, and whether they fail for that. */
import type { Network } from '../../env.ts'
import type { ItemResult } from '../../ethereum/contract.ts'
import { otherNodes } from '../../ethereum/node.ts'
import { readContractReason, revertReason } from '../../ethereum/revert.ts'
import type { Rpc } from '../../ethereum/rpc.ts'
import { explain, type Reason } from '../reasons.ts'
import {
  type ItemChange,
  needsConfirmation,
  queue,
  wait,
  waitOrFail,
} from '../rules/item-changes.ts'
import type { Candidate } from './compose.ts'
import type { World } from './observe.ts'
import { readRefusal, refusalRequests } from './refusal.ts'
import { type Batch, type Circumstances, type Failing, simulate } from './simulate.ts'

/** Items of which a step asks why they would fail. More would delay the others. */
const MAX_DIAGNOSED = 20

/** Milliseconds until an item is processed again that a step did not ask about. */
const UNASKED_DELAY = 30_000

/** Items fail only if a second node, where there is one, says so too. */
export async function diagnose(
  world: World,
  batches: readonly Batch[],
  failing: readonly Failing[],
  circumstances: Circumstances,
): Promise<ItemChange[]> {
  const { network, observation, now } = world
  if (failing.length === 0) return []
  const reasons = await findReasons(observation.node.rpc, network, batches, failing)
  const doubtful = new Set(
    [...reasons].flatMap(([candidate, reason]) =>
      needsConfirmation(candidate.item, reason, now) ? candidate : [],
    ),
  )
  const confirmed = await confirm(world, batches, doubtful, circumstances)
  return failing.map(({ candidate, result }) => {
    const { item } = candidate
    const reason = reasons.get(candidate)
    if (reason) return waitOrFail(item, reason, confirmed.has(candidate), now)
    const next = new Date(now.getTime() + UNASKED_DELAY)
    // What it waits for is still the best that is known, and its time goes on.
    if (item.failingSince && item.reasonCode) return queue(item, next)
    const unasked = wait(item, explain('simulation_failed', describe(result)), now)
    return { ...unasked, dueAt: next.toISOString() }
  })
}

const describe = (result: Failing['result']) =>
  typeof result === 'string' ? undefined : revertReason(result.reason)

/**
 * Returns the reasons of items that would fail. Equal ones are asked about once. An item has no
 * entry if there are too many, or if the node does not tell.
 */
async function findReasons(
  rpc: Rpc,
  { gasPerItem }: Network,
  batches: readonly Batch[],
  failing: readonly Failing[],
): Promise<Map<Candidate, Reason>> {
  const reasons = new Map<Candidate, Reason>()
  const unclear: { candidate: Candidate; result: ItemResult }[] = []
  for (const { candidate, result } of failing) {
    // What the Delivery contract itself says.
    const code =
      typeof result === 'string'
        ? result
        : readContractReason(Number(result.gasUsed), result.reason)
    if (code) reasons.set(candidate, explain(code))
    else if (typeof result !== 'string') unclear.push({ candidate, result })
  }
  const relayers = new Map(
    batches.flatMap(({ relayer, candidates }) => candidates.map((one) => [one, relayer] as const)),
  )
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
      const relayer = first && relayers.get(first.candidate)
      if (!relayer) return []
      const by = { relayer, delivery: first.candidate.contract }
      return { by, first, members: [first, ...others] }
    })
  const replies = await rpc(
    groups.flatMap(({ by, first }) => refusalRequests(by, first.candidate.call)),
  )
  for (const { by, first, members } of groups) {
    const failure = { said: first.result.reason, gasPerItem }
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
  { network, observation: { node } }: World,
  batches: readonly Batch[],
  doubtful: ReadonlySet<Candidate>,
  circumstances: Circumstances,
): Promise<ReadonlySet<Candidate>> {
  if (network.rpcUrls.length === 1 || doubtful.size === 0) return doubtful
  const [other] = otherNodes(network, node)
  if (!other) return new Set()
  const again = batches.flatMap((batch) => {
    const candidates = batch.candidates.filter((candidate) => doubtful.has(candidate))
    return candidates.length > 0 ? { ...batch, candidates } : []
  })
  const simulations = await simulate(other.rpc, network, again, circumstances)
  return new Set(
    simulations.flatMap((simulation) =>
      typeof simulation === 'string' ? [] : simulation.bad.map(({ candidate }) => candidate),
    ),
  )
}
