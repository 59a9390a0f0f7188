/** What nodes say about delivery keys and receipts. */
import type { Address, Hex } from 'viem'
import type { Network } from '../../env.ts'
import { decodeRecords, encodeRecords, type KeyRecord, type Log } from '../../ethereum/contract.ts'
import { type Node, otherNodes } from '../../ethereum/node.ts'
import {
  type Block,
  block,
  blockAt,
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

/** Milliseconds after which the answers of one node suffice, if no second one answers. */
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

/** What a second node says of what the first one said about final blocks. */
export type Confirmation = {
  /** Whether the first node suffices: there is no other, or none has answered for ten minutes. */
  isAlone: boolean
  /** By hash. Null: no node has it. Absent: not asked, not received, or the nodes disagree. */
  receipts: ReadonlyMap<Hex, Receipt | null>
  /** Receipts that only one node has. */
  unconfirmed: ReadonlySet<Hex>
  /** Events that only one node has. They prove no transfer. */
  doubtfulLogs: ReadonlySet<Log>
  /** Keys of whose final record a second node says something else, or none does. */
  disputed: ReadonlySet<Hex>
  /** The earlier one of what both say is the time of the final block, in seconds. */
  finalTime: number
  /** Since when no second node confirms anything; null if one does, or none was needed. */
  unconfirmedSince: string | null
}

/**
 * `doubted`: signers whose nonces only the first node tells. `compared`: keys that may not count as
 * unused by the word of one node.
 */
type Claims = {
  doubted: ReadonlySet<Address>
  compared: ReadonlySet<Hex>
  final: Block
  records: ReadonlyMap<Hex, ObservedRecord>
  receipts: ReadonlyMap<Hex, Receipt | null>
}

/**
 * Asks a second node, where one is configured, for records that are final and for receipts. What it
 * does not confirm is not decided yet. If no second node answers for ten minutes, the first one
 * suffices.
 */
export async function confirm(
  network: Network,
  node: Node,
  { doubted, compared, final, records, receipts }: Claims,
  unconfirmedSince: string | null,
  now: Date,
): Promise<Confirmation> {
  const alone: Confirmation = {
    isAlone: true,
    receipts,
    unconfirmed: new Set(),
    doubtfulLogs: new Set(),
    disputed: new Set(),
    finalTime: final.timestamp,
    unconfirmedSince,
  }
  const isFinal = ({ block }: KeyRecord) => block > 0 && block <= final.number
  const asked = [...records].filter(([key, record]) => isFinal(record) || compared.has(key))
  const hashes = [...receipts.keys()]
  const claims = asked.length + hashes.length + doubted.size
  if (network.rpcUrls.length === 1 || claims === 0) return alone
  const requests = recordRequests(asked.map(([key, { contract }]) => ({ contract, key })))
  const sameBlock = blockAt(final.number)
  for (const other of otherNodes(network, node)) {
    const replies = await other.rpc([
      ...requests.map(({ request }) => request),
      ...hashes.map(transactionReceipt),
      sameBlock,
    ])
    const theirs = readRecords(requests, replies, 0)
    // A node that has stood still knows what was recorded before, but not what was not.
    const recent = readRecords(requests, replies, final.number)
    for (const [key, { block }] of theirs) if (block === 0 && !recent.has(key)) theirs.delete(key)
    const theirReceipts = readReceipts(hashes, replies)
    const theirFinal = read(block, replies(sameBlock))
    const isSilent =
      asked.length > 0
        ? theirs.size === 0
        : theirReceipts.size === 0 && (hashes.length > 0 || theirFinal === null)
    if (isSilent) continue
    const disputed = asked.flatMap(([key, mine]) => {
      const record = theirs.get(key)
      const isSame = record?.block === mine.block && record.contentHash === mine.contentHash
      const isDisputed = isFinal(mine) ? !isSame : record !== undefined && isFinal(record)
      return isDisputed ? key : []
    })
    const merged = mergeReceipts(receipts, theirReceipts)
    const denied = [...receipts].filter(
      ([hash, mine]) =>
        theirReceipts.has(hash) &&
        (merged.unconfirmed.has(hash) || !merged.receipts.has(hash)) &&
        (mine?.blockNumber ?? 0) <= final.number,
    )
    const counts = { keys: disputed.length, receipts: denied.length, nonces: doubted.size }
    if (Object.values(counts).some((count) => count > 0))
      log.error('nodes_disagree', { chainId: network.chainId, ...counts })
    return {
      isAlone: false,
      ...merged,
      disputed: new Set(disputed),
      finalTime: Math.min(final.timestamp, theirFinal?.timestamp ?? final.timestamp),
      unconfirmedSince: null,
    }
  }
  const since = unconfirmedSince ?? now.toISOString()
  if (now.getTime() - Date.parse(since) >= CONFIRMATION_TIMEOUT)
    return { ...alone, unconfirmedSince: since }
  return {
    isAlone: false,
    ...mergeReceipts(receipts, new Map()),
    disputed: new Set(asked.map(([key]) => key)),
    finalTime: final.timestamp,
    unconfirmedSince: since,
  }
}

/** The events of a receipt. `doubtful`: those that only one of two nodes has. The others come first. */
type Logs = { logs: Receipt['logs']; doubtful: ReadonlySet<Log> }

/** Compares the events that two nodes have of a transaction: one may lack some, or change them. */
export function mergeLogs(first: Receipt['logs'], second: Receipt['logs']): Logs {
  const textOf = (log: Receipt['logs'][number]) => JSON.stringify(log).toLowerCase()
  const left = Map.groupBy(second, textOf)
  const isShared = (log: Receipt['logs'][number]) => left.get(textOf(log))?.pop() !== undefined
  const { shared = [], own = [] } = Object.groupBy(first, (log) =>
    isShared(log) ? 'shared' : 'own',
  )
  const doubtful = [...own, ...[...left.values()].flat()]
  return { logs: [...shared, ...doubtful], doubtful: new Set(doubtful) }
}

/** Compares the receipts of two nodes. */
function mergeReceipts(
  mine: ReadonlyMap<Hex, Receipt | null>,
  theirs: ReadonlyMap<Hex, Receipt | null>,
) {
  const receipts = new Map<Hex, Receipt | null>()
  const unconfirmed = new Set<Hex>()
  const doubtfulLogs = new Set<Log>()
  for (const [hash, first] of mine) {
    const second = theirs.get(hash)
    if (first && second) {
      const isSame =
        first.blockHash === second.blockHash &&
        first.blockNumber === second.blockNumber &&
        first.status === second.status
      if (!isSame) continue
      const { logs, doubtful } = mergeLogs(first.logs, second.logs)
      receipts.set(hash, { ...first, logs })
      for (const log of doubtful) doubtfulLogs.add(log)
    } else if (first || second) {
      const only = first ?? second ?? null
      receipts.set(hash, only)
      unconfirmed.add(hash)
      for (const log of only?.logs ?? []) doubtfulLogs.add(log)
    } else if (second === null) receipts.set(hash, null)
  }
  return { receipts, unconfirmed, doubtfulLogs }
}
