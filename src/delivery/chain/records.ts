/** What nodes say about delivery keys, and about transactions that may be over. */
import type { Address, Hex } from 'viem'
import { askEach, type Node } from '../../chain/nodes.ts'
import type { Network } from '../../env.ts'
import { decodeRecords, encodeRecords, type Log } from '../../ethereum/contract.ts'
import {
  type Block,
  block,
  blockAt,
  hex,
  type Receipt,
  type Replies,
  type RpcRequest,
  read,
  receipt,
  transactionReceipt,
  view,
} from '../../ethereum/requests.ts'
import type {
  Delivery,
  Evidence,
  Loaded,
  ObservedContract,
  ObservedRecord,
  SignerState,
} from '../model.ts'
import { findContract } from '../rules/compose.ts'
import { findHighestCount, isPending, signedHashes } from '../rules/decide.ts'
import { mergeReceipts, mergeRecords } from '../rules/settle.ts'
import { describeEvidence } from './differences.ts'

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]

/** Keys of one `records` call. */
const KEYS_PER_CALL = 500
/** Milliseconds after which the answers of one node suffice, if no second one answers. */
const CONFIRMATION_TIMEOUT = 10 * 60_000

type RecordRequest = { contract: Address; keys: Hex[]; request: RpcRequest }

function recordRequests(
  wanted: readonly { contract: Address; key: Hex | undefined }[],
): RecordRequest[] {
  const byContract = Map.groupBy(wanted, ({ contract }) => contract)
  return [...byContract].flatMap(([contract, ofContract]) => {
    const keys = ofContract.flatMap(({ key }) => key ?? [])
    return Array.from({ length: Math.ceil(keys.length / KEYS_PER_CALL) }, (_, i) => {
      const part = keys.slice(i * KEYS_PER_CALL, (i + 1) * KEYS_PER_CALL)
      return { contract, keys: part, request: view(contract, encodeRecords(part)) }
    })
  })
}

/** Returns the records by key, of answers at or past the final block. */
function readRecords(
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

/** Deliveries whose keys are asked about, besides those that transactions carry. */
export const askedDeliveries = ({ due, compared, unconfirmed }: Loaded): Delivery[] => [
  ...due,
  ...compared,
  ...unconfirmed,
]

/**
 * What the step knows of the chain already. `disputed`: signers of whose nonces nodes tell too many.
 * `isOnly`: whether no other node answers at all.
 */
type Known = {
  head: Block
  final: Block
  signers: ReadonlyMap<Address, SignerState>
  contracts: ReadonlyMap<Address, ObservedContract>
  disputed: readonly Address[]
  isOnly: boolean
}

/**
 * Asks all nodes for the receipts of transactions that may be over, and for the records of keys. If no
 * other node gives any answer for ten minutes, the leading one suffices.
 */
export async function askEvidence(
  views: readonly { node: Node }[],
  known: Known,
  { network, loaded, now }: { network: Network; loaded: Loaded; now: Date },
): Promise<Evidence> {
  const { final, signers, isOnly } = known
  const decidable = findDecidable(loaded, known)
  const carriedKeys = decidable.flatMap(({ contract, items }) =>
    items.flatMap((id) => {
      const key = loaded.carried.get(id)?.key
      return key ? { contract, key } : []
    }),
  )
  const keyRequests = recordRequests([...carriedKeys, ...keysOf(loaded, network, known)])
  const keys = distinct(keyRequests.flatMap((request) => request.keys))
  const hashes = decidable.flatMap(signedHashes)
  const sameBlock = blockAt(final.number)
  const replies = await askEach(
    views.map(({ node }) => node),
    [...hashes.map(transactionReceipt), ...keyRequests.map(({ request }) => request), sameBlock],
  )
  const told = replies.map((answers) => ({
    records: readRecords(keyRequests, answers, final.number),
    receipts: readReceipts(hashes, answers),
    finalTime: read(block, answers(sameBlock))?.timestamp ?? final.timestamp,
  }))
  const mustAgree = new Set([
    ...carriedKeys.map(({ key }) => key),
    ...[...loaded.compared, ...loaded.unconfirmed].map(({ key }) => key),
    ...loaded.due.filter(({ wasCarried }) => wasCarried).map(({ key }) => key),
  ])
  const { records, disputed, differing } = mergeRecords(
    keys,
    told.map((one) => one.records),
    { final, mustAgree },
  )
  const [lead] = told
  const { unconfirmedSince: since } = loaded.network
  const alone = {
    isAlone: true,
    records: lead?.records ?? records,
    receipts: lead?.receipts ?? new Map<Hex, Receipt | null>(),
    unconfirmed: new Set<Hex>(),
    doubtfulLogs: new Set<Log>(),
    disputed: new Set<Hex>(),
    finalTime: final.timestamp,
    disagreements: [],
  }
  if (network.rpcUrls.length === 1) return { ...alone, unconfirmedSince: since }
  const isAsked = disputed.size + hashes.length + known.disputed.length > 0
  const unconfirmedSince = !isOnly ? null : isAsked ? (since ?? now.toISOString()) : since
  const isLong =
    unconfirmedSince !== null &&
    now.getTime() - Date.parse(unconfirmedSince) >= CONFIRMATION_TIMEOUT
  if (isLong) return { ...alone, unconfirmedSince }
  return {
    isAlone: false,
    records,
    ...mergeReceipts(
      hashes,
      told.map(({ receipts }) => receipts),
    ),
    disputed,
    finalTime: Math.min(...told.map(({ finalTime }) => finalTime)),
    unconfirmedSince,
    disagreements: describeEvidence({ differing, hashes, disputed: known.disputed }, told, signers),
  }
}

/** Returns the transactions that may be over. What has expired is only looked for once its nonce is used. */
const findDecidable = ({ transactions }: Loaded, known: Known) =>
  transactions.filter((transaction) => {
    const { signer, nonce, deadline, items } = transaction
    const isUsed = nonce < findHighestCount(known.signers.get(signer))
    return (
      (isUsed && !isPending(transaction, known)) ||
      (deadline < known.final.timestamp && items.length > 0)
    )
  })

/** A retired contract may have used the key of a delivery as well as the one that replaces it. */
const keysOf = (loaded: Loaded, network: Network, { contracts }: Known) =>
  askedDeliveries(loaded).flatMap((delivery) =>
    distinct([
      delivery.contract ?? network.delivery,
      findContract(delivery, network, contracts),
    ]).map((contract) => ({ contract, key: delivery.key })),
  )
