/** Which transaction used a nonce: found for certain, or not at all. */
import type { Address, Hex } from 'viem'
import * as ask from './questions.ts'
import { read } from './questions.ts'
import { call, type Node } from './rpc.ts'

export type UsedNonce = { transferId: number; signer: Address; nonce: number }

/** At most so many nonces are looked into at a time; the others are at the next look. */
const AT_ONCE = 10
/** Blocks that are asked about in one step of the search. */
const FAN_OUT = 16

/** `count(low)` ≤ nonce < `count(high)`: the transaction is in a block after low, up to high. */
type Bracket = { used: UsedNonce; low: number; high: number }

/**
 * The hash of the transaction that used each nonce, or null when the node cannot tell (it keeps no
 * state of that age). All of the nonces are used in `final` or before. The search narrows all
 * brackets in the same HTTP call, by the count of transactions that the address had at a block;
 * its first step asks about recent blocks, which any node knows.
 */
export async function consumersOf(
  node: Node,
  nonces: readonly UsedNonce[],
  final: number,
): Promise<Map<number, Hex | null>> {
  const lowest = [...nonces].sort((a, b) => a.nonce - b.nonce).slice(0, AT_ONCE)
  const brackets = lowest.map((used): Bracket => ({ used, low: -1, high: final }))
  let open = brackets
  let heights = (_: Bracket) => recent(final)
  while (open.length > 0) {
    const before = open.map(width)
    await narrow(node, open, heights)
    heights = spread
    open = open.filter((bracket, i) => width(bracket) > 1 && width(bracket) !== before[i])
  }
  return identify(node, brackets)
}

const width = ({ low, high }: Bracket) => high - low

/** 1, 2, 4, 8 … blocks back. */
function recent(final: number): number[] {
  const heights: number[] = []
  for (let back = 1; back <= final; back *= 2) heights.push(final - back)
  return heights
}

/** Evenly between both ends. */
function spread({ low, high }: Bracket): number[] {
  const step = Math.max(1, Math.ceil((high - low) / FAN_OUT))
  const heights: number[] = []
  for (let height = low + step; height < high; height += step) heights.push(height)
  return heights
}

async function narrow(
  node: Node,
  brackets: readonly Bracket[],
  heightsOf: (bracket: Bracket) => number[],
): Promise<void> {
  const asked = brackets.map((bracket) => ({ bracket, heights: heightsOf(bracket) }))
  const replies = await call(
    node,
    asked.flatMap(({ bracket, heights }) =>
      heights.map((height) => ask.countOf(bracket.used.signer, height)),
    ),
  )
  for (const { bracket, heights } of asked) {
    for (const height of heights) {
      const count = read(ask.integer, replies(ask.countOf(bracket.used.signer, height)))
      if (count === null) continue
      if (count > bracket.used.nonce) bracket.high = Math.min(bracket.high, height)
      else bracket.low = Math.max(bracket.low, height)
    }
  }
}

/** Reads the block that each bracket has come down to. */
async function identify(
  node: Node,
  brackets: readonly Bracket[],
): Promise<Map<number, Hex | null>> {
  const found = brackets.filter((bracket) => width(bracket) === 1)
  const replies = await call(
    node,
    found.map(({ high }) => ask.blockAt(high, true)),
  )
  const consumers = new Map<number, Hex | null>()
  for (const { used } of brackets) consumers.set(used.transferId, null)
  for (const { used, high } of found) {
    const transactions = read(ask.fullBlock, replies(ask.blockAt(high, true)))?.transactions ?? []
    const consumer = transactions.find(
      ({ from, nonce }) => nonce === used.nonce && from.toLowerCase() === used.signer.toLowerCase(),
    )
    if (consumer) consumers.set(used.transferId, consumer.hash)
  }
  return consumers
}
