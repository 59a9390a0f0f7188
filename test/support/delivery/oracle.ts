/** The oracle compares what the rows say with what the chain says. */
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import type { Chain } from '../chain/chain.ts'
import { type Row, rowsOf } from './engine.ts'
import {
  type KeyUse,
  keyOfEvent,
  keyOfItem,
  keyUses,
  type TransferEvent,
  transferEvents,
} from './events.ts'
import type { PaidItem } from './items.ts'

/** What was paid for. `id` is that of the order item and of its delivery. */
export type ExpectedItem = Pick<
  PaidItem,
  'id' | 'standard' | 'contract' | 'tokenId' | 'recipient' | 'quantity' | 'fulfilment'
>

export type Circumstances = {
  /** Every Delivery contract that was used. Default: that of the chain. */
  contracts?: readonly string[]
  /** Whether a node may have told no old logs, which say what transaction has used a key. */
  hasLostLogs?: boolean
  /** Whether a movement is that of a thief. */
  isTheft?: (event: TransferEvent) => boolean
}

/** What is wrong with an item; null if nothing is. */
function complaintAbout(
  row: Row | undefined,
  item: ExpectedItem,
  deliveries: readonly TransferEvent[],
  uses: readonly KeyUse[],
  hasLostLogs: boolean,
): string | null {
  const [delivery, ...others] = deliveries
  if (others.length > 0) return `was delivered ${deliveries.length} times`
  if (!row) return 'has no row'
  if (delivery && delivery.quantity !== item.quantity) return `got ${delivery.quantity} pieces`
  const { state, reasonCode, reason, txId } = row
  const outcome = uses.map((use) => use.outcome).join()
  if (state === 'transferred') {
    if (!delivery) return 'is transferred, but was not delivered'
    if (outcome !== 'delivered') return `is transferred, but its key is ${outcome || 'unused'}`
    const isRight = txId === delivery.transactionHash || (txId === null && hasLostLogs)
    return isRight ? null : `has ${txId} as its transaction`
  }
  if (delivery) return `was delivered, but is ${state} (${reason})`
  if (state === 'cancelled')
    return outcome === 'cancelled' ? null : `is cancelled, but its key is ${outcome || 'unused'}`
  // A reorganization below the final block may have freed its key.
  if (state === 'written_off') return null
  const isUsed = reasonCode && USED.includes(reasonCode)
  if (isUsed ? !outcome : outcome) return `is ${state} (${reason}), and its key is ${outcome}`
  if (state === 'awaiting_wallet') return null
  if (state === 'failed') return reasonCode ? null : `is ${state} without a reason`
  return `is stuck: ${state} (${reason})`
}

/** Reasons of items whose key was used, but not to deliver them. */
const USED: readonly string[] = ['key_used_for_other_delivery', 'token_moved_nothing']

/**
 * Expects one transfer or mint on the chain for each item that is transferred, with its quantity to
 * its wallet; none for the others, which failed, were cancelled or written off, or wait for a wallet;
 * no key that was used twice; and nothing else. The items are all that were ever sold on this chain.
 */
export async function expectExactlyOnce(
  chain: Chain,
  items: readonly ExpectedItem[],
  { contracts = [chain.delivery], hasLostLogs = false, isTheft = () => false }: Circumstances = {},
): Promise<void> {
  const [moved, rows, uses] = await Promise.all([
    transferEvents(chain),
    rowsOf(items),
    keyUses(chain, contracts),
  ])
  const events = moved.filter((event) => !isTheft(event))
  const deliveries = Map.groupBy(events, keyOfEvent)
  const byKey = Map.groupBy(uses, ({ key }) => key)
  const usedTwice = [...byKey.values()].filter(({ length }) => length > 1)
  expect(usedTwice, 'keys that were used twice').toEqual([])
  const complaints = items.flatMap((item) => {
    const row = rows.get(item.id)
    const ofKey = (row && byKey.get(row.key)) ?? []
    const moves = deliveries.get(keyOfItem(item)) ?? []
    const complaint = complaintAbout(row, item, moves, ofKey, hasLostLogs)
    return complaint ? [`item ${item.id} (${item.fulfilment} ${item.standard}) ${complaint}`] : []
  })
  expect(complaints).toEqual([])
  const expected = new Set(items.map(keyOfItem))
  expect(events.filter((event) => !expected.has(keyOfEvent(event)))).toEqual([])
}

type Stock = {
  id: number
  items: string
  contract: string
  tokenId: string
  fulfilment: string
  amount: number
  available: number
  isUnlimited: number
  /** Pieces of orders that have not returned to the stock, and those that were delivered. */
  sold: number
  delivered: number
}

/**
 * Expects that the stock of each NFT is what its orders have left, and that as many pieces were
 * minted as were delivered, never more than the NFT has. The items are all that were ever sold of
 * these NFTs, and what was written off has returned its pieces.
 */
export async function expectStock(
  chain: Chain,
  items: readonly ExpectedItem[],
  { isTheft = () => false }: Circumstances = {},
): Promise<void> {
  const minted = (await transferEvents(chain)).filter(
    (event) => event.fulfilment === 'mint' && !isTheft(event),
  )
  const piecesOf = ({ contract, tokenId }: Stock) =>
    minted
      .filter((event) => event.tokenId === tokenId)
      .filter((event) => event.contract.toLowerCase() === contract.toLowerCase())
      .reduce((sum, { quantity }) => sum + quantity, 0)
  const { results } = await env.DB.prepare(
    `SELECT n.id, n.contractAddr AS contract, n.tokenId, n.fulfilment, n.amount,
       n.availableAmount AS available, n.amountType IS 'unlimited' AS isUnlimited,
       group_concat(i.id) AS items, sum(iif(d.state IN ('cancelled', 'written_off'), 0, i.quantity)) AS sold,
       sum(iif(d.state = 'transferred', i.quantity, 0)) AS delivered
     FROM nfts n JOIN orderItems i ON i.nftId = n.id JOIN deliveries d ON d.id = i.id
     WHERE n.id IN (SELECT nftId FROM orderItems WHERE id IN (SELECT value FROM json_each(?)))
     GROUP BY n.id`,
  )
    .bind(JSON.stringify(items.map(({ id }) => id)))
    .all<Stock>()
  const complaints = results.flatMap((nft) => {
    const { fulfilment, amount, available, isUnlimited, sold, delivered } = nft
    const name = `NFT ${nft.id} (items ${nft.items})`
    const left = isUnlimited ? amount : amount - sold
    const pieces = fulfilment === 'mint' ? piecesOf(nft) : delivered
    return [
      ...(available === left ? [] : [`${name} has ${available} left instead of ${left}`]),
      ...(pieces === delivered ? [] : [`${name}: ${pieces} minted, ${delivered} delivered`]),
      ...(isUnlimited || pieces <= amount ? [] : [`${name}: ${pieces} minted of ${amount}`]),
    ]
  })
  expect(complaints).toEqual([])
}

/** Returns the items of a chain that are still to be delivered, and its open transactions. */
export async function unfinished({ chainId }: Chain): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT 'item ' || id || ' ' || state || ' (' || coalesce(reasonCode, '') || ')' AS text
     FROM deliveries WHERE chainId = ?1 AND state IN ('queued', 'in_flight')
     UNION ALL SELECT 'transaction ' || hash FROM transactions WHERE chainId = ?1 AND isOpen AND items <> '[]'`,
  )
    .bind(chainId)
    .all<{ text: string }>()
  return results.map(({ text }) => text)
}
