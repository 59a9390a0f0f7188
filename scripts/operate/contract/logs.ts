/** Reads events of contracts from a node, in parts. */
import { type AbiEvent, type Address, BaseError, type GetLogsReturnType } from 'viem'
import { attempt, type Node } from './node.ts'

/** Blocks of the first call, and what their number is multiplied with after each that succeeds. */
const FIRST_SIZE = 10_000
const GROWTH = 1.1

/**
 * Yields the events of these blocks, and the last block of each part. Providers limit a call by blocks,
 * results, size or time, and each says so in its own words. So any error halves the number of blocks.
 */
export async function* readLogs<const Events extends readonly AbiEvent[]>(
  node: Node,
  what: { address: Address | Address[]; events: Events },
  { from, to }: { from: number; to: number },
): AsyncGenerator<{ logs: GetLogsReturnType<undefined, Events, true>; end: number }> {
  let size = FIRST_SIZE
  for (let next = from; next <= to; ) {
    const end = Math.min(to, next + size - 1)
    const blocks = { fromBlock: BigInt(next), toBlock: BigInt(end) }
    const call = node.getLogs({ ...what, strict: true, ...blocks })
    try {
      yield { logs: await call, end }
      next = end + 1
      size = Math.ceil(size * GROWTH)
    } catch (error) {
      if (!(error instanceof BaseError)) throw error
      if (end === next) await attempt(`Reading the events of block ${next}`, call)
      size = Math.ceil((end - next) / 2)
    }
  }
}
