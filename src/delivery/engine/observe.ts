/** What one node says about the chain and about the items and transactions of a run. */
import type { Address, Hex } from 'viem'
import { parseGwei } from 'viem/utils'
import type { Network } from '../../env.ts'
import { type ContractState, contractRequests, readContract } from '../../ethereum/contract.ts'
import { lower, type Market } from '../../ethereum/fees.ts'
import {
  isBehind,
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
  type Receipt,
  read,
  tip,
  transactionCount,
  transactionReceipt,
  wei,
} from '../../ethereum/requests.ts'
import { readLineage } from './lineage.ts'
import {
  type Confirmation,
  confirmRecords,
  type ObservedRecord,
  readReceipts,
  readRecords,
  recordRequests,
} from './records.ts'
import type { DeliveryTransaction, Item, Loaded } from './state.ts'

type SignerState = {
  /** Its transactions in blocks: its next nonce. */
  count: number
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
  /** Contracts that answered. */
  contracts: Map<Address, ContractState>
  /** By hash. Null: the node has none. Absent: not asked or not received. */
  receipts: Map<Hex, Receipt | null>
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
    if (typeof observation !== 'string') {
      if (!(await isContradicted(observation, network, signers))) return observation
      trouble = 'a second node says that the Delivery contract delivers'
    } else trouble = observation
    if (network.rpcUrls.length > 1) leaveOut(network, node, trouble)
  }
  return trouble
}

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
  await renew()
  const [second] = otherNodes(network, node)
  const [first, secondTip] = await Promise.all([
    node.rpc([
      blockAt(finalHeight),
      tip,
      ...settled,
      ...signers.flatMap((signer) => [transactionCount(signer), accountBalance(signer)]),
      ...contracts.flatMap((contract) => contractRequests(contract, configured)),
    ]),
    second?.rpc([tip]),
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
  const tips = [first(tip), secondTip?.(tip)].flatMap((reply) => (reply && read(wei, reply)) ?? [])
  const cap = parseGwei(String(network.maxPriorityFeePerGasGwei))
  return {
    node,
    head,
    final,
    settledHash: settled[0] ? (read(block, first(settled[0]))?.hash ?? null) : null,
    // A node may lie, so the lowest counts.
    market: tips.length > 0 ? { baseFee: head.baseFeePerGas, tip: tips.reduce(lower, cap) } : null,
    signers: states,
    contracts: contractStates,
    receipts: readReceipts(hashes, replies),
    records,
    ...(await confirmRecords(network, node, records, final.number, row.unconfirmedSince, now)),
    lineage: await readLineage(node, network, JSON.parse(row.contracts)),
  }
}

/** The hashes of everything that was signed for a nonce, newest first. */
export const signedHashes = ({ hash, replaced }: DeliveryTransaction): Hex[] => [
  hash,
  ...replaced.toReversed(),
]

/** Returns the calls that are in no block as far as is known. */
export const findUnmined = ({
  loaded: { transactions, nextNonces },
  observation: { signers },
}: World): DeliveryTransaction[] =>
  transactions.filter(
    ({ signer, nonce, items }) =>
      items.length > 0 &&
      nonce >= Math.max(signers.get(signer)?.count ?? 0, nextNonces.get(signer) ?? 0),
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
