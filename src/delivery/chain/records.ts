/** What nodes say about delivery keys, the events that used them, and transactions. */
import type { Address, Hex } from 'viem'
import { findTwo, isContradicted } from '../../chain/claims.ts'
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
  Disagreement,
  Evidence,
  Item,
  Loaded,
  ObservedContract,
  ObservedRecord,
  SignerState,
} from '../model.ts'
import { findContract } from '../rules/compose.ts'
import { signedHashes } from '../rules/decide.ts'
import {
  isFinal,
  type LocatedUse,
  type Mined,
  mergeReceipts,
  type Recorded,
} from '../rules/settle.ts'

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

/** What the step knows of the chain already. `isOnly`: whether no other node answers at all. */
type Known = {
  final: Block
  signers: ReadonlyMap<Address, SignerState>
  contracts: ReadonlyMap<Address, ObservedContract>
  doubted: readonly Address[]
  isOnly: boolean
}

/** Items whose keys are asked about, besides those that transactions carry. */
export const askedItems = ({ due, compared, unconfirmed }: Loaded): Item[] => [
  ...due,
  ...compared,
  ...unconfirmed,
]

/** Asks all nodes for the receipts of transactions that may be over, and for the records of keys. */
export async function askEvidence(
  views: readonly { node: Node }[],
  { final, signers, contracts, doubted, isOnly }: Known,
  { network, loaded, now }: { network: Network; loaded: Loaded; now: Date },
): Promise<Evidence> {
  // What has expired already is only looked for once its nonce is used.
  const decidable = loaded.transactions.filter(({ signer, nonce, block, deadline, items }) => {
    const { count = 0, otherCounts = [] } = signers.get(signer) ?? {}
    const isUsed = nonce < Math.max(count, ...otherCounts)
    return (
      (isUsed && (block === null || block <= final.number)) ||
      (deadline < final.timestamp && items.length > 0)
    )
  })
  const carriedKeys = decidable.flatMap(({ contract, items }) =>
    items.flatMap((id) => {
      const key = loaded.carried.get(id)?.key
      return key ? { contract, key } : []
    }),
  )
  const itemKeys = askedItems(loaded).flatMap((item) =>
    // A retired contract may have used the key as well as the one that replaces it.
    distinct([item.contract ?? network.delivery, findContract(item, network, contracts)]).map(
      (contract) => ({ contract, key: item.key }),
    ),
  )
  const keyRequests = recordRequests([...carriedKeys, ...itemKeys])
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
  const { unconfirmedSince } = loaded.network
  const mustAgree = new Set([
    ...carriedKeys.map(({ key }) => key),
    ...[...loaded.compared, ...loaded.unconfirmed].map(({ key }) => key),
    ...loaded.due.filter(({ wasCarried }) => wasCarried).map(({ key }) => key),
  ])
  const keys = distinct([...carriedKeys, ...itemKeys].map(({ key }) => key))
  // A key is unused until a final block has it.
  const recordClass = (record: ObservedRecord) =>
    isFinal(record, final) ? `${record.block} ${record.contentHash}` : 'unused'
  const records = new Map<Hex, ObservedRecord>()
  const disputed = new Set<Hex>()
  const differing: Hex[] = []
  let isAsked = doubted.length > 0 || hashes.length > 0
  for (const key of keys) {
    const answers = told.flatMap((one) => one.records.get(key) ?? [])
    const two = findTwo(answers, recordClass)
    // What was never carried goes on if one node calls it unused: a used key costs one transaction.
    const unused = mustAgree.has(key) ? undefined : answers.find(isUnused)
    const record = two?.[0] ?? unused ?? answers[0]
    if (!record) continue
    records.set(key, record)
    const needsTwo = mustAgree.has(key) || isFinal(record, final)
    isAsked ||= needsTwo
    if (isContradicted(answers, recordClass)) differing.push(key)
    if (needsTwo && !two) disputed.add(key)
  }
  const merged = mergeReceipts(
    hashes,
    told.map(({ receipts }) => receipts),
  )
  const alone = {
    isAlone: true,
    records: told[0]?.records ?? records,
    receipts: told[0]?.receipts ?? merged.receipts,
    unconfirmed: new Set<Hex>(),
    doubtfulLogs: new Set<Log>(),
    disputed: new Set<Hex>(),
    finalTime: final.timestamp,
    disagreements: [],
  }
  if (network.rpcUrls.length === 1) return { ...alone, unconfirmedSince }
  const isSilent = told
    .slice(1)
    .every(
      (one) => one.records.size === 0 && one.receipts.size === 0 && keys.length + hashes.length > 0,
    )
  const since = isSilent && isAsked ? (unconfirmedSince ?? now.toISOString()) : null
  const isPast = since !== null && now.getTime() - Date.parse(since) >= CONFIRMATION_TIMEOUT
  if (isOnly && isPast) return { ...alone, unconfirmedSince: since }
  return {
    isAlone: false,
    records,
    ...merged,
    disputed,
    finalTime: Math.min(...told.map(({ finalTime }) => finalTime)),
    // Without a question, nothing is known of the others.
    unconfirmedSince: isAsked ? since : unconfirmedSince,
    disagreements: describeDisagreements({ differing, hashes, doubted }, told, signers),
  }
}

const isUnused = ({ block }: ObservedRecord): boolean => block === 0

type Told = {
  records: ReadonlyMap<Hex, ObservedRecord>
  receipts: ReadonlyMap<Hex, Receipt | null>
}

/** What nodes contradict each other about, with the answer of each. */
function describeDisagreements(
  { differing, hashes, doubted }: { differing: Hex[]; hashes: Hex[]; doubted: readonly Address[] },
  told: readonly Told[],
  signers: ReadonlyMap<Address, SignerState>,
): Disagreement[] {
  const [key] = differing
  const receiptsOf = (hash: Hex) => told.map(({ receipts }) => receiptText(receipts.get(hash)))
  const hash = hashes.find((one) => isContradicted(receiptsOf(one).filter(isTold), String))
  const [signer] = doubted
  const { count, otherCounts = [] } = (signer && signers.get(signer)) || {}
  const found = [
    {
      about: 'delivery key',
      of: key,
      answers: told.map(({ records }) => recordText(key ? records.get(key) : undefined)),
    },
    { about: 'receipt', of: hash, answers: hash ? receiptsOf(hash) : [] },
    { about: 'nonce of', of: signer, answers: [count, ...otherCounts] },
  ]
  return found.flatMap(({ about, of, answers }) =>
    of ? { about, answers: `${of}: ${answers.join(' / ')}` } : [],
  )
}

const SILENT = 'no answer'
const isTold = (text: string): boolean => text !== SILENT

const recordText = (record: ObservedRecord | undefined): string =>
  !record ? SILENT : isUnused(record) ? 'unused' : `used in block ${record.block}`

const receiptText = (receipt: Receipt | null | undefined): string =>
  receipt === undefined
    ? SILENT
    : receipt
      ? `block ${receipt.blockNumber}, status ${receipt.status}`
      : 'none'

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
  for (const node of nodes) {
    const rest = recorded.filter(({ item }) => !uses.some((use) => use.item.id === item.id))
    if (rest.length > 0) uses.push(...(await findUses(node, rest, lineage)))
  }
  return uses
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
