/** The states in which a run finds an item, and what must come of it. */
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, expect } from 'vitest'
import { aChain, type Chain } from '../chain/chain.ts'
import { pass } from './clock.ts'
import { rowOf, rowsOf } from './engine.ts'
import { aPaidItem, type PaidItem } from './items.ts'
import type { Marketplace } from './marketplace.ts'
import { expectExactlyOnce } from './oracle.ts'

/** After this time, a run that has stopped does not hold the lease any more. */
export const LEASE = 61

type Scene = (market: Marketplace) => Promise<PaidItem>

/** A scene of `aStage`. */
export type SceneName = keyof ReturnType<typeof aStage>['scenes']

const GWEI = 10n ** 9n
const hex = (value: bigint) => `0x${value.toString(16)}`

/**
 * Starts a chain for a group of tests, before the first of them. Its scenes place an item on it,
 * bring the item into a state and leave a message for the consumer. `erc721`: tokens, of which every
 * other item needs one.
 */
export function aStage(erc721: number) {
  let chain: Chain
  /** Every item on the chain. */
  let sold: PaidItem[] = []

  beforeAll(async () => {
    sold = []
    chain = await aChain({ erc721, erc1155: 10_000 }, afterAll)
  })

  /** Every other item has the other standard. */
  async function anItem(): Promise<PaidItem> {
    const item = await aPaidItem(
      chain,
      sold.length % 2 === 0 ? { standard: 'erc721' } : { standard: 'erc1155', quantity: 3 },
    )
    sold.push(item)
    return item
  }

  const isPaid: Scene = async ({ queue }) => {
    const item = await anItem()
    queue.put(chain)
    return item
  }

  /** Its transaction waits for a block. */
  const isSent: Scene = async (market) => {
    await chain.setAutomine(false)
    const item = await isPaid(market)
    await market.deliver()
    expect(await rowOf(item)).toMatchObject({ state: 'in_flight' })
    market.queue.put(chain)
    pass(10)
    return item
  }

  const isMined: Scene = async (market) => {
    const item = await isSent(market)
    await market.mine()
    await chain.setAutomine(true)
    return item
  }

  const isUnderpriced: Scene = async (market) => {
    await chain.rpc('anvil_setNextBlockBaseFeePerGas', hex(GWEI))
    await market.mine()
    const item = await isSent(market)
    await chain.rpc('anvil_setNextBlockBaseFeePerGas', hex(20n * GWEI))
    await market.mine()
    return item
  }

  const isDelivered: Scene = async (market) => {
    const item = await isPaid(market)
    await market.deliver()
    expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
    return item
  }

  /** Its block was final and is gone. */
  const isReorganized: Scene = async (market) => {
    const item = await isDelivered(market)
    await chain.rpc('anvil_reorg', 1, [])
    // Something else has to be done on this chain, or it is not looked at.
    await isPaid(market)
    return item
  }

  /** The chain has recorded its key, but the database was set back to the time before. */
  const isForgotten: Scene = async (market) => {
    const item = await isDelivered(market)
    const at = new Date().toISOString()
    await env.DB.batch([
      env.DB.prepare(
        `UPDATE deliveries SET state = 'queued', dueAt = ?2, transactionId = NULL, contract = NULL
         WHERE id = ?1`,
      ).bind(item.id, at),
      env.DB.prepare('DELETE FROM transactions WHERE items = json_array(?)').bind(item.id),
    ])
    market.queue.put(chain)
    return item
  }

  const scenes = {
    'is paid': isPaid,
    'is sent': isSent,
    'is mined': isMined,
    'is underpriced': isUnderpriced,
    'was reorganized': isReorganized,
    'was forgotten': isForgotten,
  }

  async function expectTransferred(items: readonly PaidItem[], at?: string) {
    for (const row of (await rowsOf(items)).values())
      expect(row, at).toMatchObject({ state: 'transferred' })
    await expectExactlyOnce(chain, sold)
  }

  return {
    chain: () => chain,
    scenes,
    /** Adds items that were placed in another way. */
    add: (...items: PaidItem[]) => void sold.push(...items),
    expectTransferred,
  }
}
