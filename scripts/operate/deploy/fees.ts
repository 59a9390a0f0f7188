/** Proposes the upper limits of fees of a network that has none. */
import { formatGwei } from 'viem'
import type { Network } from '../contract/networks.ts'
import { attempt, createNode, type Node } from '../contract/node.ts'

/** Multiples of what the chain asks now. */
const BASE_FEE_FACTOR = 10
const TIP_FACTOR = 3
/** Gwei. Below, a quiet chain would propose limits that it soon exceeds. */
const MIN_FEE = 1
const MIN_TIP = 0.1

/** Returns a sentence with settings for wrangler.toml if one is missing. */
export async function findFeeProblems(network: Network): Promise<string[]> {
  const { name, rpcUrls, maxFeePerGasGwei, maxPriorityFeePerGasGwei } = network
  if (maxFeePerGasGwei !== undefined && maxPriorityFeePerGasGwei !== undefined) return []
  const fees = await Promise.all(rpcUrls.map((url) => readFees(name, createNode([url]))))
  // The lower ones: a node that lies must not raise the limits.
  const proposal = proposeFees(
    Math.min(...fees.map(({ baseFee }) => baseFee)),
    Math.min(...fees.map(({ tip }) => tip)),
  )
  return [
    `Set the upper limits of fees for the network ${name}. From what the chain asks now, these are proposed:\nmaxFeePerGasGwei = ${proposal.maxFeePerGasGwei}\nmaxPriorityFeePerGasGwei = ${proposal.maxPriorityFeePerGasGwei}`,
  ]
}

async function readFees(name: string, node: Node) {
  const reads = Promise.all([node.getBlock(), node.estimateMaxPriorityFeePerGas()])
  const [{ baseFeePerGas }, tip] = await attempt(`Reading the fees of ${name}`, reads)
  return { baseFee: toGwei(baseFeePerGas ?? 0n), tip: toGwei(tip) }
}

const toGwei = (wei: bigint): number => Number(formatGwei(wei))

const round = (value: number): number => Number(value.toPrecision(2))

/** Returns upper limits in gwei, from base fee and tip in gwei. */
export function proposeFees(baseFee: number, tip: number) {
  const maxPriorityFeePerGasGwei = Math.max(MIN_TIP, round(tip * TIP_FACTOR))
  const highBaseFee = Math.max(MIN_FEE, baseFee * BASE_FEE_FACTOR)
  return {
    maxFeePerGasGwei: round(highBaseFee + maxPriorityFeePerGasGwei),
    maxPriorityFeePerGasGwei,
  }
}
