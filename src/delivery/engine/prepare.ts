/** From due items to signed transactions: what can be sent, by whom, with which gas and fees. */
import type { Address } from 'viem'
import type { Network } from '../../env.ts'
import { otherNodes } from '../../ethereum/node.ts'
import type { Signer } from '../../ethereum/signer.ts'
import { log } from '../../log.ts'
import { assign, type Batch, type Candidate, type Capacity, capacityOf } from './assign.ts'
import { compose } from './compose.ts'
import { isOverdue, judge, LATER } from './failure.ts'
import { type Move, queue } from './moves.ts'
import type { Observation } from './observe.ts'
import { type GoodBatch, type NewTransaction, signBatches } from './sign-batches.ts'
import { diagnose, fitGas, type Simulation, simulate } from './simulate.ts'
import type { Item, Loaded } from './state.ts'

/** Seconds. An expired transaction still costs gas if it is mined, so it should not happen often. */
export const DEADLINE = 60 * 60

export type Prepared = {
  transactions: NewTransaction[]
  moves: Move[]
  /** Why items were left as they are, although they are due. The network has to be asked again. */
  blocked: string | null
}

/** Prepares the items whose keys are unused. */
export async function prepare(
  network: Network,
  items: readonly Item[],
  loaded: Loaded,
  observation: Observation,
  signers: readonly Signer[],
  now: Date,
): Promise<Prepared> {
  const { node, head } = observation
  const result: Prepared = { transactions: [], moves: [], blocked: null }
  if (items.length === 0) return result
  const later = new Date(now.getTime() + LATER)
  const { candidates, moves, isBlocked } = await compose(network, items, observation, now)
  result.moves.push(...moves)
  if (isBlocked) result.blocked = 'contract_unavailable'
  const capacities = new Map(
    signers.map(({ address }) => [address, capacityOf(address, network, observation, loaded)]),
  )
  const batches = assign(candidates, network, capacities)
  if (batches.length === 0 && candidates.length > 0)
    result.blocked = whyNobody(network, observation, capacities)

  const deadline = head.timestamp + DEADLINE
  const simulations = await simulate(node.rpc, network, batches, deadline)
  const good: GoodBatch[] = []
  const bad: Simulation['bad'] = []
  for (const [i, batch] of batches.entries()) {
    const simulation = simulations[i]
    if (simulation === undefined || typeof simulation === 'string') {
      log.error('simulation_failed', { chainId: network.chainId, reason: simulation })
      result.blocked = 'simulation_failed'
      continue
    }
    bad.push(...simulation.bad)
    // Those that the gas of others kept from being reached are tried without them.
    const isShortened = simulation.bad.length > 0 || simulation.good.length > 0
    const at = isShortened ? now : later
    result.moves.push(...simulation.open.map(({ item }) => queue(item, at)))
    if (simulation.good.length > 0)
      good.push({ batch, good: fitGas(simulation.good, network.gasPerItem) })
  }
  result.moves.push(...(await judgeAll(network, batches, bad, observation, deadline, now)))
  const senders = { unmined: loaded.unmined, signers, capacities }
  const { transactions, lack } = await signBatches(network, good, observation, senders, deadline)
  return { ...result, transactions, blocked: lack ?? result.blocked }
}

function whyNobody(
  { chainId, delivery }: Network,
  { contracts }: Observation,
  capacities: ReadonlyMap<Address, Capacity>,
): string {
  const left = [...capacities.values()].map(({ allowances }) => allowances.get(delivery) ?? 0)
  if (left.some((items) => items > 0)) return 'signers_busy'
  const isRelayer = (contracts.get(delivery)?.allowances.size ?? 0) > 0
  const event = isRelayer ? 'relayer_limit_reached' : 'no_relayer'
  log.error(event, { chainId, contract: delivery })
  return event
}

/** Items fail only if a second node, where there is one, says so too. */
async function judgeAll(
  network: Network,
  batches: readonly Batch[],
  bad: Simulation['bad'],
  { node }: Observation,
  deadline: number,
  now: Date,
): Promise<Move[]> {
  if (bad.length === 0) return []
  const later = new Date(now.getTime() + LATER)
  const problems = await diagnose(node.rpc, network, bad)
  const overdue = new Set(
    [...problems].flatMap(([candidate, problem]) =>
      problem && isOverdue(candidate.item, problem, now) ? candidate : [],
    ),
  )
  const confirmed = await confirm(network, node, batches, overdue, deadline)
  return bad.map(({ candidate }) => {
    const { item } = candidate
    const problem = problems.get(candidate)
    return problem ? judge(item, problem, confirmed.has(candidate), now) : queue(item, later)
  })
}

/** Returns those of the candidates that would fail at another node, too. */
async function confirm(
  network: Network,
  node: Observation['node'],
  batches: readonly Batch[],
  overdue: ReadonlySet<Candidate>,
  deadline: number,
): Promise<ReadonlySet<Candidate>> {
  if (network.rpcUrls.length === 1 || overdue.size === 0) return overdue
  const [other] = otherNodes(network, node)
  if (!other) return new Set()
  const again = batches.flatMap((batch) => {
    const candidates = batch.candidates.filter((candidate) => overdue.has(candidate))
    return candidates.length > 0 ? { ...batch, candidates } : []
  })
  const simulations = await simulate(other.rpc, network, again, deadline)
  return new Set(
    simulations.flatMap((simulation) =>
      typeof simulation === 'string' ? [] : simulation.bad.map(({ candidate }) => candidate),
    ),
  )
}
