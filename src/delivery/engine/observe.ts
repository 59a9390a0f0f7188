/** What one node says about the chain and about the items and transactions of a run. */
import type { Address, Hex } from 'viem'
import type { Network } from '../../env.ts'
import {
  decodeRecords,
  decodeRelayer,
  encodeGetter,
  encodeRecords,
  encodeRelayers,
  type KeyRecord,
} from '../../ethereum/contract.ts'
import type { Market } from '../../ethereum/fees.ts'
import { isBehind, leaveOut, type Node, readHead, usableNodes } from '../../ethereum/node.ts'
import {
  accountBalance,
  type Block,
  block,
  blockAt,
  hex,
  integer,
  type Receipt,
  read,
  receipt,
  tip,
  transactionCount,
  transactionReceipt,
  view,
  wei,
} from '../../ethereum/requests.ts'
import type { Replies, RpcRequest } from '../../ethereum/rpc.ts'
import type { Item, Loaded, OpenTransaction } from './state.ts'

/** Keys of one `records` call. */
const KEYS_PER_CALL = 500

/** Wei per unit of gas, for a node that does not tell what is usual. */
export const USUAL_TIP = 1_000_000_000n

type SignerState = {
  /** Its transactions in blocks: its next nonce. */
  count: number
  /** Wei. */
  balance: bigint
}

type ContractState = {
  isPaused: boolean
  isRetired: boolean
  /** Items that a signer may still submit today; absent if it is not a relayer. */
  allowances: Map<Address, number>
}

/** `contract`: the one that was asked. */
type ObservedRecord = KeyRecord & { contract: Address }

export type Observation = {
  node: Node
  head: Block
  final: Pick<Block, 'number' | 'timestamp'>
  /** The hash of the settled block; null if the node does not have it. */
  settledHash: Hex | null
  market: Market
  signers: Map<Address, SignerState>
  /** Contracts that answered. */
  contracts: Map<Address, ContractState>
  /** By hash. Null: the node has none. Absent: not asked or not received. */
  receipts: Map<Hex, Receipt | null>
  /** By key, from an answer at or past the final block. */
  records: Map<Hex, ObservedRecord>
}

/** Asks the first node that can be used. If no node can be used, returns the reason. */
export async function observe(
  network: Network,
  loaded: Loaded,
  signers: readonly Address[],
): Promise<Observation | string> {
  let trouble = ''
  for (const node of usableNodes(network)) {
    const observation = await observeAt(node, network, loaded, signers)
    if (typeof observation !== 'string') return observation
    trouble = observation
    if (network.rpcUrls.length > 1) leaveOut(network, node, trouble)
  }
  return trouble
}

async function observeAt(
  node: Node,
  network: Network,
  loaded: Loaded,
  configured: readonly Address[],
): Promise<Observation | string> {
  const { network: row, transactions, due, compared } = loaded
  const head = await readHead(network, node)
  if (typeof head === 'string') return head
  if (await isBehind(network, node, head)) return 'the node lags behind another one'
  if (head.baseFeePerGas === undefined) return 'the chain has no base fee (EIP-1559)'

  const signers = distinct([...configured, ...transactions.map(({ signer }) => signer)])
  const items = [...due, ...compared]
  const contracts = distinct([network.delivery, ...items.flatMap(({ contract }) => contract ?? [])])
  const finalHeight =
    network.finality === 'finalized'
      ? network.finality
      : Math.max(0, head.number - network.finality + 1)
  const settled = row.settledBlock === null ? [] : [blockAt(row.settledBlock)]
  const first = await node.rpc([
    blockAt(finalHeight),
    tip,
    ...settled,
    ...signers.flatMap((signer) => [transactionCount(signer), accountBalance(signer)]),
    ...contracts.flatMap((contract) => contractRequests(contract, configured)),
  ])
  const final = read(block, first(blockAt(finalHeight)))
  if (!final || final.number > head.number) return 'the node does not tell the final block'
  const states = new Map<Address, SignerState>()
  for (const signer of signers) {
    const count = read(integer, first(transactionCount(signer)))
    const balance = read(wei, first(accountBalance(signer)))
    if (count === null || balance === null) return 'the node does not tell the nonce of a signer'
    states.set(signer, { count, balance })
  }

  const decidable = transactions.filter(
    ({ signer, nonce, block, deadline }) =>
      (nonce < (states.get(signer)?.count ?? 0) && (block === null || block <= final.number)) ||
      deadline < final.timestamp,
  )
  const carriedKeys = decidable.flatMap(({ contract, items }) =>
    items.flatMap((id) => ({ contract, key: loaded.carried.get(id)?.key })),
  )
  const contractStates = new Map(
    contracts.flatMap((contract) => {
      const state = readContract(contract, configured, head, first)
      return state ? [[contract, state]] : []
    }),
  )
  const itemKeys = items.flatMap((item) =>
    // A retired contract may have used the key as well as the one that replaces it.
    distinct([item.contract ?? network.delivery, contractOf(item, network, contractStates)]).map(
      (contract) => ({ contract, key: item.key }),
    ),
  )
  const recordRequests = requestsForRecords([...carriedKeys, ...itemKeys])
  const hashes = decidable.flatMap(hashesOf)
  const second = await node.rpc([
    ...hashes.map(transactionReceipt),
    ...recordRequests.map(({ request }) => request),
  ])
  return {
    node,
    head,
    final,
    settledHash: settled[0] ? (read(block, first(settled[0]))?.hash ?? null) : null,
    market: { baseFee: head.baseFeePerGas, tip: read(wei, first(tip)) ?? USUAL_TIP },
    signers: states,
    contracts: contractStates,
    receipts: readReceipts(hashes, second),
    records: readRecords(recordRequests, second, final.number),
  }
}

/** The hashes under which a transaction may be mined, newest first. */
export const hashesOf = ({ hash, replaced }: Pick<OpenTransaction, 'hash' | 'replaced'>): Hex[] => [
  hash,
  ...replaced.toReversed(),
]

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]

/** Returns the requests that read the contract and what its signers may do. */
export const contractRequests = (contract: Address, signers: readonly Address[]): RpcRequest[] => [
  view(contract, encodeGetter('paused')),
  view(contract, encodeGetter('retired')),
  ...signers.map((signer) => view(contract, encodeRelayers(signer))),
]

/** Returns null if the contract does not answer. */
export function readContract(
  contract: Address,
  signers: readonly Address[],
  head: Block,
  replies: Replies,
): ContractState | null {
  const isPaused = read(integer, replies(view(contract, encodeGetter('paused'))))
  const isRetired = read(integer, replies(view(contract, encodeGetter('retired'))))
  if (isPaused === null || isRetired === null) return null
  const today = Math.floor(head.timestamp / 86_400)
  const allowances = new Map<Address, number>()
  for (const signer of signers) {
    const data = read(hex, replies(view(contract, encodeRelayers(signer))))
    const relayer = data && decodeRelayer(data)
    if (!relayer || relayer.perDay === 0) continue
    allowances.set(signer, relayer.perDay - (relayer.day === today ? relayer.used : 0))
  }
  return { isPaused: isPaused === 1, isRetired: isRetired === 1, allowances }
}

function readReceipts(hashes: readonly Hex[], replies: Replies): Map<Hex, Receipt | null> {
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
 * The contract that delivers an item. It stays with the contract of its first transaction, which
 * may still be mined there. Only a retired contract can deliver nothing more.
 */
export const contractOf = (
  { contract }: Item,
  { delivery }: Network,
  contracts: Observation['contracts'],
): Address => (contract && !contracts.get(contract)?.isRetired ? contract : delivery)

type RecordRequest = { contract: Address; keys: Hex[]; request: RpcRequest }

function requestsForRecords(
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
