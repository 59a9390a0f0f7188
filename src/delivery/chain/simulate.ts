/** Asks a node what batches would do and how much gas they need, before they are signed. */
import { type Address, type Hex, numberToHex, zeroAddress } from 'viem'
import { believe } from '../../chain/claims.ts'
import { askEach, askOne, type Node } from '../../chain/nodes.ts'
import type { Network } from '../../env.ts'
import { decodeResults, encodeDeliver, type ItemResult } from '../../ethereum/contract.ts'
import { lower } from '../../ethereum/fees.ts'
import {
  contractCode,
  gasEstimate,
  hex,
  inconclusive,
  type Replies,
  type Reply,
  type RpcRequest,
  read,
  simulate as simulateCall,
  view,
  wei,
} from '../../ethereum/requests.ts'
import { readRevert } from '../../ethereum/revert.ts'
import { encodeCall, readTrial, trialRequest } from '../../ethereum/token.ts'
import type { Batch, Deliverable } from '../rules/capacity.ts'
import type { Candidate } from '../rules/compose.ts'
import type { Disagreement } from '../store/disagreements.ts'
import type { HeldLease } from '../store/lease.ts'

/** The most gas of a transaction (EIP-7825). */
const MAX_GAS = 16_777_216
/** Gas of a call without items, and of an item without the call of its token. */
const GAS_PER_CALL = 40_000
const GAS_AROUND_ITEM = 40_000

/**
 * What a node says of an item that must not be sent. With a code, the call of its token would succeed.
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
  /** As many of the items that would be delivered as fit into a transaction. */
  good: Batch<Deliverable>[]
  /** Items that one node would deliver, and another one would not. */
  disagreements: Disagreement[]
  /** By item, what each node says that does not deliver it. */
  failing: Failure[][]
  /** Items of which the node says too little, beside others: the gas of these did not suffice for all. */
  unreached: Candidate[]
  /**
   * Items of batches of which the node says too little: their key is used, or nodes do not tell the code
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
const walletRequest = ({ item, call }: Candidate): RpcRequest[] =>
  item.recipientChainId !== 0 && !item.isProvedByFactory && item.requestedAction === 'deliver'
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
    ? [trialRequest({ relayer, delivery: contract }, call, gasPerItem)]
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

const describeDifference = ({ item }: Candidate, [first]: readonly Node[], other: Node) => ({
  about: 'simulation',
  answers: `item ${item.id}: fails at node ${first?.index} / is delivered at node ${other.index}`,
})

/**
 * What one node says. `passing`: all that it would deliver, also what does not fit into a transaction.
 * `reverting`: items of calls of which it says that they revert.
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
    const isGood = new Set(good.map(({ item }) => item))
    found.passing.push(...batch.candidates.filter(({ item }) => isGood.has(item)))
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

/** The gas limit that the simulated items need, with room for one that uses up its limit. */
const gasNeeded = (good: readonly Deliverable[], gasPerItem: number): number =>
  Math.ceil(
    1.25 * good.reduce((gas, { gasUsed }) => gas + gasUsed + GAS_AROUND_ITEM, GAS_PER_CALL) +
      gasLeft(gasPerItem),
  )

/** The gas that has to be left for one more item. */
const gasLeft = (gasPerItem: number): number => (gasPerItem * 64) / 63 + 60_000

function fitGas(good: readonly Deliverable[], gasPerItem: number): Deliverable[] {
  const fitting = [...good]
  while (fitting.length > 1 && gasNeeded(fitting, gasPerItem) > MAX_GAS) fitting.pop()
  return fitting
}

/** The predeployed contract of OP-stack chains that tells the fee for publishing the data. */
const ORACLE = '0x420000000000000000000000000000000000000F'

/**
 * What a call may need. `gas` is by the node that tells most, so that all items are reached: what is not used is not
 * paid. `leastGas` is by the one that tells least, for a signer that cannot pay the other. `l1Fee`: the L1 data fee
 * in wei (0 on most chains).
 */
export type GasLimit = { gas: bigint; leastGas: bigint; l1Fee: bigint }

/**
 * Returns the limits of each call. Estimating is slow, so a node is asked about the largest call
 * only, unless that needs more gas than in the simulation: then each one may be different.
 */
export async function estimate(
  nodes: readonly Node[],
  batches: readonly Batch<Deliverable>[],
  {
    gasPerItem,
    deadline,
    maxFeePerGas,
  }: { gasPerItem: number; deadline: number; maxFeePerGas: bigint },
): Promise<GasLimit[]> {
  // All items are to be reached, so that the estimate holds for all.
  const encode = ({ candidates }: Batch) => {
    const calls = candidates.map(({ call }) => call)
    return encodeDeliver(calls, calls.length, gasPerItem, deadline)
  }
  const estimateRequest = ({ relayer, contract }: Batch, data: Hex) =>
    gasEstimate({ from: relayer, to: contract, data, maxFeePerGas: numberToHex(maxFeePerGas) })
  const [largest] = batches.toSorted((a, b) => b.candidates.length - a.candidates.length)
  if (!largest) return []
  const data = encode(largest)
  const request = estimateRequest(largest, data)
  const fee = view(ORACLE, encodeCall('getL1Fee(bytes)', data))
  const all = await askEach(nodes, [request, fee])
  // Where there is no such contract, nothing is paid.
  const l1Fees = all.flatMap((replies) =>
    inconclusive(replies(fee)) ? [] : (read(wei, replies(fee)) ?? 0n),
  )
  const l1Fee = l1Fees.length > 0 ? l1Fees.reduce(lower) : 0n
  const limitBy = (batch: Batch<Deliverable>, estimates: readonly number[]) => ({
    ...mergeEstimates(batch.candidates, estimates, gasPerItem),
    l1Fee,
  })
  const estimated = readEstimates(all, request)
  if (Math.max(...estimated) <= gasNeeded(largest.candidates, gasPerItem))
    return batches.map((batch) => limitBy(batch, batch === largest ? estimated : []))
  const requests = batches.map((batch) => estimateRequest(batch, encode(batch)))
  const estimates = await askEach(nodes, requests)
  return batches.map((batch, i) => {
    const told = requests[i] ? readEstimates(estimates, requests[i]) : []
    return limitBy(batch, told.length > 0 ? told : estimated)
  })
}

/**
 * Returns the gas limits of a call by what nodes estimate, at least what the simulation needs. What one node tells
 * alone counts up to what the items may use, and its simulation up to what the estimates allow.
 */
function mergeEstimates(
  candidates: readonly Deliverable[],
  estimates: readonly number[],
  gasPerItem: number,
): Pick<GasLimit, 'gas' | 'leastGas'> {
  const simulated = gasNeeded(candidates, gasPerItem)
  const [highest = simulated, second = highest] = estimates.toSorted((a, b) => b - a)
  const allowed = estimates.length > 1 ? 1.25 * highest + gasLeft(gasPerItem) : simulated
  const needed = Math.min(simulated, allowed)
  const atMost = candidates.map((candidate) => ({ ...candidate, gasUsed: gasPerItem }))
  const most = Math.max(second, gasNeeded(atMost, gasPerItem))
  const told = estimates.map((gas) => Math.max(needed, Math.min(gas, most)))
  const limits = told.length > 0 ? told : [needed]
  return { gas: limited(Math.max(...limits)), leastGas: limited(Math.min(...limits)) }
}

const readEstimates = (all: readonly Replies[], request: RpcRequest): number[] =>
  all.flatMap((replies) => read(wei, replies(request)) ?? []).map(Number)

const limited = (gas: number) => BigInt(Math.min(MAX_GAS, Math.ceil(gas)))
