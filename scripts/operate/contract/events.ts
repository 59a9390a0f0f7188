/** The events of Delivery contracts. */
import { type Address, BaseError, getAbiItem, HttpRequestError } from 'viem'
import { deliveryAbi } from '../../../contracts/delivery-abi.ts'
import { attempt, type Node } from './node.ts'

const events = [
  getAbiItem({ abi: deliveryAbi, name: 'Delivered' }),
  getAbiItem({ abi: deliveryAbi, name: 'Cancelled' }),
] as const

/** Blocks of the first request. A node that refuses so many is asked for half of them. */
const MAX_BLOCKS = 10_000n

/** An event which says that a key was used. */
export type KeyUse = Awaited<ReturnType<typeof readPage>>[number]

const readPage = (node: Node, address: Address[], fromBlock: bigint, toBlock: bigint) =>
  node.getLogs({ address, events, strict: true, fromBlock, toBlock })

/** Yields the events of the keys that the contracts used in these blocks, a page at a time. */
export async function* readKeyUses(
  node: Node,
  contracts: Address[],
  fromBlock: bigint,
  toBlock: bigint,
): AsyncGenerator<KeyUse[]> {
  let blocks = MAX_BLOCKS
  for (let from = fromBlock; from <= toBlock; ) {
    const to = from + blocks - 1n < toBlock ? from + blocks - 1n : toBlock
    const read = attempt(
      `Reading the events of the blocks ${from} to ${to}`,
      readPage(node, contracts, from, to),
    )
    const page = await read.catch((error: Error) => {
      if (from < to && isRefusal(error)) return undefined
      throw error
    })
    if (page) {
      yield page
      from = to + 1n
    } else blocks = (to - from + 1n) / 2n
  }
}

/** Whether a node has answered. Providers have many errors for too large a range. */
function isRefusal({ cause }: Error): boolean {
  if (!(cause instanceof BaseError)) return false
  const http = cause.walk((inner) => inner instanceof HttpRequestError)
  return !(http instanceof HttpRequestError) || http.status !== undefined
}
