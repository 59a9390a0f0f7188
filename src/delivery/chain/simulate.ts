/** Asks a node what batches would do and how much gas they need, before they are signed. */
import { type Address, type Hex, numberToHex, zeroAddress } from 'viem'
import { believe } from '../../chain/claims.ts'
import { askAll } from '../../chain/nodes.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Network } from '../../env.ts'
import { decodeResults, encodeDeliver, type ItemResult } from '../../ethereum/contract.ts'
import {
  contractCode,
  gasEstimate,
  hex,
  inconclusive,
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

/** The most gas of a transaction (EIP-7825). */
const MAX_GAS = 16_777_216
/** Gas of a call without items, and of an item without the call of its token. */
const GAS_PER_CALL = 40_000
const GAS_AROUND_ITEM = 40_000

/** An item that must not be sent. With a code, the call of its token would succeed. */
export type Failing = {
  batch: Batch
  candidate: Candidate
  result: ItemResult | 'recipient_not_deployed' | 'mint_not_exact'
}

type Simulation = {
  /** As many of the items that would be delivered as fit into a transaction. */
  good: Batch<Deliverable>[]
  failing: Failing[]
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

/** `gasPrice` and the `funds` of the relayers are in wei. */
export type Circumstances = {
  deadline: number
  gasPrice: bigint
  funds: ReadonlyMap<Address, bigint>
}

export async function simulate(
  rpc: Rpc,
  network: Network,
  batches: readonly Batch[],
  circumstances: Circumstances,
): Promise<Simulation> {
  const { gasPerItem, rpcUrls } = network
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
  const replies = await rpc([...asked.map(({ request }) => request), ...checks])
  const isAskedOfAll = rpcUrls.length > 1 && checks.length > 0
  const answers = isAskedOfAll
    ? await askAll(network, checks)
    : (check: RpcRequest) => [replies(check)]
  const found: Simulation = { good: [], failing: [], unreached: [], unclear: [], unanswered: [] }
  for (const { batch, request } of asked) {
    const reply = replies(request)
    const data = read(hex, reply)
    const results = data && decodeResults(data)
    if (!results) {
      const reverts = `the contract reverts: ${readRevert(reply) ?? 'no answer'}`
      found.unanswered.push(inconclusive(reply) ?? reverts)
      continue
    }
    const good: Deliverable[] = []
    const failing: Failing[] = []
    const open: Candidate[] = []
    for (const [i, candidate] of batch.candidates.entries()) {
      const item = results[i]
      const hasCode = walletRequest(candidate).flatMap(answers).map(tellsCode)
      const isExact = mintRequest(batch, candidate, gasPerItem).flatMap(answers).map(tellsExact)
      const result = item && readOutcome(network, item, hasCode, isExact)
      if (!result || result === 'open') open.push(candidate)
      else if (result === 'good') good.push({ ...candidate, gasUsed: Number(item.gasUsed) })
      else failing.push({ batch, candidate, result })
    }
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
): 'good' | 'open' | Failing['result'] {
  if (item.outcome === 'failed') return item
  if (item.outcome !== 'delivered' && item.outcome !== 'cancelled') return 'open'
  const isMintExact = isExact.length === 0 || believe('is_proven', network, isExact)
  if (isMintExact === false) return 'mint_not_exact'
  if (isMintExact === null) return 'open'
  if (hasCode.length === 0 || believe('is_proven', network, hasCode)) return 'good'
  return hasCode.includes(false) && !hasCode.includes(true) ? 'recipient_not_deployed' : 'open'
}

/** The gas limit that the simulated items need, with room for one that uses up its limit. */
const gasNeeded = (good: readonly Deliverable[], gasPerItem: number): number =>
  Math.ceil(
    1.25 * good.reduce((gas, { gasUsed }) => gas + gasUsed + GAS_AROUND_ITEM, GAS_PER_CALL) +
      (gasPerItem * 64) / 63 +
      60_000,
  )

function fitGas(good: readonly Deliverable[], gasPerItem: number): Deliverable[] {
  const fitting = [...good]
  while (fitting.length > 1 && gasNeeded(fitting, gasPerItem) > MAX_GAS) fitting.pop()
  return fitting
}

/** The predeployed contract of OP-stack chains that tells the fee for publishing the data. */
const ORACLE = '0x420000000000000000000000000000000000000F'

/** The gas limit of a call, and its L1 data fee in wei (0 on most chains). */
export type GasLimit = { gas: bigint; l1Fee: bigint }

/**
 * Returns the limits of each call. Estimating is slow, so a node is asked about the largest call
 * only, unless that needs more gas than in the simulation: then each one may be different.
 */
export async function estimate(
  rpc: Rpc,
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
  const replies = await rpc([request, fee])
  const l1Fee = read(wei, replies(fee)) ?? 0n
  const estimated = Number(read(wei, replies(request)) ?? 0)
  const needed = batches.map(({ candidates }) => gasNeeded(candidates, gasPerItem))
  if (estimated <= gasNeeded(largest.candidates, gasPerItem))
    return needed.map((gas) => ({ gas: limited(gas), l1Fee }))
  const requests = batches.map((batch) => estimateRequest(batch, encode(batch)))
  const estimates = await rpc(requests)
  return requests.map((request, i) => {
    const gas = Number(read(wei, estimates(request)) ?? estimated)
    return { gas: limited(Math.max(gas, needed[i] ?? 0)), l1Fee }
  })
}

const limited = (gas: number) => BigInt(Math.min(MAX_GAS, Math.ceil(gas)))
