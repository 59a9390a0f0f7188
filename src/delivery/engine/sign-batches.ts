/** Signs batches: the gas, the nonce, the fees and the funds of each. */
import type { Address, Hex } from 'viem'
import { parseGwei } from 'viem/utils'
import type { Network } from '../../env.ts'
import { encodeDeliver } from '../../ethereum/contract.ts'
import { type Fees, feeTexts, firstFees, type Market, outbid } from '../../ethereum/fees.ts'
import { type Signer, sign } from '../../ethereum/signer.ts'
import { log } from '../../log.ts'
import type { Batch, Capacity } from './assign.ts'
import type { Observation } from './observe.ts'
import { callsOf, estimate, type Limit, type Simulation } from './simulate.ts'
import type { Item, UnminedFees } from './state.ts'

/** A transaction to store, with its items. */
export type NewTransaction = Fees & {
  contract: Address
  signer: Address
  nonce: number
  hash: Hex
  raw: Hex
  gas: bigint
  deadline: number
  signedAtBlock: number
  items: Item[]
}

/** A batch, with those of its items that would be delivered. */
export type GoodBatch = { batch: Batch; good: Simulation['good'] }

/** Why batches were not signed. */
type Lack = 'fees_above_cap' | 'signer_out_of_funds'

type Context = {
  chainId: number
  market: Market
  /** Wei per unit of gas. */
  cap: bigint
  /** The fees of a nonce that was not used before. */
  usual: Fees
  unmined: readonly UnminedFees[]
  signers: readonly Signer[]
  capacities: ReadonlyMap<Address, Capacity>
}

/** Signs as many batches as the signers can pay. Takes what is signed off their capacities. */
export async function signBatches(
  network: Network,
  batches: readonly GoodBatch[],
  { node, market, head }: Pick<Observation, 'node' | 'market' | 'head'>,
  senders: Pick<Context, 'unmined' | 'signers' | 'capacities'>,
  deadline: number,
): Promise<{ transactions: NewTransaction[]; lack: Lack | null }> {
  const transactions: NewTransaction[] = []
  let lack: Lack | null = null
  if (batches.length === 0) return { transactions, lack }
  const { chainId, gasPerItem, maxFeePerGasGwei } = network
  const cap = parseGwei(String(maxFeePerGasGwei))
  const usual = firstFees(market, cap)
  if (!usual) {
    log.error('fees_above_cap', { chainId, ...feeTexts(market), cap: String(cap) })
    return { transactions, lack: 'fees_above_cap' }
  }
  const calls = batches.map(({ batch, good }) => ({ ...batch, good }))
  const limits = await estimate(node.rpc, network, calls, deadline, usual.maxFeePerGas)
  for (const [i, { batch, good }] of batches.entries()) {
    const limit = limits[i]
    if (!limit) continue
    const reserved = reserve({ chainId, market, cap, usual, ...senders }, batch, good.length, limit)
    if (typeof reserved === 'string') lack = reserved
    if (!reserved || typeof reserved === 'string') continue
    const { signer, nonce, fees } = reserved
    const candidates = good.map(({ candidate }) => candidate)
    const data = encodeDeliver(callsOf(candidates), 1, gasPerItem, deadline)
    const { contract } = batch
    const { gas } = limit
    transactions.push({
      ...(await sign(signer, { chainId, nonce, to: contract, data, gas, ...fees })),
      ...fees,
      contract,
      signer: signer.address,
      nonce,
      gas,
      deadline,
      signedAtBlock: head.number,
      items: candidates.map(({ item }) => item),
    })
  }
  return { transactions, lack }
}

/**
 * Finds a signer that can pay a batch: the one that it was assigned to, or another one. Null: none
 * has room for it.
 */
function reserve(
  context: Context,
  { signer: assigned, contract }: Batch,
  items: number,
  { gas, l1Fee }: Limit,
): { signer: Signer; nonce: number; fees: Fees } | Lack | null {
  const { chainId, capacities, signers } = context
  let lack: Lack | null = null
  for (const signer of signers.toSorted(({ address }) => (address === assigned ? -1 : 0))) {
    const { address } = signer
    const capacity = capacities.get(address)
    const [nonce] = capacity?.nonces ?? []
    const allowance = capacity?.allowances.get(contract) ?? 0
    if (!capacity || nonce === undefined || allowance < items) continue
    const fees = feesAt(context, address, nonce)
    const cost = gas * fees.maxFeePerGas + l1Fee
    if (cost <= capacity.funds) {
      capacity.nonces.shift()
      capacity.funds -= cost
      capacity.allowances.set(contract, allowance - items)
      return { signer, nonce, fees }
    }
    lack = 'signer_out_of_funds'
    log.error(lack, { chainId, signer: address, missing: String(cost - capacity.funds) })
    capacity.nonces = []
  }
  return lack
}

/**
 * Fees that replace any transaction already signed for this nonce. One that the cap does not allow
 * to outbid is mined at its price, or is gone.
 */
const feesAt = ({ usual, unmined, market, cap }: Context, signer: Address, nonce: number): Fees =>
  unmined
    .filter((old) => old.signer === signer && old.nonce === nonce)
    .map((old) => outbid(old, market, cap) ?? usual)
    .reduce((fees, other) => (fees.maxFeePerGas > other.maxFeePerGas ? fees : other), usual)
