/** Asks a node what batches would do, before they are signed. */
import { type Address, numberToHex, zeroAddress } from 'viem'
import type { Network } from '../../env.ts'
import { decodeResults, encodeDeliver, type ItemResult } from '../../ethereum/contract.ts'
import { agree, askAll } from '../../ethereum/node.ts'
import {
  contractCode,
  hex,
  inconclusive,
  read,
  simulate as simulateCall,
} from '../../ethereum/requests.ts'
import { readRevert } from '../../ethereum/revert.ts'
import type { Reply, Rpc, RpcRequest } from '../../ethereum/rpc.ts'
import { readTrial, trialRequest } from '../../ethereum/trial.ts'
import type { Batch, Deliverable } from '../rules/capacity.ts'
import type { Candidate } from '../rules/compose.ts'
import { MAX_GAS } from './estimate.ts'

/** An item that must not be sent. With a code, the call of its token would succeed. */
export type Failing = {
  batch: Batch
  candidate: Candidate
  result: ItemResult | 'recipient_not_deployed' | 'mint_not_exact'
}

type Simulation = {
  good: Deliverable[]
  bad: Failing[]
  /**
   * Items of which the node says too little: the gas did not suffice, their key is used, or nodes do
   * not tell the code of a contract wallet or what a mint makes, or disagree about it.
   */
  open: Candidate[]
}

/**
 * Contract wallets are asked for their code, at every node: an undeployed contract wallet has no
 * proven owner.
 */
const walletRequest = ({ item, call }: Candidate): RpcRequest[] =>
  item.recipientChainId !== 0 && item.requestedAction === 'deliver' ? [contractCode(call.to)] : []

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

/** Returns what each batch would do; or why the node does not tell. */
export async function simulate(
  rpc: Rpc,
  network: Network,
  batches: readonly Batch[],
  circumstances: Circumstances,
): Promise<(Simulation | string)[]> {
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
  return asked.map(({ batch, request }) => {
    const reply = replies(request)
    const data = read(hex, reply)
    const results = data && decodeResults(data)
    if (!results)
      return inconclusive(reply) ?? `the contract reverts: ${readRevert(reply) ?? 'no answer'}`
    const simulation: Simulation = { good: [], bad: [], open: [] }
    for (const [i, candidate] of batch.candidates.entries()) {
      const item = results[i]
      const hasCode = walletRequest(candidate).flatMap(answers).map(tellsCode)
      const isExact = mintRequest(batch, candidate, gasPerItem).flatMap(answers).map(tellsExact)
      const result = item && judge(network, item, hasCode, isExact)
      if (!result || result === 'open') simulation.open.push(candidate)
      else if (result === 'good') simulation.good.push({ candidate, gasUsed: Number(item.gasUsed) })
      else simulation.bad.push({ batch, candidate, result })
    }
    return simulation
  })
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
function judge(
  network: Network,
  item: ItemResult,
  hasCode: readonly (boolean | null)[],
  isExact: readonly (boolean | null)[],
): 'good' | 'open' | Failing['result'] {
  if (item.outcome === 'failed') return item
  if (item.outcome !== 'delivered' && item.outcome !== 'cancelled') return 'open'
  const isMintExact = isExact.length === 0 || agree(network, isExact)
  if (isMintExact === false) return 'mint_not_exact'
  if (isMintExact === null) return 'open'
  if (hasCode.length === 0 || agree(network, hasCode)) return 'good'
  return hasCode.includes(false) && !hasCode.includes(true) ? 'recipient_not_deployed' : 'open'
}
