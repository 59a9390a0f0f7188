/** Fees of EIP-1559, in wei per unit of gas. */
import { parseGwei } from 'viem/utils'
import type { Network } from '../env.ts'

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/**
 * What the network asks now. `lowestBaseFee`: the least that a node tells, which decides what is too dear for a
 * signer. Nodes tell different tips, too: the lowest is offered first, the highest for what is overdue.
 */
export type Market = { baseFee: bigint; lowestBaseFee: bigint; tip: bigint; overdueTip: bigint }

/** The most that a network may be paid. */
export const readFeeCap = ({ maxFeePerGasGwei }: Pick<Network, 'maxFeePerGasGwei'>): bigint =>
  parseGwei(String(maxFeePerGasGwei))

export const feeTexts = ({ baseFee, tip }: Pick<Market, 'baseFee' | 'tip'>) => ({
  baseFee: String(baseFee),
  tip: String(tip),
})

/**
 * The fees of a first transaction: room for the base fee to double, up to 70 % of the cap, so that
 * they can be raised. Null: the network asks more than that.
 */
export function firstFees(market: Pick<Market, 'baseFee' | 'tip'>, cap: bigint): Fees | null {
  const limit = firstLimit(cap)
  const { baseFee, tip } = market
  if (baseFee + tip > limit) return null
  return { maxFeePerGas: lower(2n * baseFee + tip, limit), maxPriorityFeePerGas: tip }
}

const firstLimit = (cap: bigint): bigint => (cap * 7n) / 10n

/**
 * Returns the base fee of those that nodes tell: the highest, but not above what a first transaction may pay,
 * unless the lowest is.
 */
export function withinCap(
  { lowest, highest, tip }: { lowest: bigint; highest: bigint; tip: bigint },
  cap: bigint,
): bigint {
  const most = firstLimit(cap) - tip
  return lowest > most ? lowest : lower(highest, most)
}

/**
 * The fees that replace a transaction at its nonce: an eighth more of both, or what the market
 * asks. Null: that is above the cap.
 */
export function outbid(
  old: Fees,
  { baseFee, tip }: Pick<Market, 'baseFee' | 'tip'>,
  cap: bigint,
): Fees | null {
  const maxPriorityFeePerGas = larger(raised(old.maxPriorityFeePerGas), tip)
  const maxFeePerGas = larger(
    raised(old.maxFeePerGas),
    lower(2n * baseFee + maxPriorityFeePerGas, cap),
  )
  if (maxFeePerGas > cap || maxPriorityFeePerGas > maxFeePerGas) return null
  return { maxFeePerGas, maxPriorityFeePerGas }
}

/**
 * Returns the offered fees, or as much of them as a signer can pay, but no less than the network takes by the
 * lowest base fee. `payable`: wei per unit of gas. `old`: fees that they replace.
 */
export function fitFunds(
  { maxFeePerGas, maxPriorityFeePerGas }: Fees,
  { lowestBaseFee }: Pick<Market, 'lowestBaseFee'>,
  payable: bigint,
  old?: Fees,
): Fees {
  const taken = lowestBaseFee + maxPriorityFeePerGas
  const least = old ? larger(taken, raised(old.maxFeePerGas)) : taken
  return { maxFeePerGas: lower(maxFeePerGas, larger(least, payable)), maxPriorityFeePerGas }
}

/**
 * Whether the fees are below what the network asks. The tip counts only for a transaction that is
 * overdue, because what is usual changes from block to block.
 */
export const isUnderpriced = (
  fees: Fees,
  { baseFee, tip, overdueTip }: Omit<Market, 'lowestBaseFee'>,
  isOverdue: boolean,
): boolean =>
  fees.maxFeePerGas < baseFee + tip || (isOverdue && fees.maxPriorityFeePerGas < overdueTip)

/** Geth wants a tenth more, others an eighth. At least one wei. */
const raised = (fee: bigint) => (fee === 0n ? 1n : (fee * 9n + 7n) / 8n)

export const lower = (a: bigint, b: bigint): bigint => (a < b ? a : b)
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
