/** Asks nodes what batches would do, before they are signed. */
import { type Address, numberToHex, zeroAddress } from 'viem'
import { believe } from '../../chain/claims.ts'
import { askEach, askOne, type Node } from '../../chain/nodes.ts'
import type { Network } from '../../env.ts'
import { decodeResults, encodeDeliver, type ItemResult } from '../../ethereum/contract.ts'
import {
  contractCode,
  hex,
  inconclusive,
  type Reply,
  type RpcRequest,
  read,
  simulateCall,
} from '../../ethereum/requests.ts'
import { readRevert } from '../../ethereum/revert.ts'
import { readTrial, trialRequest } from '../../ethereum/token.ts'
import type { Batch, Deliverable } from '../rules/capacity.ts'
import type { Candidate } from '../rules/compose.ts'
import type { Disagreement } from '../store/disagreements.ts'
import type { HeldLease } from '../store/lease.ts'
import { fitGas, MAX_GAS } from './gas.ts'

/**
 * What a node says of a delivery that must not be sent. With a code, the call of its token would succeed.
 * `tellers`: how many nodes say that.
 */
export type Failure = {
  batch: Batch
  candidate: Candidate
  node: Node
  result: ItemResult | 'recipient_not_deployed' | 'mint_not_exact'
  tellers: number
}

type Simulation = {
  /** As many of the deliveries that would succeed as fit into a transaction. */
  good: Batch<Deliverable>[]
  /** Deliveries that would succeed at one node, and not at another one. */
  disagreements: Disagreement[]
  /** By delivery, what each node says at which it fails. */
  failing: Failure[][]
  /** Deliveries of which the node says too little, beside others: the gas of these did not suffice for all. */
  unreached: Candidate[]
  /**
   * Deliveries of batches of which the node says too little: their key is used, or nodes do not tell the code
   * of a contract wallet or what a mint makes, or disagree about it.
   */
  unclear: Candidate[]
  /** Why the node does not tell what batches would do. */
  unanswered: string[]
}

/**
 * Contract wallets are asked for their code, at every node: one that is not deployed has no proven
 * owner, unless its factory has proved it.
 */
const walletRequest = ({ delivery, call }: Candidate): RpcRequest[] =>
  delivery.recipientChainId !== 0 &&
  !delivery.isProvedByFactory &&
  delivery.requestedAction === 'deliver'
    ? [contractCode(call.to)]
    : []

function tellsCode(reply: Reply): boolean | null {
  const code = read(hex, reply)
  return code && code !== '0x'
}

/** An ERC-721 token may take a quantity where the id is expected. So it is tried what arrives. */
const mintRequest = (
  { relayer, contract }: Batch,
  { call }: Candidate,
  gasPerItem: number,
): RpcRequest[] =>
  call.token !== zeroAddress && call.from === zeroAddress && call.amount === 0n
    ? [trialRequest({ relayer, contract }, call, gasPerItem)]
    : []

function tellsExact(reply: Reply): boolean | null {
  const trial = readTrial(reply)
  return trial?.isAccepted ? trial.isExact : null
}

/** `gasPrice` and the `funds` of the relayers, as far as all nodes tell them, are in wei. */
export type Circumstances = {
  deadline: number
  gasPrice: bigint
  funds: ReadonlyMap<Address, bigint>
}

/** Who is asked, and under which lease: the nodes that answer, the leading one first. */
export type Asked = { network: Network; nodes: readonly Node[]; lease: HeldLease }

/**
 * Simulates batches at the first node, and what it would not deliver at the others: one that delivers it
 * suffices. A wrong yes costs a transaction without effect, which is counted.
 */
export async function simulate(
  { network, nodes, lease }: Asked,
  batches: readonly Batch[],
  circumstances: Circumstances,
): Promise<Simulation> {
  const good: Batch<Deliverable>[] = []
  const unreached: Candidate[] = []
  const failing = new Map<Candidate, Failure[]>()
  const unclear = new Set<Candidate>()
  const disagreements: Disagreement[] = []
  let unanswered: string[] = []
  let rest = batches
  const refused = new Set<Candidate>()
  for (const node of nodes) {
    if (rest.length === 0) break
    await lease.renew()
    const answer = await simulateAt(node, { network, nodes }, rest, circumstances)
    const passed = answer.passing.find((candidate) => refused.has(candidate))
    if (passed) disagreements.push(describeDifference(passed, nodes, node))
    good.push(...answer.good)
    unreached.push(...answer.unreached)
    for (const failure of answer.failing) {
      refused.add(failure.candidate)
      failing.set(failure.candidate, [...(failing.get(failure.candidate) ?? []), failure])
    }
    for (const candidate of answer.reverting) refused.add(candidate)
    for (const candidate of answer.unclear) unclear.add(candidate)
    for (const candidate of [...answer.passing, ...answer.unreached]) {
      failing.delete(candidate)
      unclear.delete(candidate)
    }
    const isDone = new Set([...answer.passing, ...answer.unreached])
    rest = selectCandidates(rest, (candidate) => !isDone.has(candidate))
    unanswered = answer.unanswered
  }
  for (const candidate of failing.keys()) unclear.delete(candidate)
  const isSilent = (candidate: Candidate) => !failing.has(candidate) && !unclear.has(candidate)
  return {
    good,
    failing: [...failing.values()],
    unreached,
    unclear: [...unclear],
    unanswered: selectCandidates(rest, isSilent).length > 0 ? unanswered : [],
    disagreements,
  }
}

/** Leaves out candidates, and the batches that have none left. */
const selectCandidates = (batches: readonly Batch[], isWanted: (candidate: Candidate) => boolean) =>
  batches.flatMap((batch) => {
    const candidates = batch.candidates.filter(isWanted)
    return candidates.length > 0 ? { ...batch, candidates } : []
  })

const describeDifference = ({ delivery }: Candidate, [first]: readonly Node[], other: Node) => ({
  about: 'simulation',
  answers: `item ${delivery.id}: fails at node ${first?.index} / is delivered at node ${other.index}`,
})

/**
 * What one node says. `passing`: all that it would deliver, also what does not fit into a transaction.
 * `reverting`: deliveries of calls of which it says that they revert.
 */
type Answer = Omit<Simulation, 'disagreements' | 'failing'> & {
  passing: Candidate[]
  reverting: Candidate[]
  failing: Failure[]
}

async function simulateAt(
  node: Node,
  { network, nodes }: Omit<Asked, 'lease'>,
  batches: readonly Batch[],
  circumstances: Circumstances,
): Promise<Answer> {
  const { gasPerItem } = network
  const asked = batches.map((batch) => ({
    batch,
    request: simulationRequest(batch, gasPerItem, circumstances),
  }))
  const checks = batches.flatMap((batch) =>
    batch.candidates.flatMap((candidate) => [
      ...walletRequest(candidate),
      ...mintRequest(batch, candidate, gasPerItem),
    ]),
  )
  const others = nodes.filter((other) => other !== node)
  const [replies, theirs] = await Promise.all([
    askOne(node, [...asked.map(({ request }) => request), ...checks]),
    checks.length > 0 ? askEach(others, checks) : [],
  ])
  const answers = (check: RpcRequest) => [replies, ...theirs].map((repliesOf) => repliesOf(check))
  const found: Answer = {
    good: [],
    failing: [],
    unreached: [],
    unclear: [],
    unanswered: [],
    passing: [],
    reverting: [],
  }
  for (const { batch, request } of asked) {
    const reply = replies(request)
    const data = read(hex, reply)
    const results = data && decodeResults(data)
    if (!results) {
      const fault = inconclusive(reply)
      found.unanswered.push(fault ?? `the contract reverts: ${readRevert(reply) ?? 'no answer'}`)
      if (!fault) found.reverting.push(...batch.candidates)
      continue
    }
    const good: Deliverable[] = []
    const failing: Failure[] = []
    const open: Candidate[] = []
    for (const [i, candidate] of batch.candidates.entries()) {
      const item = results[i]
      const hasCode = walletRequest(candidate).flatMap(answers).map(tellsCode)
      const isExact = mintRequest(batch, candidate, gasPerItem).flatMap(answers).map(tellsExact)
      const result = item && readOutcome(network, item, hasCode, isExact)
      if (!result || result === 'open') open.push(candidate)
      else if (result === 'good')
        good.push({ ...candidate, gasUsed: Math.min(Number(item.gasUsed), gasPerItem) })
      else failing.push({ batch, candidate, node, ...result })
    }
    const isGood = new Set(good.map(({ delivery }) => delivery))
    found.passing.push(...batch.candidates.filter(({ delivery }) => isGood.has(delivery)))
    if (good.length > 0) found.good.push({ ...batch, candidates: fitGas(good, gasPerItem) })
    found.failing.push(...failing)
    const isShortened = good.length > 0 || failing.length > 0
    found[isShortened ? 'unreached' : 'unclear'].push(...open)
  }
  return found
}

function simulationRequest(
  { relayer, contract, candidates }: Batch,
  gasPerItem: number,
  { deadline, gasPrice, funds }: Circumstances,
): RpcRequest {
  const gas = Math.ceil(candidates.length * (gasPerItem * 1.02 + 130_000) + 300_000)
  const limit = BigInt(Math.min(MAX_GAS, gas))
  const calls = candidates.map(({ call }) => call)
  // A node refuses a call that the relayer cannot pay.
  const canPay = (funds.get(relayer) ?? 0n) >= limit * gasPrice
  return simulateCall({
    from: relayer,
    to: contract,
    data: encodeDeliver(calls, 0, gasPerItem, deadline),
    gas: numberToHex(limit),
    ...(canPay && { gasPrice: numberToHex(gasPrice) }),
  })
}

/**
 * Returns what the result of an item means. `hasCode`, `isExact`: what nodes say of its recipient and of
 * what its mint makes; empty if that does not matter.
 */
function readOutcome(
  network: Network,
  item: ItemResult,
  hasCode: readonly (boolean | null)[],
  isExact: readonly (boolean | null)[],
): 'good' | 'open' | Pick<Failure, 'result' | 'tellers'> {
  if (item.outcome === 'failed') return { result: item, tellers: 1 }
  if (item.outcome !== 'delivered' && item.outcome !== 'cancelled') return 'open'
  for (const [told, result] of [
    [isExact, 'mint_not_exact'],
    [hasCode, 'recipient_not_deployed'],
  ] as const) {
    if (told.length === 0 || believe('is_proven', network, told)) continue
    // Nodes that contradict each other prove nothing.
    const tellers = told.filter((answer) => answer === false).length
    return tellers > 0 && !told.includes(true) ? { result, tellers } : 'open'
  }
  return 'good'
}
