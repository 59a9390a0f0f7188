/** From due items to signed transactions: what can be sent. */
import type { Network } from '../env.ts'
import { log } from '../log.ts'
import { type Candidate, compose } from './chain/compose.ts'
import { diagnose } from './chain/diagnose.ts'
import type { World } from './chain/observe.ts'
import {
  type Capacity,
  findPieces,
  type Signed,
  saveRoom,
  signBatches,
  takeFitting,
} from './chain/sign.ts'
import { type Batch, type Failing, fitGas, type GoodBatch, simulate } from './chain/simulate.ts'
import { countPieces, type Item } from './model.ts'
import { explain } from './reasons.ts'
import { type ItemChange, queue, stayDue, wait } from './rules/item-changes.ts'

/** Seconds. An expired transaction still costs gas if it is mined, so it should not happen often. */
export const DEADLINE = 60 * 60

/**
 * Prepares the items whose keys are unused. With a blocker, items are left as they are although they
 * are due, and the network has to be asked again.
 */
export async function prepare(
  world: World,
  items: readonly Item[],
  capacities: readonly Capacity[],
): Promise<Signed> {
  const { network, now, renew } = world
  const { chainId } = network
  const { node, head, market } = world.observation
  const nothing: Signed = { transactions: [], changes: [], blocker: null }
  if (items.length === 0) return nothing
  await renew()
  const composed = await compose(world, items)
  const { candidates, changes } = composed
  if (!market) {
    log.error('fees_unknown', { chainId })
    return { ...nothing, changes, blocker: 'fees_unknown' }
  }
  let { blocker } = composed
  const { batches, left } = divide(saveRoom(world, candidates, capacities), network, capacities)
  const isBusy = batches.length >= countNonces(capacities)
  if (!isBusy)
    changes.push(...left.flatMap(({ item }) => stayDue(item, 'relayer_limit_reached', now) ?? []))
  if (batches.length === 0 && candidates.length > 0) {
    blocker = isBusy ? 'signers_busy' : 'relayer_limit_reached'
    if (!isBusy) log.error(blocker, { chainId, contract: network.delivery })
  }

  const deadline = head.timestamp + DEADLINE
  const circumstances = {
    deadline,
    gasPrice: market.baseFee + market.tip,
    funds: new Map(capacities.map(({ signer, funds }) => [signer.address, funds])),
  }
  await renew()
  const simulations = await simulate(node.rpc, network, batches, circumstances)
  const goodBatches: GoodBatch[] = []
  const failing: Failing[] = []
  for (const [i, batch] of batches.entries()) {
    const simulation = simulations[i]
    if (simulation === undefined || typeof simulation === 'string') {
      log.error('simulation_failed', { chainId, reason: simulation })
      blocker = 'simulation_failed'
      continue
    }
    const { good, bad, open } = simulation
    failing.push(...bad)
    // Those that the gas of others kept from being reached are tried without them.
    const isShortened = bad.length > 0 || good.length > 0
    changes.push(...open.map(({ item }) => (isShortened ? queue(item, now) : unclear(item, now))))
    if (good.length > 0) goodBatches.push({ ...batch, good: fitGas(good, network.gasPerItem) })
  }
  await renew()
  changes.push(...(await diagnose(world, batches, failing, circumstances)))
  await renew()
  const signed = await signBatches(world, goodBatches, { market, capacities, deadline })
  return {
    ...signed,
    changes: [...changes, ...signed.changes],
    blocker: signed.blocker ?? blocker,
  }
}

const unclear = (item: Item, now: Date): ItemChange => wait(item, explain('node_unavailable'), now)

/**
 * Divides candidates into as many batches as the relayers have room for. `left`: items that no relayer
 * may move now, or that more transactions would have to carry.
 */
function divide(
  candidates: readonly Candidate[],
  { itemsPerTransaction }: Network,
  capacities: readonly Capacity[],
): { batches: Batch[]; left: Candidate[] } {
  const batches: Batch[] = []
  const allLeft: Candidate[] = []
  let nonces = countNonces(capacities)
  for (const [contract, ofContract] of Map.groupBy(candidates, ({ contract }) => contract)) {
    const left = capacities.map((capacity) => findPieces(capacity, contract))
    let rest = ofContract
    for (; nonces > 0; nonces--) {
      const most = Math.max(0, ...left)
      const position = left.indexOf(most)
      const relayer = capacities[position]?.signer.address
      const measure = ({ item }: Candidate) => countPieces(item)
      const { taken, pieces } = takeFitting(rest, measure, itemsPerTransaction, most)
      if (!relayer || taken.length === 0) break
      left[position] = most - pieces
      batches.push({ contract, relayer, candidates: taken })
      const isTaken = new Set(taken)
      rest = rest.filter((candidate) => !isTaken.has(candidate))
    }
    allLeft.push(...rest)
  }
  return { batches, left: allLeft }
}

const countNonces = (capacities: readonly Capacity[]): number =>
  capacities.reduce((sum, { nonces }) => sum + nonces.length, 0)
