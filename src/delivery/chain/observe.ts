/** What the nodes say about the chain and about the deliveries and transactions of a step. */

import type { Address } from 'viem'
import { findHighest } from '../../chain/claims.ts'
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
import { contractRequests, readContract } from '../../ethereum/contract.ts'
import {
  accountBalance,
  type Block,
  block,
  blockAt,
  integer,
  read,
  tip,
  transactionCount,
  wei,
} from '../../ethereum/requests.ts'
import type { Signer } from '../../ethereum/signer.ts'
import type { Loaded, Observation } from '../model.ts'
import type { HeldLease } from '../store/lease.ts'
import { readLineage } from './lineage.ts'
import {
  contractsOf,
  findMarket,
  isDisputed,
  mergeContracts,
  mergeSigners,
  type NodeView,
  orderLeads,
  signersOf,
} from './merge-views.ts'
import { askEvidence } from './records.ts'

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
