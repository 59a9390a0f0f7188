/** What nodes say about delivery keys, the events that used them, and transactions. */
import type { Address, Hex } from 'viem'
import { type Node, otherNodes } from '../../chain/nodes.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Network } from '../../env.ts'
import { decodeRecords, encodeRecords, isUse, usedTopics } from '../../ethereum/contract.ts'
import {
  type Block,
  block,
  blockAt,
  eventLogs,
  hex,
  logs,
  type Receipt,
  type Replies,
  type RpcRequest,
  read,
  receipt,
  transaction,
  transactionByHash,
  transactionReceipt,
  view,
} from '../../ethereum/requests.ts'
import { log } from '../../log.ts'
import type { Confirmation, ObservedRecord } from '../model.ts'
import {
  isFinal,
  type LocatedUse,
  type Mined,
  mergeReceipts,
  type Recorded,
} from '../rules/settle.ts'

/** Keys of one `records` call. */
const KEYS_PER_CALL = 500
/** Milliseconds after which the answers of one node suffice, if no second one answers. */
const CONFIRMATION_TIMEOUT = 10 * 60_000

type RecordRequest = { contract: Address; keys: Hex[]; request: RpcRequest }

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

/**
 * What the first node has said. `doubted`: signers whose nonces only this node tells. `compared`: keys
 * that may not count as unused by the word of one node.
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
  { unconfirmedSince, now }: { unconfirmedSince: string | null; now: Date },
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
  const asked = [...records].filter(([key, record]) => isFinal(record, final) || compared.has(key))
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
      const isDisputed = isFinal(mine, final)
        ? !isSame
        : record !== undefined && isFinal(record, final)
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

/**
 * Returns the items whose keys events show as used. A further node is asked about those that the ones
 * before it do not show. `lineage`: the contracts that may have logged the events.
 */
export async function locateUses(
  nodes: readonly Node[],
  recorded: readonly Recorded[],
  lineage: readonly Address[],
): Promise<LocatedUse[]> {
  const uses: LocatedUse[] = []
  for (const { rpc } of nodes) {
    const rest = recorded.filter(({ item }) => !uses.some((use) => use.item.id === item.id))
    if (rest.length > 0) uses.push(...(await findUses(rpc, rest, lineage)))
  }
  return uses
}

async function findUses(rpc: Rpc, recorded: readonly Recorded[], lineage: readonly Address[]) {
  const groups = [...Map.groupBy(recorded, ({ record }) => record.block)]
  const requests = groups.map(([block, inBlock]) =>
    eventLogs(
      block,
      [...new Set([...lineage, ...inBlock.map(({ record }) => record.contract)])],
      usedTopics(inBlock.map(({ item }) => item.key)),
    ),
  )
  const replies = await rpc(requests)
  const events = requests.flatMap((request) => read(logs, replies(request)) ?? [])
  return recorded.flatMap((entry) => {
    const { item, record } = entry
    const use = events.find((event) =>
      [...lineage, record.contract].some((one) => isUse(event, one, item.key, record)),
    )
    return use ? [{ ...entry, use }] : []
  })
}

/** Returns what a node says of transactions. Absent: it does not tell, or answers about another one. */
export async function readMined(rpc: Rpc, hashes: readonly Hex[]): Promise<Map<Hex, Mined>> {
  const replies = await rpc(
    hashes.flatMap((hash) => [transactionReceipt(hash), transactionByHash(hash)]),
  )
  return new Map(
    hashes.flatMap((hash) => {
      const mined = read(receipt, replies(transactionReceipt(hash)))
      const found = read(transaction, replies(transactionByHash(hash)))
      return mined?.transactionHash === hash && found?.hash === hash
        ? [[hash, { ...mined, nonce: found.nonce }]]
        : []
    }),
  )
}
