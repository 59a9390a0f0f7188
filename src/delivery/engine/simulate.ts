/** Asks a node what batches would do, before they are signed. */
import { type Address, encodeFunctionData, type Hex, numberToHex } from 'viem'
import type { Network } from '../../env.ts'
import { decodeResults, encodeDeliver, type ItemResult } from '../../ethereum/contract.ts'
import {
  contractCode,
  gasEstimate,
  hex,
  inconclusive,
  read,
  simulate as simulateCall,
  view,
  wei,
} from '../../ethereum/requests.ts'
import { isTokenWithoutCode, revertReason } from '../../ethereum/revert.ts'
import type { Rpc, RpcRequest } from '../../ethereum/rpc.ts'
import { diagnosisRequests, readHolderProblem } from '../../ethereum/token.ts'
import { explain } from '../reasons.ts'
import type { Batch, Candidate } from './assign.ts'
import type { Problem } from './failure.ts'

/** EIP-7825. */
const MAX_GAS = 16_777_216

/** Gas of a call without items, and of an item without the call of its token. */
const GAS_PER_CALL = 40_000
const GAS_AROUND_ITEM = 34_000

export type Simulation = {
  /** Items that would be delivered, with the gas that their tokens use. */
  good: { candidate: Candidate; gasUsed: number }[]
  /** `problem`: why an item must not be sent although its transfer would succeed. */
  bad: { candidate: Candidate; result: ItemResult; problem?: Problem }[]
  /**
   * Items of which the node says too little: the gas did not suffice, their key is used, or it does
   * not tell the code of a contract wallet.
   */
  open: Candidate[]
}

const NOT_DEPLOYED: Problem = { cause: 'item', ...explain('recipient_not_deployed') }

/** Contract wallets are asked for their code: an undeployed contract wallet has no proven owner. */
const walletRequest = ({ item, call }: Candidate): RpcRequest[] =>
  item.recipientChainId !== 0 && item.requestedAction === 'deliver' ? [contractCode(call.to)] : []

/** Returns what each batch would do; or why the node does not tell. */
export async function simulate(
  rpc: Rpc,
  { gasPerItem }: Network,
  batches: readonly Batch[],
  deadline: number,
): Promise<(Simulation | string)[]> {
  const requests = batches.map(({ signer, contract, candidates }) => {
    const gas = candidates.length * (gasPerItem * 1.02 + 110_000) + 300_000
    return simulateCall({
      from: signer,
      to: contract,
      data: encodeDeliver(callsOf(candidates), 0, gasPerItem, deadline),
      gas: numberToHex(Math.min(MAX_GAS, Math.ceil(gas))),
    })
  })
  const wallets = batches.flatMap(({ candidates }) => candidates.flatMap(walletRequest))
  const replies = await rpc([...requests, ...wallets])
  return requests.map((request, i) => {
    const reply = replies(request)
    const data = read(hex, reply)
    const results = data && decodeResults(data)
    if (!results)
      return inconclusive(reply) ?? ('error' in reply ? revertOf(reply.error.data) : 'no answer')
    const simulation: Simulation = { good: [], bad: [], open: [] }
    for (const [k, candidate] of (batches[i]?.candidates ?? []).entries()) {
      const result = results[k]
      const [code] = walletRequest(candidate).map((asked) => read(hex, replies(asked)))
      if (result?.outcome === 'delivered' || result?.outcome === 'cancelled') {
        if (code === '0x') simulation.bad.push({ candidate, result, problem: NOT_DEPLOYED })
        else if (code === null) simulation.open.push(candidate)
        else simulation.good.push({ candidate, gasUsed: Number(result.gasUsed) })
      } else if (result?.outcome === 'failed') simulation.bad.push({ candidate, result })
      else simulation.open.push(candidate)
    }
    return simulation
  })
}

/** Returns the calls of candidates, in their order. */
export const callsOf = (candidates: readonly Candidate[]) => candidates.map(({ call }) => call)

const revertOf = (data: unknown) =>
  `the contract reverts: ${read(hex, { result: data }) ? revertReason(data as Hex) : 'no reason'}`

/** The gas limit that the simulated items need, with room for one that uses up its limit. */
const gasNeeded = (good: Simulation['good'], gasPerItem: number): number =>
  Math.ceil(
    1.25 * good.reduce((gas, { gasUsed }) => gas + gasUsed + GAS_AROUND_ITEM, GAS_PER_CALL) +
      (gasPerItem * 64) / 63 +
      60_000,
  )

/** Returns as many of the items as fit into one transaction. */
export function fitGas(good: Simulation['good'], gasPerItem: number): Simulation['good'] {
  const fitting = [...good]
  while (fitting.length > 1 && gasNeeded(fitting, gasPerItem) > MAX_GAS) fitting.pop()
  return fitting
}

export type Call = { signer: Address; contract: Address; good: Simulation['good'] }

const oracleAbi = [
  {
    type: 'function',
    name: 'getL1Fee',
    stateMutability: 'view',
    inputs: [{ name: 'data', type: 'bytes' }],
    outputs: [{ name: '', type: 'uint256' }],
  },
] as const
/** The predeployed contract of OP-stack chains that tells the fee for publishing the data. */
const ORACLE = '0x420000000000000000000000000000000000000F'

/** The gas limit of a call, and its L1 data fee in wei (0 on most chains). */
export type Limit = { gas: bigint; l1Fee: bigint }

/**
 * Returns the limits of each call. Estimating is slow, so a node is asked about the largest call
 * only, unless that needs more gas than in the simulation: then each one may be different.
 */
export async function estimate(
  rpc: Rpc,
  { gasPerItem }: Network,
  calls: readonly Call[],
  deadline: number,
  maxFeePerGas: bigint,
): Promise<Limit[]> {
  // All items are to be reached, so that the estimate holds for all.
  const dataOf = ({ good }: Call) =>
    encodeDeliver(
      callsOf(good.map(({ candidate }) => candidate)),
      good.length,
      gasPerItem,
      deadline,
    )
  const requestFor = (call: Call, data: Hex) =>
    gasEstimate({
      from: call.signer,
      to: call.contract,
      data,
      maxFeePerGas: numberToHex(maxFeePerGas),
    })
  const [largest] = calls.toSorted((a, b) => b.good.length - a.good.length)
  if (!largest) return []
  const data = dataOf(largest)
  const request = requestFor(largest, data)
  const fee = view(ORACLE, encodeFunctionData({ abi: oracleAbi, args: [data] }))
  const replies = await rpc([request, fee])
  const l1Fee = read(wei, replies(fee)) ?? 0n
  const estimated = Number(read(wei, replies(request)) ?? 0)
  const needed = calls.map(({ good }) => gasNeeded(good, gasPerItem))
  if (estimated <= gasNeeded(largest.good, gasPerItem))
    return needed.map((gas) => ({ gas: limited(gas), l1Fee }))
  const requests = calls.map((call) => requestFor(call, dataOf(call)))
  const estimates = await rpc(requests)
  return requests.map((request, i) => {
    const gas = Number(read(wei, estimates(request)) ?? estimated)
    return { gas: limited(Math.max(gas, needed[i] ?? 0)), l1Fee }
  })
}

const limited = (gas: number) => BigInt(Math.min(MAX_GAS, Math.ceil(gas)))

/** Returns the problem of each item that would fail; null if the node does not tell. */
export async function diagnose(
  rpc: Rpc,
  { gasPerItem }: Network,
  bad: Simulation['bad'],
): Promise<Map<Candidate, Problem | null>> {
  const replies = await rpc(
    bad.flatMap(({ candidate: { contract, call }, problem }) =>
      problem ? [] : diagnosisRequests(contract, call),
    ),
  )
  return new Map(
    bad.map(({ candidate, result, problem }) => {
      if (problem) return [candidate, problem]
      const { contract, call } = candidate
      const [plain] = diagnosisRequests(contract, call)
      if (!plain || 'fault' in replies(plain)) return [candidate, null]
      const holderProblem = readHolderProblem(contract, call, replies)
      return [candidate, holderOrItem(holderProblem, result, gasPerItem)]
    }),
  )
}

function holderOrItem(
  holderProblem: ReturnType<typeof readHolderProblem>,
  { gasUsed, reason }: ItemResult,
  gasPerItem: number,
): Problem {
  const text = revertReason(reason)
  if (isTokenWithoutCode(reason)) return { cause: 'item', ...explain('token_not_deployed') }
  if (holderProblem) return { cause: 'holder', ...explain(holderProblem, text) }
  if (gasUsed > gasPerItem * 0.95) return { cause: 'item', ...explain('gas_limit_exceeded') }
  return { cause: 'item', ...explain('recipient_rejects', text) }
}
