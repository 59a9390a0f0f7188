/** What nodes say about delivery keys, the events that used them, and transactions. */
import { type Address, type Hex, keccak256, stringToHex } from 'viem'
import { isContradicted } from '../../chain/claims.ts'
import { askEach, askOne, type Node } from '../../chain/nodes.ts'
import type { Network } from '../../env.ts'
import {
  decodeRecords,
  encodeRecords,
  isUse,
  type Log,
  usedTopics,
} from '../../ethereum/contract.ts'
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
import type {
  Evidence,
  Item,
  Loaded,
  ObservedContract,
  ObservedRecord,
  SignerState,
} from '../model.ts'
import { findContract } from '../rules/compose.ts'
import { findHighestCount, isPending, signedHashes } from '../rules/decide.ts'
import {
  type LocatedUse,
  type Mined,
  mergeReceipts,
  mergeRecords,
  type Recorded,
} from '../rules/settle.ts'
import type { Disagreement } from '../store/disagreements.ts'

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
  return [...byContract].flatMap(([contract, items]) => {
    const keys = items.flatMap(({ key }) => key ?? [])
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

/** Items whose keys are asked about, besides those that transactions carry. */
export const askedItems = ({ due, compared, unconfirmed }: Loaded): Item[] => [
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
    disagreements: describeDisagreements(
      { differing, hashes, disputed: known.disputed },
      told,
      signers,
    ),
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

/** A retired contract may have used the key of an item as well as the one that replaces it. */
const keysOf = (loaded: Loaded, network: Network, { contracts }: Known) =>
  askedItems(loaded).flatMap((item) =>
    distinct([item.contract ?? network.delivery, findContract(item, network, contracts)]).map(
      (contract) => ({ contract, key: item.key }),
    ),
  )

type Told = {
  records: ReadonlyMap<Hex, ObservedRecord>
  receipts: ReadonlyMap<Hex, Receipt | null>
}

/** What nodes contradict each other about, with the answer of each. */
function describeDisagreements(
  {
    differing: [key],
    hashes,
    disputed,
  }: { differing: readonly Hex[]; hashes: readonly Hex[]; disputed: readonly Address[] },
  told: readonly Told[],
  signers: ReadonlyMap<Address, SignerState>,
): Disagreement[] {
  const signer = disputed.find((one) => (signers.get(one)?.told.length ?? 0) > 1)
  return [
    ...describe('the record of a delivery key', key, (key) =>
      told.map(({ records }) => recordText(records.get(key))),
    ),
    ...describeReceipts(
      hashes,
      told.map(({ receipts }) => receipts),
    ),
    ...describe('the nonce of a signer', signer, (signer) =>
      (signers.get(signer)?.told ?? []).map(({ count }) => String(count)),
    ),
  ]
}

/** Returns the first of these transactions of which nodes have different receipts, with those of each. */
export function describeReceipts(
  hashes: readonly Hex[],
  told: readonly ReadonlyMap<Hex, Receipt | null>[],
): Disagreement[] {
  const textsOf = (hash: Hex) => told.map((receipts) => receiptText(receipts.get(hash)))
  const hash = hashes.find((one) => isContradicted(textsOf(one).filter(isTold), String))
  return describe('the receipt of a transaction', hash, textsOf)
}

/** `of`: what the nodes were asked about; undefined if they do not contradict each other. */
const describe = <T extends Hex>(
  about: string,
  of: T | undefined,
  answersOf: (of: T) => readonly string[],
): Disagreement[] => (of ? [{ about, answers: `${of}: ${answersOf(of).join(' / ')}` }] : [])

const SILENT = 'no answer'
const isTold = (text: string): boolean => text !== SILENT

function recordText(record: ObservedRecord | undefined): string {
  if (!record) return SILENT
  return record.block === 0 ? 'unused' : `used in block ${record.block}`
}

function receiptText(receipt: Receipt | null | undefined): string {
  if (receipt === undefined) return SILENT
  if (!receipt) return 'none'
  const { blockNumber, status, logs } = receipt
  const digest = keccak256(stringToHex(JSON.stringify(logs).toLowerCase())).slice(0, 10)
  return `block ${blockNumber}, status ${status}, ${logs.length} events (${digest})`
}

/**
 * Returns the items whose keys events show as used, as each node tells it. `lineage`: the contracts that may have
 * logged the events.
 */
export const locateUses = (
  nodes: readonly Node[],
  recorded: readonly Recorded[],
  lineage: readonly Address[],
): Promise<LocatedUse[][]> => Promise.all(nodes.map((node) => findUses(node, recorded, lineage)))

/** Returns the first of these items of which nodes name different transactions, with those of each. */
export function describeUses(
  recorded: readonly Recorded[],
  told: readonly (readonly LocatedUse[])[],
): Disagreement[] {
  const namesOf = (key: Hex) =>
    told.map((uses) => uses.find(({ item }) => item.key === key)?.use.transactionHash ?? SILENT)
  const differing = recorded.find(({ item }) =>
    isContradicted(namesOf(item.key).filter(isTold), String),
  )
  return describe('the transaction of a delivery key', differing?.item.key, namesOf)
}

async function findUses(node: Node, recorded: readonly Recorded[], lineage: readonly Address[]) {
  const groups = [...Map.groupBy(recorded, ({ record }) => record.block)]
  const requests = groups.map(([block, inBlock]) =>
    eventLogs(
      block,
      [...new Set([...lineage, ...inBlock.map(({ record }) => record.contract)])],
      usedTopics(inBlock.map(({ item }) => item.key)),
    ),
  )
  const replies = await askOne(node, requests)
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
export async function readMined(node: Node, hashes: readonly Hex[]): Promise<Map<Hex, Mined>> {
  const replies = await askOne(
    node,
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
