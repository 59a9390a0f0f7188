/** What nodes say about delivery keys and receipts. */
import type { Address, Hex } from 'viem'
import type { Network } from '../../env.ts'
import { decodeRecords, encodeRecords, type KeyRecord } from '../../ethereum/contract.ts'
import { type Node, otherNodes } from '../../ethereum/node.ts'
import {
  hex,
  type Receipt,
  read,
  receipt,
  transactionReceipt,
  view,
} from '../../ethereum/requests.ts'
import type { Replies, RpcRequest } from '../../ethereum/rpc.ts'
import { log } from '../../log.ts'

/** Keys of one `records` call. */
const KEYS_PER_CALL = 500

/** Milliseconds after which the records of one node suffice, if no second one answers. */
const CONFIRMATION_TIMEOUT = 10 * 60_000

/** `contract`: the one that was asked. */
export type ObservedRecord = KeyRecord & { contract: Address }

type RecordRequest = { contract: Address; keys: Hex[]; request: RpcRequest }

/** Returns the requests that read the records of keys. */
export function recordRequests(
  wanted: readonly { contract: Address; key: Hex | undefined }[],
): RecordRequest[] {
  const byContract = Map.groupBy(wanted, ({ contract }) => contract)
  return [...byContract].flatMap(([contract, items]) => {
    const keys = items.flatMap(({ key }) => key ?? [])
    return Array.from({ length: Math.ceil(keys.length / KEYS_PER_CALL) }, (_, i) => {
      const part = keys.slice(i * KEYS_PER_CALL, (i + 1) * KEYS_PER_CALL)
      return { contract, keys: part, request: view(contract, encodeRecords(part)) }
    })
  })
}

/** Returns the records by key, of answers at or past the final block. */
export function readRecords(
  requests: readonly RecordRequest[],
  replies: Replies,
  final: number,
): Map<Hex, ObservedRecord> {
  const records = new Map<Hex, ObservedRecord>()
  const inconclusive = new Set<Hex>()
  for (const { contract, keys, request } of requests) {
    const data = read(hex, replies(request))
    const answer = data && decodeRecords(data)
    keys.forEach((key, i) => {
      const record = answer && answer.block >= final ? answer.records[i] : undefined
      if (!record) inconclusive.add(key)
      else if (record.block > 0 || !records.has(key)) records.set(key, { ...record, contract })
    })
  }
  // A key is unused if all contracts that were asked about it say so.
  for (const key of inconclusive) if (records.get(key)?.block === 0) records.delete(key)
  return records
}

/** Null: the node has no receipt. Absent: not asked or not received. */
export function readReceipts(hashes: readonly Hex[], replies: Replies): Map<Hex, Receipt | null> {
  const receipts = new Map<Hex, Receipt | null>()
  for (const hash of hashes) {
    const reply = replies(transactionReceipt(hash))
    const found = read(receipt, reply)
    if (found?.transactionHash === hash) receipts.set(hash, found)
    else if ('result' in reply && reply.result === null) receipts.set(hash, null)
  }
  return receipts
}

/** `disputed`: keys whose final record a second node does not confirm. */
export type Confirmation = {
  disputed: ReadonlySet<Hex>
  /** Since when no second node confirms records; null if one does, or none was needed. */
  unconfirmedSince: string | null
}

/**
 * Asks a second node, where one is configured, for records that are final. What it does not confirm
 * is not decided yet. If no second node answers for ten minutes, the first one suffices.
 */
export async function confirmRecords(
  network: Network,
  node: Node,
  records: ReadonlyMap<Hex, ObservedRecord>,
  final: number,
  unconfirmedSince: string | null,
  now: Date,
): Promise<Confirmation> {
  const used = [...records].filter(([, { block }]) => block > 0 && block <= final)
  if (network.rpcUrls.length === 1 || used.length === 0)
    return { disputed: new Set(), unconfirmedSince }
  const requests = recordRequests(used.map(([key, { contract }]) => ({ contract, key })))
  for (const other of otherNodes(network, node)) {
    const replies = await other.rpc(requests.map(({ request }) => request))
    const theirs = readRecords(requests, replies, 0)
    // A node that has stood still knows what was recorded before, but not what was not.
    const recent = readRecords(requests, replies, final)
    for (const [key, { block }] of theirs) if (block === 0 && !recent.has(key)) theirs.delete(key)
    if (theirs.size === 0) continue
    const disputed = used.flatMap(([key, record]) => {
      const { block, contentHash } = theirs.get(key) ?? {}
      return block === record.block && contentHash === record.contentHash ? [] : key
    })
    if (disputed.length > 0)
      log.error('nodes_disagree', { chainId: network.chainId, keys: disputed.length })
    return { disputed: new Set(disputed), unconfirmedSince: null }
  }
  const since = unconfirmedSince ?? now.toISOString()
  const isLong = now.getTime() - Date.parse(since) >= CONFIRMATION_TIMEOUT
  return { disputed: new Set(isLong ? [] : used.map(([key]) => key)), unconfirmedSince: since }
}
