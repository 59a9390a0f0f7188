/** What one node says about the chain and about the items and transactions of a step. */

import { type Address, zeroAddress } from 'viem'
import { parseGwei } from 'viem/utils'
import {
  findClockProblem,
  leaveOut,
  type Node,
  otherNodes,
  readHead,
  usableNodes,
} from '../../chain/nodes.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Database } from '../../db/client.ts'
import type { Network } from '../../env.ts'
import { addressIn, contractRequests, encodeGetter, readContract } from '../../ethereum/contract.ts'
import { lower } from '../../ethereum/fees.ts'
import {
  accountBalance,
  type Block,
  block,
  blockAt,
  hex,
  integer,
  read,
  tip,
  transactionCount,
  transactionReceipt,
  view,
  wei,
} from '../../ethereum/requests.ts'
import type { Signer } from '../../ethereum/signer.ts'
import type { Loaded, Observation } from '../model.ts'
import { findContract } from '../rules/compose.ts'
import { signedHashes } from '../rules/decide.ts'
import type { HeldLease } from '../store/store.ts'
import { confirm, readReceipts, readRecords, recordRequests } from './records.ts'

/** What a step works with. */
export type StepInput = {
  db: Database
  network: Network
  loaded: Loaded
  signers: readonly Signer[]
  /** Their addresses: the relayers of this instance. */
  relayers: readonly Address[]
  now: Date
  /** Renewed before each question. */
  lease: HeldLease
}

/** The same, with what a node has said. */
export type Observed = StepInput & { observation: Observation }

/** Asks the first node that can be used. If no node can be used, returns the reason. */
export async function observe(input: StepInput): Promise<Observation | string> {
  const { network, relayers } = input
  let trouble = ''
  for (const node of usableNodes(network)) {
    const observation = await observeAt(node, input)
    if (typeof observation === 'string') trouble = observation
    else if (await isContradicted(observation, network, relayers))
      trouble = 'a second node says that the Delivery contract delivers'
    else if (network.rpcUrls.length > 1 && lacksRecords(observation, input))
      trouble = 'the node does not tell the records of keys'
    else return observation
    if (network.rpcUrls.length > 1) leaveOut(network, node, trouble)
  }
  return trouble
}

/** Whether the node lacks the record of a key, although the contract answers. */
const lacksRecords = (
  { contracts, records }: Observation,
  { network, loaded }: StepInput,
): boolean =>
  [...loaded.due, ...loaded.compared].some(
    ({ contract, key }) => contracts.has(contract ?? network.delivery) && !records.has(key),
  )

/** Whether the contract does not deliver according to this node, but does according to another. */
async function isContradicted(
  { node, contracts }: Observation,
  network: Network,
  relayers: readonly Address[],
): Promise<boolean> {
  const { delivery } = network
  if (contracts.get(delivery)?.isPaused === false) return false
  for (const { rpc } of otherNodes(network, node)) {
    const other = readContract(delivery, relayers, await rpc(contractRequests(delivery, relayers)))
    if (other?.isPaused === false) return true
  }
  return false
}

async function observeAt(node: Node, input: StepInput): Promise<Observation | string> {
  const { network, loaded, relayers, now, lease } = input
  const head = await readHead(network, node)
  if (typeof head === 'string') return head
  const clockProblem = findClockProblem(network, head)
  if (clockProblem) return clockProblem
  await lease.renew()
  const state = await askState(node, head, input)
  if (typeof state === 'string') return state
  await lease.renew()
  const { records, receipts } = await askEvidence(node, state, input)
  await lease.renew()
  const doubted = new Set(relayers.filter((signer) => isDoubted(signer, state.signers, loaded)))
  const compared = new Set(loaded.compared.map(({ key }) => key))
  const { unconfirmedSince } = loaded.network
  const claims = { doubted, compared, final: state.final, records, receipts }
  const [confirmation, lineage] = await Promise.all([
    confirm(network, node, claims, { unconfirmedSince, now }),
    readLineage(node, network, loaded.network.contracts),
  ])
  return { node, head, ...state, doubted, records, ...confirmation, lineage }
}

/** What a node says of the chain, apart from receipts and records. */
type ChainState = Pick<Observation, 'settledHash' | 'market' | 'signers' | 'contracts'> & {
  final: Block
}

/** Asks for the final block, the fees, the signers and the contracts; or returns why they are not known. */
async function askState(node: Node, head: Block, { network, loaded, relayers }: StepInput) {
  if (head.baseFeePerGas === undefined) return 'the chain has no base fee (EIP-1559)'
  const { delivery, finality } = network
  const { settledBlock } = loaded.network
  const signers = distinct([...relayers, ...loaded.transactions.map(({ signer }) => signer)])
  const items = [...loaded.due, ...loaded.compared]
  const contracts = distinct([delivery, ...items.flatMap(({ contract }) => contract ?? [])])
  const finalBlock = blockAt(
    finality === 'finalized' ? finality : Math.max(0, head.number - finality + 1),
  )
  const settled = settledBlock === null ? [] : [blockAt(settledBlock)]
  const [first, ...fromOthers] = await Promise.all([
    node.rpc([
      finalBlock,
      tip,
      ...settled,
      ...signers.flatMap((signer) => [transactionCount(signer), accountBalance(signer)]),
      ...contracts.flatMap((contract) => contractRequests(contract, relayers)),
    ]),
    ...otherNodes(network, node).map(({ rpc }) =>
      rpc([tip, ...signers.map((signer) => transactionCount(signer))]),
    ),
  ])
  const final = read(block, first(finalBlock))
  if (!final || final.number > head.number || final.timestamp > head.timestamp)
    return 'the node does not tell the final block'
  const states: ChainState['signers'] = new Map()
  for (const signer of signers) {
    const count = read(integer, first(transactionCount(signer)))
    const balance = read(wei, first(accountBalance(signer)))
    if (count === null || balance === null) return 'the node does not tell the nonce of a signer'
    const otherCounts = fromOthers.flatMap(
      (replies) => read(integer, replies(transactionCount(signer))) ?? [],
    )
    states.set(signer, { count, balance, otherCounts })
  }
  const tips = [first, ...fromOthers].flatMap((replies) => read(wei, replies(tip)) ?? [])
  const tipCap = parseGwei(String(network.maxPriorityFeePerGasGwei))
  return {
    final,
    settledHash: settled[0] ? (read(block, first(settled[0]))?.hash ?? null) : null,
    // A node may lie, so the lowest counts.
    market:
      tips.length > 0 ? { baseFee: head.baseFeePerGas, tip: tips.reduce(lower, tipCap) } : null,
    signers: states,
    contracts: new Map(
      contracts.flatMap((contract) => {
        const state = readContract(contract, relayers, first)
        return state ? [[contract, state]] : []
      }),
    ),
  }
}

/** Asks for the receipts of transactions that may be over, and for the records of keys. */
async function askEvidence(
  node: Node,
  { final, signers, contracts }: ChainState,
  { network, loaded }: StepInput,
) {
  // What has expired already is only looked for once its nonce is used.
  const decidable = loaded.transactions.filter(
    ({ signer, nonce, block, deadline, items }) =>
      (nonce < (signers.get(signer)?.count ?? 0) && (block === null || block <= final.number)) ||
      (deadline < final.timestamp && items.length > 0),
  )
  const carriedKeys = decidable.flatMap(({ contract, items }) =>
    items.flatMap((id) => ({ contract, key: loaded.carried.get(id)?.key })),
  )
  const itemKeys = [...loaded.due, ...loaded.compared].flatMap((item) =>
    // A retired contract may have used the key as well as the one that replaces it.
    distinct([item.contract ?? network.delivery, findContract(item, network, contracts)]).map(
      (contract) => ({ contract, key: item.key }),
    ),
  )
  const keyRequests = recordRequests([...carriedKeys, ...itemKeys])
  const hashes = decidable.flatMap(signedHashes)
  const replies = await node.rpc([
    ...hashes.map(transactionReceipt),
    ...keyRequests.map(({ request }) => request),
  ])
  return {
    records: readRecords(keyRequests, replies, final.number),
    receipts: readReceipts(hashes, replies),
  }
}

/**
 * Whether only the node says that a signer has more transactions than the rows know. A wrong nonce
 * would never be mined.
 */
function isDoubted(
  signer: Address,
  states: ChainState['signers'],
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

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]

/** More contracts than the Delivery contract allows. */
const MAX_LINEAGE = 10

const lineages = new Map<string, Address[]>()

/**
 * Returns the contract of the network with those that it replaces, which never change. A contract that
 * only one node adds or leaves out is not believed: the shortest list counts that has all `known` ones.
 */
async function readLineage(node: Node, network: Network, known: readonly Address[]) {
  const { chainId, delivery, rpcUrls } = network
  const id = `${chainId} ${delivery}`
  const hasKnown = (lineage: readonly Address[]) => known.every((one) => lineage.includes(one))
  const agreed = lineages.get(id)
  if (agreed && hasKnown(agreed)) return agreed
  const nodes = [node, ...otherNodes(network, node)]
  const walks = await Promise.all(nodes.map(({ rpc }) => walkBack(rpc, delivery)))
  const complete = walks.flatMap(({ lineage, isComplete }) => (isComplete ? [lineage] : []))
  const [shortest] = complete.filter(hasKnown).toSorted((a, b) => a.length - b.length)
  if (!shortest) return complete[0] ?? [delivery]
  const isSame = complete.every((lineage) => lineage.join() === shortest.join())
  // What not all nodes have said must not be stored with what is found there.
  if (!isSame || complete.length < rpcUrls.length)
    return shortest.filter((contract) => contract === delivery || known.includes(contract))
  lineages.set(id, shortest)
  return shortest
}

/** `isComplete`: the node has told them all. */
async function walkBack(rpc: Rpc, delivery: Address) {
  const lineage = [delivery]
  while (lineage.length < MAX_LINEAGE) {
    const request = view(lineage.at(-1), encodeGetter('predecessor'))
    const data = read(hex, (await rpc([request]))(request))
    if (data?.length !== 66) return { lineage, isComplete: false }
    const predecessor = addressIn(data)
    if (predecessor === zeroAddress) break
    lineage.push(predecessor)
  }
  return { lineage, isComplete: true }
}
