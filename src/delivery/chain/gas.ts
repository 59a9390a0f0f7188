/** How much gas calls need: by their simulation, and by what nodes estimate. */
import { type Hex, numberToHex } from 'viem'
import { askEach, type Node } from '../../chain/nodes.ts'
import { encodeDeliver } from '../../ethereum/contract.ts'
import { lower } from '../../ethereum/fees.ts'
import {
  gasEstimate,
  inconclusive,
  type Replies,
  type RpcRequest,
  read,
  view,
  wei,
} from '../../ethereum/requests.ts'
import { encodeCall } from '../../ethereum/token.ts'
import type { Batch, Deliverable } from '../rules/capacity.ts'

/** The most gas of a transaction (EIP-7825). */
export const MAX_GAS = 16_777_216
/** Gas of a call without items, and of an item without the call of its token. */
const GAS_PER_CALL = 40_000
const GAS_AROUND_ITEM = 40_000

/** The gas limit that the simulated items need, with room for one that uses up its limit. */
const gasNeeded = (good: readonly Deliverable[], gasPerItem: number): number =>
  Math.ceil(
    1.25 * good.reduce((gas, { gasUsed }) => gas + gasUsed + GAS_AROUND_ITEM, GAS_PER_CALL) +
      gasLeft(gasPerItem),
  )

/** The gas that has to be left for one more item. */
const gasLeft = (gasPerItem: number): number => (gasPerItem * 64) / 63 + 60_000

/** Leaves out the last items, until the others fit into a transaction. */
export function fitGas(good: readonly Deliverable[], gasPerItem: number): Deliverable[] {
  const fitting = [...good]
  while (fitting.length > 1 && gasNeeded(fitting, gasPerItem) > MAX_GAS) fitting.pop()
  return fitting
}

/** The predeployed contract of OP-stack chains that tells the fee for publishing the data. */
const ORACLE = '0x420000000000000000000000000000000000000F'

/**
 * What a call may need. `gas` is by the node that tells most, so that all items are reached: what is not used is not
 * paid. `leastGas` is by the one that tells least, for a signer that cannot pay the other. `l1Fee`: the L1 data fee
 * in wei (0 on most chains).
 */
export type GasLimit = { gas: bigint; leastGas: bigint; l1Fee: bigint }

/**
 * Returns the limits of each call. Estimating is slow, so a node is asked about the largest call
 * only, unless that needs more gas than in the simulation: then each one may be different.
 */
export async function estimate(
  nodes: readonly Node[],
  batches: readonly Batch<Deliverable>[],
  {
    gasPerItem,
    deadline,
    maxFeePerGas,
  }: { gasPerItem: number; deadline: number; maxFeePerGas: bigint },
): Promise<GasLimit[]> {
  // All items are to be reached, so that the estimate holds for all.
  const encode = ({ candidates }: Batch) => {
    const calls = candidates.map(({ call }) => call)
    return encodeDeliver(calls, calls.length, gasPerItem, deadline)
  }
  const estimateRequest = ({ relayer, contract }: Batch, data: Hex) =>
    gasEstimate({ from: relayer, to: contract, data, maxFeePerGas: numberToHex(maxFeePerGas) })
  const [largest] = batches.toSorted((a, b) => b.candidates.length - a.candidates.length)
  if (!largest) return []
  const data = encode(largest)
  const request = estimateRequest(largest, data)
  const fee = view(ORACLE, encodeCall('getL1Fee(bytes)', data))
  const all = await askEach(nodes, [request, fee])
  // Where there is no such contract, nothing is paid.
  const l1Fees = all.flatMap((replies) =>
    inconclusive(replies(fee)) ? [] : (read(wei, replies(fee)) ?? 0n),
  )
  const l1Fee = l1Fees.length > 0 ? l1Fees.reduce(lower) : 0n
  const limitBy = (batch: Batch<Deliverable>, estimates: readonly number[]) => ({
    ...mergeEstimates(batch.candidates, estimates, gasPerItem),
    l1Fee,
  })
  const estimated = readEstimates(all, request)
  if (Math.max(...estimated) <= gasNeeded(largest.candidates, gasPerItem))
    return batches.map((batch) => limitBy(batch, batch === largest ? estimated : []))
  const requests = batches.map((batch) => estimateRequest(batch, encode(batch)))
  const estimates = await askEach(nodes, requests)
  return batches.map((batch, i) => {
    const told = requests[i] ? readEstimates(estimates, requests[i]) : []
    return limitBy(batch, told.length > 0 ? told : estimated)
  })
}

/**
 * Returns the gas limits of a call by what nodes estimate, at least what the simulation needs. What one node tells
 * alone counts up to what the items may use, and its simulation up to what the estimates allow.
 */
function mergeEstimates(
  candidates: readonly Deliverable[],
  estimates: readonly number[],
  gasPerItem: number,
): Pick<GasLimit, 'gas' | 'leastGas'> {
  const simulated = gasNeeded(candidates, gasPerItem)
  const [highest = simulated, second = highest] = estimates.toSorted((a, b) => b - a)
  const allowed = estimates.length > 1 ? 1.25 * highest + gasLeft(gasPerItem) : simulated
  const needed = Math.min(simulated, allowed)
  const atMost = candidates.map((candidate) => ({ ...candidate, gasUsed: gasPerItem }))
  const most = Math.max(second, gasNeeded(atMost, gasPerItem))
  const told = estimates.map((gas) => Math.max(needed, Math.min(gas, most)))
  const limits = told.length > 0 ? told : [needed]
  return { gas: limited(Math.max(...limits)), leastGas: limited(Math.min(...limits)) }
}

const readEstimates = (all: readonly Replies[], request: RpcRequest): number[] =>
  all.flatMap((replies) => read(wei, replies(request)) ?? []).map(Number)

const limited = (gas: number) => BigInt(Math.min(MAX_GAS, Math.ceil(gas)))
