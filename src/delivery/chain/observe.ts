/** What the nodes say about the chain and about the items and transactions of a step. */

import { type Address, zeroAddress } from 'viem'
import { parseGwei } from 'viem/utils'
import { believe, findHighest } from '../../chain/claims.ts'
import {
  askOne,
  findClockProblem,
  leaveOut,
  type Node,
  readHead,
  silence,
  stepNodes,
} from '../../chain/nodes.ts'
import type { Database } from '../../db/client.ts'
import type { Network } from '../../env.ts'
import {
  addressIn,
  type ContractState,
  contractRequests,
  encodeGetter,
  type Limit,
  readContract,
} from '../../ethereum/contract.ts'
import { larger, lower, type Market, readFeeCap, withinCap } from '../../ethereum/fees.ts'
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
  view,
  wei,
} from '../../ethereum/requests.ts'
import type { Signer } from '../../ethereum/signer.ts'
import type { Loaded, Observation, ObservedContract, ObservedLimit, SignerState } from '../model.ts'
import { findHighestCount } from '../rules/decide.ts'
import type { HeldLease } from '../store/lease.ts'
import { askEvidence, askedItems } from './records.ts'

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

/** The same, with what the nodes have said. */
export type Observed = StepInput & { observation: Observation }

/** What one node says of the chain, apart from receipts and records. */
type NodeView = {
  node: Node
  head: Block
  baseFee: bigint
  final: Block
  settledHash: Observation['settledHash']
  tip: bigint | null
  counts: ReadonlyMap<Address, number>
  balances: ReadonlyMap<Address, bigint>
  contracts: ReadonlyMap<Address, ContractState>
}

/** Asks all nodes. If none can be used, returns the reason. */
export async function observe(input: StepInput): Promise<Observation | string> {
  const { network, loaded, relayers, lease } = input
  const asked = await Promise.all(
    stepNodes(network).map(async (node) => ({ node, head: await readUsableHead(network, node) })),
  )
  await lease.renew()
  const answers = await Promise.all(
    asked.map(async ({ node, head }) =>
      typeof head === 'string' ? head : askState(node, head, input),
    ),
  )
  const told = answers.filter((answer) => typeof answer !== 'string')
  const final = findHighest('final', told, (view) => view.final.number)?.final
  const [lead, ...others] = orderLeads(told, final, input)
  if (!final || !lead) return answers.find((answer) => typeof answer === 'string') ?? 'no node'
  const views = [lead, ...others]
  const signers = mergeSigners(views, input)
  const disputed = relayers.filter((signer) => isDisputed(signer, signers, input))
  const contracts = mergeContracts(views, input)
  const isOnly = asked.filter(({ head }) => typeof head !== 'string').length === 1
  await lease.renew()
  const [evidence, lineage] = await Promise.all([
    askEvidence(views, { head: lead.head, final, signers, contracts, disputed, isOnly }, input),
    readLineage(
      network,
      views.map(({ node }) => node),
      loaded.network.contracts,
      lease,
    ),
  ])
  await lease.renew()
  return {
    node: lead.node,
    nodes: views.map(({ node }) => node),
    head: lead.head,
    final,
    settledHash: lead.settledHash,
    market: findMarket(views, network),
    signers,
    doubted: new Set(disputed.filter((signer) => signers.get(signer)?.told.length === 1)),
    contracts,
    lineage,
    ...evidence,
  }
}

/** Reads the newest block of a node. One that has no usable one does not lead for a while. */
async function readUsableHead(network: Network, node: Node): Promise<Block | string> {
  const head = await readHead(network, node)
  if (typeof head === 'string') {
    if (network.rpcUrls.length > 1) silence(network, node, head)
    return head
  }
  const problem = findClockProblem(network, head)
  if (problem) leaveOut(network, node, problem)
  return head
}

/** Asks for the final block, the fees, the signers and the contracts; or returns why they are not known. */
async function askState(
  node: Node,
  head: Block,
  { network, loaded, relayers }: StepInput,
): Promise<NodeView | string> {
  const { baseFeePerGas: baseFee } = head
  if (baseFee === undefined) return 'the chain has no base fee (EIP-1559)'
  const { finality } = network
  const { settledBlock } = loaded.network
  const signers = signersOf(loaded, relayers)
  const contracts = contractsOf(network, loaded)
  const finalBlock = blockAt(
    finality === 'finalized' ? finality : Math.max(0, head.number - finality + 1),
  )
  const settled = settledBlock === null ? [] : [blockAt(settledBlock)]
  const replies = await askOne(node, [
    finalBlock,
    tip,
    ...settled,
    ...signers.flatMap((signer) => [transactionCount(signer), accountBalance(signer)]),
    ...contracts.flatMap((contract) => contractRequests(contract, relayers)),
  ])
  const final = read(block, replies(finalBlock))
  if (!final || final.number > head.number || final.timestamp > head.timestamp)
    return unusable(network, node, 'the node does not tell the final block')
  const counts = new Map<Address, number>()
  const balances = new Map<Address, bigint>()
  for (const signer of signers) {
    const count = read(integer, replies(transactionCount(signer)))
    const balance = read(wei, replies(accountBalance(signer)))
    if (count === null || balance === null)
      return unusable(network, node, 'the node does not tell the nonce of a signer')
    counts.set(signer, count)
    balances.set(signer, balance)
  }
  return {
    node,
    head,
    baseFee,
    final,
    settledHash: settled[0] ? (read(block, replies(settled[0]))?.hash ?? null) : null,
    tip: read(wei, replies(tip)),
    counts,
    balances,
    contracts: new Map(
      contracts.flatMap((contract) => {
        const state = readContract(contract, relayers, replies)
        return state ? [[contract, state]] : []
      }),
    ),
  }
}

function unusable(network: Network, node: Node, reason: string): string {
  if (network.rpcUrls.length > 1) leaveOut(network, node, reason)
  return reason
}

const signersOf = ({ transactions }: Loaded, relayers: readonly Address[]) =>
  distinct([...relayers, ...transactions.map(({ signer }) => signer)])

const contractsOf = ({ delivery }: Network, loaded: Loaded) =>
  distinct([delivery, ...askedItems(loaded).flatMap(({ contract }) => contract ?? [])])

/** Seconds by which the newest block of a node may be older than that of another one, to lead a step. */
const LATE_BLOCK = 60

/**
 * Returns nodes in the order in which they lead a step: first those that have the final and the settled
 * block, and new blocks. Otherwise the order stays.
 */
function orderLeads(
  views: readonly NodeView[],
  final: Block | undefined,
  { network, loaded }: StepInput,
) {
  const { settledBlock, settledHash } = loaded.network
  const times = views.flatMap(({ head }) => (findClockProblem(network, head) ? [] : head.timestamp))
  const newest = Math.max(...times)
  const rank = ({ head, settledHash: told }: NodeView) =>
    Number(head.number < (final?.number ?? 0)) +
    Number(settledBlock !== null && told !== settledHash) +
    Number(newest - head.timestamp > LATE_BLOCK)
  return views.toSorted((a, b) => rank(a) - rank(b))
}

function mergeSigners(
  views: readonly NodeView[],
  { loaded, relayers }: StepInput,
): Map<Address, SignerState> {
  return new Map(
    signersOf(loaded, relayers).map((signer) => {
      const told = views.map(({ counts, balances }) => ({
        count: counts.get(signer) ?? 0,
        balance: balances.get(signer) ?? 0n,
      }))
      return [signer, { count: findHighest('nonce', told, ({ count }) => count)?.count ?? 0, told }]
    }),
  )
}

/** What lets deliveries go on counts: the contract may deliver if one node says so. */
function mergeContracts(
  views: readonly NodeView[],
  { network, loaded, relayers }: StepInput,
): Map<Address, ObservedContract> {
  return new Map(
    contractsOf(network, loaded).flatMap((contract) => {
      const states = views.flatMap(({ contracts }) => contracts.get(contract) ?? [])
      if (states.length === 0) return []
      const isDelivering = states.map(({ isPaused }) => !isPaused)
      const isRetired = states.map((state) => state.isRetired)
      const limits = new Map(
        relayers.flatMap((relayer) => {
          const most = mergeLimits(states.flatMap((state) => state.limits.get(relayer) ?? []))
          return most ? [[relayer, most]] : []
        }),
      )
      const state = {
        isPaused: !believe('can_go_on', network, isDelivering),
        isRetired: believe('is_proven', network, isRetired) === true,
        limits,
        isConfirmed: states.length > 1 || network.rpcUrls.length === 1,
      }
      return [[contract, state]]
    }),
  )
}

/**
 * Returns the limit of the node by which most pieces are left, with the largest capacity that any node tells. Both
 * let deliveries go on, and one node may tell much of the one and little of the other.
 */
function mergeLimits(limits: readonly Limit[]): ObservedLimit | undefined {
  const [most] = limits.toSorted((a, b) => b.available - a.available)
  const capacities = limits.map(({ capacity }) => capacity)
  return (
    most && {
      ...most,
      capacity: Math.max(...capacities),
      leastCapacity: Math.min(...capacities),
    }
  )
}

/**
 * The market by the higher base fee, so that a node that tells too low a price stops nothing. Above the cap,
 * the lower one decides whether anything is sent. Null: no node tells a tip.
 */
function findMarket(views: readonly NodeView[], network: Network): Market | null {
  const cap = readFeeCap(network)
  const tips = views.flatMap((view) => view.tip ?? [])
  if (tips.length === 0) return null
  const tipCap = parseGwei(String(network.maxPriorityFeePerGasGwei))
  const tip = tips.reduce(lower, tipCap)
  const [first = 0n, ...rest] = views.map(({ baseFee }) => baseFee)
  const lowest = rest.reduce(lower, first)
  const highest = rest.reduce(larger, first)
  return {
    baseFee: withinCap({ lowest, highest, tip }, cap),
    lowestBaseFee: lowest,
    tip,
    overdueTip: lower(tips.reduce(larger, 0n), tipCap),
  }
}

/**
 * Whether one of several nodes says that a signer has used more nonces than the rows know, and no other
 * says so. A wrong nonce would never be mined.
 */
function isDisputed(
  signer: Address,
  states: ReadonlyMap<Address, SignerState>,
  { network, loaded }: StepInput,
): boolean {
  const state = states.get(signer)
  const reached = state && state.told.length > 1 ? state.count : 0
  const known = Math.max(reached, nextNonce(signer, loaded))
  return network.rpcUrls.length > 1 && findHighestCount(state) > known
}

/** Returns the next nonce of a signer by the rows. */
const nextNonce = (signer: Address, { transactions, mined }: Loaded): number =>
  transactions
    .filter((one) => one.signer === signer && one.items.length > 0)
    .reduce((next, { nonce }) => Math.max(next, nonce + 1), mined.get(signer)?.nextNonce ?? 0)

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]

/** More contracts than the Delivery contract allows. */
const MAX_LINEAGE = 10

const lineages = new Map<string, Address[]>()

/**
 * Returns the contract of the network with those that it replaces, which never change. A contract that
 * only one node adds or leaves out is not believed: the shortest list counts that has all `known` ones.
 */
async function readLineage(
  network: Network,
  asked: readonly Node[],
  known: readonly Address[],
  lease: HeldLease,
) {
  const { chainId, delivery, rpcUrls } = network
  const id = `${chainId} ${delivery}`
  const hasKnown = (lineage: readonly Address[]) => known.every((one) => lineage.includes(one))
  const agreed = lineages.get(id)
  if (agreed && hasKnown(agreed)) return agreed
  const walks = await Promise.all(asked.map((node) => walkBack(node, delivery, lease)))
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
async function walkBack(node: Node, delivery: Address, lease: HeldLease) {
  const lineage = [delivery]
  while (lineage.length < MAX_LINEAGE) {
    await lease.renew()
    const request = view(lineage.at(-1), encodeGetter('predecessor'))
    const data = read(hex, (await askOne(node, [request]))(request))
    if (data?.length !== 66) return { lineage, isComplete: false }
    const predecessor = addressIn(data)
    if (predecessor === zeroAddress) break
    lineage.push(predecessor)
  }
  return { lineage, isComplete: true }
}
