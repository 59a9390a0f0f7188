/** Sees what must not happen while a node lies, by what the honest node says at that moment. */
import { env } from 'cloudflare:workers'
import type { Hex } from 'viem'
import { decodeRecords, encodeRecords } from '../../../../src/ethereum/contract.ts'
import type { Sold, World } from './world.ts'

const MINUTE = 60_000
/** How long a good item may be in no block, besides the time that the transactions before it take. */
const MAX_UNSENT = 15 * MINUTE
/** How long a listing may stay off sale that was off sale when the lie began. */
const MAX_UNSOLD = 76 * MINUTE
/** Transactions that may carry a key. */
const MAX_TRANSACTIONS = 3

/** Content hash of a key that was used up. */
const CANCELLED = `0x${'0'.repeat(48)}`

type Told = {
  id: number
  type: 'order.delivered' | 'order.failed' | 'order.cancelled'
  itemId: number
  code: string | null
}

/** What is wrong is told once. */
export function aWitness(world: World) {
  const { chain, items, ask, one, carried } = world
  let seenTo = 0
  let begunAt = Number.POSITIVE_INFINITY
  /** Since when deliveries are possible. */
  let isPossibleSince = 0

  async function finalBlock(): Promise<number> {
    if (one.finality !== 'finalized') return Number(await ask('eth_blockNumber')) - one.finality + 1
    return Number(Object(await ask('eth_getBlockByNumber', 'finalized', false)).number)
  }

  /** Returns the record of a key in the newest block. */
  async function recordOf(key: Hex) {
    const call = { to: chain.delivery, data: encodeRecords([key]) }
    const data = (await ask('eth_call', call, 'latest')) as Hex
    return decodeRecords(data)?.records[0] ?? { block: 0, contentHash: CANCELLED }
  }

  async function contradict({ type, itemId, code }: Told): Promise<string[]> {
    const item = items.find(({ id }) => id === itemId)
    if (!item) return []
    const record = await recordOf(item.key)
    const isFinal = record.block > 0 && record.block <= (await finalBlock())
    const isTransfer = record.contentHash !== CANCELLED
    const isRight =
      type === 'order.delivered'
        ? isFinal && isTransfer && item.fate === 'delivered'
        : type === 'order.cancelled'
          ? isFinal && !isTransfer
          : mayFail(item, isFinal && isTransfer)
    const used = record.block > 0 ? `used in block ${record.block}` : 'unused'
    return isRight ? [] : [`${type} (${code}) was told of item ${itemId}, whose key is ${used}`]
  }

  /** Whether an item may fail. What nobody can deliver fails in its third transaction. */
  const mayFail = ({ fate, key }: Sold, isUsed: boolean): boolean =>
    fate === 'moved nothing'
      ? isUsed
      : fate === 'waits' && carried.blocksOf(key).length >= MAX_TRANSACTIONS

  /** Returns what shops were told since the last time, and is wrong. */
  async function wrongEvents(): Promise<string[]> {
    const { results } = await env.DB.prepare(
      `SELECT id, type, itemId, data ->> 'reasonCode' AS code FROM events
       WHERE id > ? AND type IN ('order.delivered', 'order.failed', 'order.cancelled') ORDER BY id`,
    )
      .bind(seenTo)
      .all<Told>()
    seenTo = results.at(-1)?.id ?? seenTo
    // What one node says while no other answers is believed after a while.
    if (world.isSilent()) return []
    const found: string[] = []
    for (const event of results) found.push(...(await contradict(event)))
    return found
  }

  async function repeated({ id, key }: Sold): Promise<string[]> {
    const blocks = carried.blocksOf(key)
    const nonces = await carried.noncesOf(key)
    const name = `item ${id} was sent again and again`
    const most = world.retried.has(id) ? 2 * MAX_TRANSACTIONS : MAX_TRANSACTIONS
    if (blocks.length > most) return [`${name}: the relayer has paid ${blocks.length} times`]
    return nonces.length > most ? [`${name}: ${nonces.length} nonces were signed`] : []
  }

  function unsent(item: Sold): string[] {
    const since = Math.max(item.soldAt, isPossibleSince)
    // A turn takes the block that it is in, and at most another one until the next turn is signed.
    const turns = items.length / (one.itemsPerTransaction * one.transactionsInFlight)
    const isLate = Date.now() - since >= MAX_UNSENT + 2 * turns * one.blockTime * 1000
    if (!isLate || item.fate !== 'delivered' || isProvedByAll(item)) return []
    if (carried.blocksOf(item.key).length > 0) return []
    return [`item ${item.id} (${item.fulfilment} ${item.standard}) is in no block for 15 minutes`]
  }

  async function unsold(): Promise<string[]> {
    if (one.isUnsold && Date.now() - begunAt < MAX_UNSOLD) return []
    const { results } = await env.DB.prepare(
      `SELECT id, obstacle FROM listings WHERE obstacle IS NOT NULL
         AND id IN (SELECT value FROM json_each(?))`,
    )
      .bind(JSON.stringify(items.filter(isGood).map(({ id }) => id)))
      .all<{ id: number; obstacle: string }>()
    return results.map(({ id, obstacle }) => `listing ${id} is not sold: ${obstacle}`)
  }

  return {
    /** Has each listing tried again at the next cron run. */
    async begin() {
      begunAt = Date.now()
      const ids = items.filter(isGood).map(({ id }) => id)
      await env.DB.prepare(
        `UPDATE listings SET checkAt = '', obstacle = iif(id = ?1, 'holder_has_no_token', obstacle)
         WHERE id IN (SELECT value FROM json_each(?2))`,
      )
        .bind(one.isUnsold ? (ids[0] ?? 0) : 0, JSON.stringify(ids))
        .run()
    },
    /** Deliveries are impossible until now. */
    postpone() {
      isPossibleSince = Date.now()
    },
    wrongEvents,
    /** Returns what else is wrong. */
    async look(): Promise<string[]> {
      const again = await Promise.all(items.map(repeated))
      return [...again.flat(), ...items.flatMap(unsent), ...(await unsold())]
    },
  }
}

/** Whether the listing of an item can still be delivered: there are more pieces of its token. */
const isGood = ({ fate, standard }: Sold) => fate === 'delivered' && standard === 'erc1155'

/**
 * Whether an item waits while one node denies what all have to say: that its recipient is a wallet of
 * this chain, or that its mint makes one piece.
 */
const isProvedByAll = ({ recipientChainId, standard, fulfilment }: Sold) =>
  recipientChainId !== 0 || (standard === 'erc721' && fulfilment === 'mint')
