/** The oracle: what the token contracts on the chain say was moved. */
import { env } from 'cloudflare:workers'
import { decodeEventLog, type Hex, parseAbi } from 'viem'
import { expect } from 'vitest'
import type { Chain } from '../chain/chain.ts'
import type { PaidItem } from './items.ts'

const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])

export type TransferEvent = {
  contract: string
  to: string
  tokenId: string
  quantity: number
  transactionHash: string
}

type Log = { address: Hex; topics: [Hex, ...Hex[]]; data: Hex; transactionHash: Hex }

/** Every movement of a token but the minting, in the blocks that are canonical now. */
export async function transferEvents(chain: Chain): Promise<TransferEvent[]> {
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: Object.values(chain.contracts) }
  const logs = (await chain.rpc('eth_getLogs', filter)) as Log[]
  return logs.flatMap(movements)
}

function movements({ address, topics, data, transactionHash }: Log): TransferEvent[] {
  // Approvals and roles are events, too.
  const [event] = abi.flatMap((item) => {
    try {
      return [decodeEventLog({ abi: [item], topics, data })]
    } catch {
      return []
    }
  })
  if (!event || Number(event.args.from) === 0) return []
  const base = { contract: address, to: event.args.to, transactionHash }
  if (event.eventName === 'Transfer') {
    return [{ ...base, tokenId: `${event.args.tokenId}`, quantity: 1 }]
  }
  if (event.eventName === 'TransferSingle') {
    return [{ ...base, tokenId: `${event.args.id}`, quantity: Number(event.args.value) }]
  }
  const { ids, values } = event.args
  return ids.map((id, i) => ({ ...base, tokenId: `${id}`, quantity: Number(values[i]) }))
}

/** Buyers' wallets tell the items apart. */
const keyOf = (contract: string, to: string, tokenId: string) =>
  `${contract} ${to} ${tokenId}`.toLowerCase()
const keyOfItem = ({ contract, recipient, tokenId }: PaidItem) =>
  keyOf(contract, recipient ?? 'nobody', tokenId)
const keyOfEvent = ({ contract, to, tokenId }: TransferEvent) => keyOf(contract, to, tokenId)

type Row = {
  id: number
  status: string
  reason: string | null
  deadLetteredAt: string | null
  itemStatus: string | null
  txId: string | null
}

/** The rows of these items' transfers, by id. */
export async function rowsOf(items: readonly PaidItem[]): Promise<Map<number, Row>> {
  const { results } = await env.DB.prepare(
    `SELECT t.id, t.status, t.reason, t.deadLetteredAt, i.status AS itemStatus, i.txId
     FROM transfers t JOIN orderItems i ON i.id = t.id
     WHERE t.id IN (SELECT value FROM json_each(?))`,
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
    if (row.txId !== delivery.transactionHash) return `names ${row.txId} as its transaction`
    return row.itemStatus === 'transferred' ? null : `shows ${row.itemStatus}`
  }
  if (delivery) return `was delivered, but is ${row?.status} (${row?.reason})`
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
 * The items are all that were ever sold on this chain.
 */
export async function expectExactlyOnce(chain: Chain, items: readonly PaidItem[]) {
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
  expect(given).toEqual(Array.from({ length: used }, (_, nonce) => nonce))
}
