/** Fees of EIP-1559, in wei per unit of gas. */

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** What the network asks now. */
export type Market = { baseFee: bigint; tip: bigint }

/** Room for the base fee to double, up to the cap. Null: the network asks more than the cap. */
export function feesFor({ baseFee, tip }: Market, cap: bigint): Fees | null {
  if (baseFee + tip > cap) return null
  const wanted = 2n * baseFee + tip
  return { maxFeePerGas: wanted < cap ? wanted : cap, maxPriorityFeePerGas: tip }
}

/**
 * What replaces a transaction at its nonce: nodes want at least a tenth more of both, some an
 * eighth. Null: that would be above the cap.
 */
export function feesToReplace(old: Fees, market: Market, cap: bigint): Fees | null {
  const fees = feesFor(market, cap)
  const maxFeePerGas = larger(raised(old.maxFeePerGas), fees?.maxFeePerGas ?? 0n)
  const maxPriorityFeePerGas = larger(raised(old.maxPriorityFeePerGas), market.tip)
  if (maxFeePerGas > cap) return null
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(maxPriorityFeePerGas, maxFeePerGas) }
}

/** An eighth more, rounded up, and at least one wei. */
const raised = (fee: bigint) => (fee === 0n ? 1n : (fee * 9n + 7n) / 8n)
const larger = (a: bigint, b: bigint) => (a > b ? a : b)
const smaller = (a: bigint, b: bigint) => (a < b ? a : b)
