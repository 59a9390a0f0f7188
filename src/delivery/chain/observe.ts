/** What one node says about the chain and about the items and transactions of a run. */
import type { Address, Hex } from 'viem'
import { parseGwei } from 'viem/utils'
import type { Network } from '../../env.ts'
import { type ContractState, contractRequests, readContract } from '../../ethereum/contract.ts'
import { lower, type Market } from '../../ethereum/fees.ts'
import {
  findClockProblem,
  leaveOut,
  type Node,
  otherNodes,
  readHead,
  usableNodes,
} from '../../ethereum/node.ts'
import {
  accountBalance,
  type Block,
  block,
  blockAt,
  integer,
  read,
  tip,
  transactionCount,
  transactionReceipt,
  wei,
} from '../../ethereum/requests.ts'
import type { DeliveryTransaction, Item, Loaded } from '../model.ts'
import { readLineage } from './lineage.ts'
import {
  type Confirmation,
  confirm,
  type ObservedRecord,
  readReceipts,
  readRecords,
  recordRequests,
} from './records.ts'

type SignerState = {
  /** Its transactions in blocks: its next nonce. */
  count: number
  /** The same as the other nodes tell it that answer. */
  otherCounts: number[]
  /** Wei. */
  balance: bigint
}

/** What a step works with before it asks a node. `renew` keeps the lease while nodes are slow. */
export type Work = { network: Network; loaded: Loaded; now: Date; renew: () => Promise<void> }

/** What a step works with. `cap`: the most wei that it may pay per unit of gas. */
export type World = Work & { observation: Observation; cap: bigint }

export type Observation = Confirmation & {
  node: Node
  head: Block
  final: Pick<Block, 'number' | 'timestamp'>
  /** The hash of the settled block; null if the node does not have it. */
  settledHash: Hex | null
  /** Null: no node tells the tip. Then nothing is signed. */
  market: Market | null
  signers: Map<Address, SignerState>
  /** Signers whose nonces no other node confirms. Nothing is signed with them. */
  doubted: ReadonlySet<Address>
  /** Contracts that answered. */
  contracts: Map<Address, ContractState>
  /** By key, from an answer at or past the final block. */
  records: Map<Hex, ObservedRecord>
  /** The Delivery contract of the network and those before it, the newest first. */
  lineage: Address[]
}

/** Asks the first node that can be used. If no node can be used, returns the reason. */
export async function observe(
  work: Work,
  signers: readonly Address[],
): Promise<Observation | string> {
  const { network } = work
  let trouble = ''
  for (const node of usableNodes(network)) {
    const observation = await observeAt(node, work, signers)
    if (typeof observation === 'string') trouble = observation
    else if (await isContradicted(observation, network, signers))
      trouble = 'a second node says that the Delivery contract delivers'
    else if (network.rpcUrls.length > 1 && lacksRecords(observation, work))
      trouble = 'the node does not tell the records of keys'
    else return observation
    if (network.rpcUrls.length > 1) leaveOut(network, node, trouble)
  }
  return trouble
}

/** Whether the node lacks the record of a key, although the contract answers. */
const lacksRecords = ({ contracts, records }: Observation, { network, loaded }: Work): boolean =>
  [...loaded.due, ...loaded.compared].some(
    ({ contract, key }) => contracts.has(contract ?? network.delivery) && !records.has(key),
  )

/** Whether the contract does not deliver according to this node, but does according to another. */
async function isContradicted(
  { node, contracts }: Observation,
  network: Network,
  signers: readonly Address[],
): Promise<boolean> {
  const { delivery } = network
  if (contracts.get(delivery)?.isPaused === false) return false
  for (const { rpc } of otherNodes(network, node)) {
    const other = readContract(delivery, signers, await rpc(contractRequests(delivery, signers)))
    if (other?.isPaused === false) return true
  }
  return false
}

async function observeAt(
  node: Node,
  { network, loaded, now, renew }: Work,
  configured: readonly Address[],
): Promise<Observation | string> {
  const { network: row, transactions, due, compared } = loaded
  const head = await readHead(network, node)
  if (typeof head === 'string') return head
  const clockProblem = await findClockProblem(network, node, head)
  if (clockProblem) return clockProblem
  if (head.baseFeePerGas === undefined) return 'the chain has no base fee (EIP-1559)'

  const signers = distinct([...configured, ...transactions.map(({ signer }) => signer)])
  const items = [...due, ...compared]
  const contracts = distinct([network.delivery, ...items.flatMap(({ contract }) => contract ?? [])])
  const finalHeight =
    network.finality === 'finalized'
      ? network.finality
      : Math.max(0, head.number - network.finality + 1)
  const settled = row.settledBlock === null ? [] : [blockAt(row.settledBlock)]
  await renew()
  const others = otherNodes(network, node)
  const [first, ...fromOthers] = await Promise.all([
    node.rpc([
      blockAt(finalHeight),
      tip,
      ...settled,
      ...signers.flatMap((signer) => [transactionCount(signer), accountBalance(signer)]),
      ...contracts.flatMap((contract) => contractRequests(contract, configured)),
    ]),
    ...others.map(({ rpc }) => rpc([tip, ...signers.map((signer) => transactionCount(signer))])),
  ])
  const final = read(block, first(blockAt(finalHeight)))
  if (!final || final.number > head.number || final.timestamp > head.timestamp)
    return 'the node does not tell the final block'
  const states = new Map<Address, SignerState>()
  for (const signer of signers) {
    const count = read(integer, first(transactionCount(signer)))
    const balance = read(wei, first(accountBalance(signer)))
    if (count === null || balance === null) return 'the node does not tell the nonce of a signer'
    const otherCounts = fromOthers.flatMap(
      (replies) => read(integer, replies(transactionCount(signer))) ?? [],
    )
    states.set(signer, { count, balance, otherCounts })
  }

  // What has expired already is only looked for once its nonce is used.
  const decidable = transactions.filter(
    ({ signer, nonce, block, deadline, items }) =>
      (nonce < (states.get(signer)?.count ?? 0) && (block === null || block <= final.number)) ||
      (deadline < final.timestamp && items.length > 0),
  )
  const carriedKeys = decidable.flatMap(({ contract, items }) =>
    items.flatMap((id) => ({ contract, key: loaded.carried.get(id)?.key })),
  )
  const contractStates = new Map(
    contracts.flatMap((contract) => {
      const state = readContract(contract, configured, first)
      return state ? [[contract, state]] : []
    }),
  )
  const itemKeys = items.flatMap((item) =>
    // A retired contract may have used the key as well as the one that replaces it.
    distinct([item.contract ?? network.delivery, findContract(item, network, contractStates)]).map(
      (contract) => ({ contract, key: item.key }),
    ),
  )
  const keyRequests = recordRequests([...carriedKeys, ...itemKeys])
  const hashes = decidable.flatMap(signedHashes)
  await renew()
  const replies = await node.rpc([
    ...hashes.map(transactionReceipt),
    ...keyRequests.map(({ request }) => request),
  ])
  const records = readRecords(keyRequests, replies, final.number)
  await renew()
  const doubted = new Set(configured.filter((signer) => isDoubted(signer, states, loaded)))
  const claims = {
    doubted,
    compared: new Set(compared.map(({ key }) => key)),
    final,
    records,
    receipts: readReceipts(hashes, replies),
  }
  const [confirmation, lineage] = await Promise.all([
    confirm(network, node, claims, row.unconfirmedSince, now),
    readLineage(node, network, JSON.parse(row.contracts)),
  ])
  const tips = [first, ...fromOthers].flatMap((replies) => read(wei, replies(tip)) ?? [])
  const cap = parseGwei(String(network.maxPriorityFeePerGasGwei))
  return {
    node,
    head,
    final,
    settledHash: settled[0] ? (read(block, first(settled[0]))?.hash ?? null) : null,
    // A node may lie, so the lowest counts.
    market: tips.length > 0 ? { baseFee: head.baseFeePerGas, tip: tips.reduce(lower, cap) } : null,
    signers: states,
    doubted,
    contracts: contractStates,
    records,
    ...confirmation,
    lineage,
  }
}

/**
 * Whether only the node says that a signer has more transactions than the rows know. A wrong nonce
 * would never be mined.
 */
function isDoubted(
  signer: Address,
  states: ReadonlyMap<Address, SignerState>,
  { transactions, mined }: Loaded,
): boolean {
  const { count = 0, otherCounts = [] } = states.get(signer) ?? {}
  const carrying = transactions.filter((one) => one.signer === signer && one.items.length > 0)
  const known = carrying.reduce(
    (next, { nonce }) => Math.max(next, nonce + 1),
    mined.get(signer)?.nextNonce ?? 0,
  )
  return count > known && !otherCounts.includes(count)
}

/** The hashes of everything that was signed for a nonce, newest first. */
export const signedHashes = ({ hash, replaced }: DeliveryTransaction): Hex[] => [
  hash,
  ...replaced.toReversed(),
]

/** Returns the calls that are in no block as far as is known. */
export const findUnmined = ({
  loaded: { transactions, mined },
  observation: { signers },
}: World): DeliveryTransaction[] =>
  transactions.filter(
    ({ signer, nonce, items }) =>
      items.length > 0 &&
      nonce >= Math.max(signers.get(signer)?.count ?? 0, mined.get(signer)?.nextNonce ?? 0),
  )

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]

/**
 * Returns the contract that delivers an item. It stays with the contract of its first transaction,
 * which may still be mined there. Only a retired contract can deliver nothing more.
 */
export const findContract = (
  { contract }: Item,
  { delivery }: Network,
  contracts: Observation['contracts'],
): Address => (contract && !contracts.get(contract)?.isRetired ? contract : delivery)
