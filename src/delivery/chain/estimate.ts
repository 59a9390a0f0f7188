/** The gas of transactions, and what publishing their data costs. */
import { encodeFunctionData, type Hex, numberToHex } from 'viem'
import type { Network } from '../../env.ts'
import { encodeDeliver } from '../../ethereum/contract.ts'
import { gasEstimate, read, view, wei } from '../../ethereum/requests.ts'
import type { Rpc } from '../../ethereum/rpc.ts'
import type { Deliverable, GoodBatch } from '../rules/capacity.ts'

/** The most gas of a transaction (EIP-7825). */
export const MAX_GAS = 16_777_216

/** Gas of a call without items, and of an item without the call of its token. */
const GAS_PER_CALL = 40_000
const GAS_AROUND_ITEM = 40_000

/** The gas limit that the simulated items need, with room for one that uses up its limit. */
const gasNeeded = (good: readonly Deliverable[], gasPerItem: number): number =>
  Math.ceil(
    1.25 * good.reduce((gas, { gasUsed }) => gas + gasUsed + GAS_AROUND_ITEM, GAS_PER_CALL) +
      (gasPerItem * 64) / 63 +
      60_000,
  )

/** Returns as many of the items as fit into one transaction. */
export function fitGas(good: readonly Deliverable[], gasPerItem: number): Deliverable[] {
  const fitting = [...good]
  while (fitting.length > 1 && gasNeeded(fitting, gasPerItem) > MAX_GAS) fitting.pop()
  return fitting
}

const oracleAbi = [
  {
    type: 'function',
    name: 'getL1Fee',
    stateMutability: 'view',
    inputs: [{ name: 'data', type: 'bytes' }],
    outputs: [{ name: '', type: 'uint256' }],
  },
] as const
/** The predeployed contract of OP-stack chains that tells the fee for publishing the data. */
const ORACLE = '0x420000000000000000000000000000000000000F'

/** The gas limit of a call, and its L1 data fee in wei (0 on most chains). */
export type GasLimit = { gas: bigint; l1Fee: bigint }

/**
 * Returns the limits of each call. Estimating is slow, so a node is asked about the largest call
 * only, unless that needs more gas than in the simulation: then each one may be different.
 */
export async function estimate(
  rpc: Rpc,
  { gasPerItem }: Pick<Network, 'gasPerItem'>,
  batches: readonly GoodBatch[],
  deadline: number,
  maxFeePerGas: bigint,
): Promise<GasLimit[]> {
  // All items are to be reached, so that the estimate holds for all.
  const encode = ({ good }: GoodBatch) =>
    encodeDeliver(
      good.map(({ candidate }) => candidate.call),
      good.length,
      gasPerItem,
      deadline,
    )
  const estimateRequest = ({ relayer, contract }: GoodBatch, data: Hex) =>
    gasEstimate({ from: relayer, to: contract, data, maxFeePerGas: numberToHex(maxFeePerGas) })
  const [largest] = batches.toSorted((a, b) => b.good.length - a.good.length)
  if (!largest) return []
  const data = encode(largest)
  const request = estimateRequest(largest, data)
  const fee = view(ORACLE, encodeFunctionData({ abi: oracleAbi, args: [data] }))
  const replies = await rpc([request, fee])
  const l1Fee = read(wei, replies(fee)) ?? 0n
  const estimated = Number(read(wei, replies(request)) ?? 0)
  const needed = batches.map(({ good }) => gasNeeded(good, gasPerItem))
  if (estimated <= gasNeeded(largest.good, gasPerItem))
    return needed.map((gas) => ({ gas: limited(gas), l1Fee }))
  const requests = batches.map((batch) => estimateRequest(batch, encode(batch)))
  const estimates = await rpc(requests)
  return requests.map((request, i) => {
    const gas = Number(read(wei, estimates(request)) ?? estimated)
    return { gas: limited(Math.max(gas, needed[i] ?? 0)), l1Fee }
  })
}

const limited = (gas: number) => BigInt(Math.min(MAX_GAS, Math.ceil(gas)))
