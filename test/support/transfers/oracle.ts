/** The oracle: what the rows say, held against what the chain says. */
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import type { Chain } from '../chain/chain.ts'
import { keyOfEvent, keyOfItem, type TransferEvent, transferEvents } from './events.ts'
import type { PaidItem } from './items.ts'

type Row = {
  id: number
  status: string
  reason: string | null
  deadLetteredAt: string | null
  txId: string | null
}

/** The rows of these items' transfers, by id. */
export async function rowsOf(items: readonly PaidItem[]): Promise<Map<number, Row>> {
  const { results } = await env.DB.prepare(
    `SELECT id, status, reason, deadLetteredAt, txId FROM transfers
     WHERE id IN (SELECT value FROM json_each(?))`,
  )
    .bind(JSON.stringify(items.map(({ id }) => id)))
    .all<Row>()
  return new Map(results.map((row) => [row.id, row]))
}

export const rowOf = async (item: PaidItem): Promise<Row> => {
  const row = (await rowsOf([item])).get(item.id)
  if (!row) throw new Error(`no transfer ${item.id}`)
  return row
}

/** What is wrong with one item, in words; null when nothing is. */
function complaint(row: Row | undefined, item: PaidItem, deliveries: readonly TransferEvent[]) {
  if (deliveries.length > 1) return `was delivered ${deliveries.length} times`
  const [delivery] = deliveries
  if (row?.status === 'transferred') {
    if (!delivery) return 'is transferred, but was not delivered'
    if (delivery.quantity !== item.quantity) return `got ${delivery.quantity} pieces`
    const isNamed = row.txId === delivery.transactionHash
    return isNamed ? null : `names ${row.txId} as its transaction`
  }
  if (delivery) return `was delivered, but is ${row?.status} (${row?.reason})`
  if (row?.status === 'awaiting_wallet' && !item.recipient) return null
  const isListed = row?.status === 'failed' || row?.status === 'review' || row?.deadLetteredAt
  if (isListed) return row?.reason ? null : `is ${row?.status} without a reason`
  return `is stuck: ${row?.status} (${row?.reason})`
}

/** Nonces that were given out, and how many the chain has used. */
async function nonces(chain: Chain) {
  const { results } = await env.DB.prepare(
    'SELECT DISTINCT nonce FROM transactions WHERE chainId = ? ORDER BY nonce',
  )
    .bind(chain.chainId)
    .all<{ nonce: number }>()
  const used = Number(await chain.rpc('eth_getTransactionCount', chain.signer, 'latest'))
  return { given: results.map(({ nonce }) => nonce), used }
}

/**
 * Exactly one movement on the chain for each item that is transferred, with the right amount, and
 * none for the others, which are listed with a reason; none for nothing; nonces without a gap.
 * The items are all that were ever sold on this chain; `foreign` are the nonces with which
 * somebody else has used the signer's key.
 */
export async function expectExactlyOnce(
  chain: Chain,
  items: readonly PaidItem[],
  foreign: readonly number[] = [],
) {
  const [events, rows] = await Promise.all([transferEvents(chain), rowsOf(items)])
  const deliveries = Map.groupBy(events, keyOfEvent)
  const complaints = items.flatMap((item) => {
    const found = complaint(rows.get(item.id), item, deliveries.get(keyOfItem(item)) ?? [])
    return found ? [`item ${item.id} (${item.standard}) ${found}`] : []
  })
  expect(complaints).toEqual([])
  const wanted = new Set(items.map(keyOfItem))
  const strays = events.filter((event) => !wanted.has(keyOfEvent(event)))
  expect(strays).toEqual([])
  const { given, used } = await nonces(chain)
  const known = new Set([...given, ...foreign])
  expect(Array.from({ length: used }, (_, nonce) => nonce).filter((n) => !known.has(n))).toEqual([])
  expect(given.filter((nonce) => nonce >= used)).toEqual([])
}
