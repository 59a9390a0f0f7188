/** How much gas a call of `deliver` needs. */
import type { Item } from './items.ts'
import type { Delivery, SimulateOptions } from './world.ts'

/** The outcomes of a call, or why the whole call is reverted. */
export const outcomesOf = (delivery: Delivery, items: readonly Item[], options: SimulateOptions) =>
  delivery.simulate(items, options).catch((error: Error) => {
    if (error.message.includes('OutOfGas()')) return 'OutOfGas'
    // Not even enough to revert with a reason.
    if (/out ?of ?gas|amount of gas/i.test(error.message)) return 'no gas left'
    throw error
  })

/** What may come of too little gas: items that are not reached, and no item that fails. */
export const NONE_FAILED = /^(OutOfGas|no gas left|delivered(,delivered)*(,notReached)*)$/

export const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => BigInt(from + i * step))

/** The least value for which something holds, if it holds for `enough`. */
export async function least(
  enough: bigint,
  holds: (value: bigint) => Promise<boolean>,
): Promise<bigint> {
  let [tooLittle, known] = [0n, enough]
  while (known - tooLittle > 1n) {
    const middle = (tooLittle + known) / 2n
    if (await holds(middle)) known = middle
    else tooLittle = middle
  }
  return known
}
