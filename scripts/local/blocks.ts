/**
 * Makes the blocks of the local chain: at once, except for the outcomes that a block decides. These
 * are known by the token of the transaction's items. A catalogue of somebody's own has none.
 */
import { setTimeout } from 'node:timers/promises'
import {
  type Address,
  createTestClient,
  decodeFunctionData,
  getAddress,
  type Hash,
  type Hex,
  http,
  zeroAddress,
} from 'viem'
import { relayerAbi as abi } from '../../contracts/relayer-abi.ts'
import { tokenIdOf } from './catalogue/outcomes.ts'
import type { OutcomeTokens } from './outcomes.ts'

/** In its blocks, tokens fail that succeed in a simulation: `ADVERSARY` of `OutcomeToken`. */
const ADVERSARY = '0x000000000000000000000000000000000000BAd0'

/** Milliseconds for which no block has a slow delivery. */
const SLOW = 30_000

/** Milliseconds between two looks at the waiting transactions. */
const INTERVAL = 50

type Item = { key: Hex; token: Address; tokenId: bigint }

/**
 * Takes over the making of blocks from anvil, until the process ends. `undo` is called once a block has
 * a delivery that is to be reorganised away. Returns a function that mines what waits, and resolves
 * then.
 */
export async function produceBlocks(
  rpcUrl: string,
  tokens: OutcomeTokens | null,
  undo: (hash: Hash) => Promise<void>,
): Promise<() => Promise<void>> {
  const chain = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
  /** When each slow delivery was first seen, and those that were undone, by key. */
  const seen = new Map<Hex, number>()
  const undone = new Set<Hex>()

  const isToken = ({ token, tokenId }: Item, outcome: string) =>
    getAddress(token) === tokens?.outcome && String(tokenId) === tokenIdOf(outcome)

  function isSlow(item: Item): boolean {
    if (!isToken(item, 'slow')) return false
    const since = seen.get(item.key) ?? performance.now()
    seen.set(item.key, since)
    return performance.now() - since < SLOW
  }

  async function look(): Promise<void> {
    const waiting = await readPool()
    const { slow = [], ready = [] } = Object.groupBy(waiting, ({ items }) =>
      items.some(isSlow) ? 'slow' : 'ready',
    )
    // The node forgets it, as nodes do. The Worker sends it again.
    for (const { hash } of slow) await chain.dropTransaction({ hash })
    if (ready.length === 0) return
    const items = ready.flatMap((transaction) => transaction.items)
    const isHostile = items.some(
      (item) => isToken(item, 'transfer-failed') || getAddress(item.token) === tokens?.burning,
    )
    if (isHostile) await chain.setCoinbase({ address: ADVERSARY })
    await chain.mine({ blocks: 1 })
    if (isHostile) await chain.setCoinbase({ address: zeroAddress })
    for (const { hash, items } of ready)
      for (const item of items)
        if (isToken(item, 'reorganised') && !undone.has(item.key)) {
          undone.add(item.key)
          undo(hash).catch(console.error)
        }
  }

  /** Returns the transactions that the next block would have. */
  async function readPool() {
    const { pending } = await chain.getTxpoolContent()
    const ofSenders = Object.values(pending).flatMap((byNonce) => Object.values(byNonce))
    return ofSenders.map(({ hash, input }) => ({ hash, items: itemsOf(input) }))
  }

  let last: Promise<void> = Promise.resolve()
  const mine = () => {
    // A look fails while the chain is busy.
    last = last.then(look).catch(() => {})
    return last
  }

  await chain.setAutomine(false)
  void (async () => {
    // Ends with this process.
    for (;;) await Promise.all([mine(), setTimeout(INTERVAL)])
  })()
  return mine
}

/** Returns the items of a delivery; none if it is another transaction. */
function itemsOf(input: Hex): readonly Item[] {
  try {
    const { functionName, args } = decodeFunctionData({ abi, data: input })
    return functionName === 'deliver' ? args[0] : []
  } catch {
    return []
  }
}
