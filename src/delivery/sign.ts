/** Signs transactions: which relayer sends a batch, with which nonce, gas and fees. */
import { encodeDeliver } from '../ethereum/contract.ts'
import {
  type Fees,
  feeTexts,
  firstFees,
  fitFunds,
  isUnderpriced,
  type Market,
  outbid,
  readFeeCap,
} from '../ethereum/fees.ts'
import { decodeCallData, sign } from '../ethereum/signer.ts'
import { log } from '../log.ts'
import { estimate, type GasLimit } from './chain/gas.ts'
import type { Observed } from './chain/observe.ts'

import type { SigningBlocker } from './model.ts'
import {
  type Batch,
  type Capacity,
  type Deliverable,
  findPieces,
  takeFitting,
} from './rules/capacity.ts'
import { countPieces } from './rules/compose.ts'
import { type Decision, signedHashes } from './rules/decide.ts'
import { carry } from './rules/delivery-changes.ts'
import type { Changes } from './store/changes.ts'
import type { TransactionChange } from './store/transactions.ts'

/** `usual`: the fees of a nonce for which nothing was signed before. */
type Pricing = { market: Market; feeCap: bigint; usual: Fees }

/** `transactions`: those to store. `blocker`: why deliveries are left as they are although they are due. */
export type Signed = Pick<Changes, 'transactions' | 'deliveries'> & {
  blocker: SigningBlocker | null
}

/** Signs as many batches as the relayers can send and pay. Takes that off their capacities. */
export async function signBatches(
  batches: readonly Batch<Deliverable>[],
  capacities: readonly Capacity[],
  { market, deadline }: { market: Market; deadline: number },
  { network, observation: { nodes, head }, now }: Observed,
): Promise<Signed> {
  const signed: Signed = { transactions: [], deliveries: [], blocker: null }
  if (batches.length === 0) return signed
  const { chainId, gasPerItem } = network
  const feeCap = readFeeCap(network)
  const usual = firstFees(market, feeCap)
  if (!usual) {
    log.error('fees_above_cap', { chainId, ...feeTexts(market), cap: String(feeCap) })
    return { ...signed, blocker: 'fees_above_cap' }
  }
  const { maxFeePerGas } = usual
  const limits = await estimate(nodes, batches, { gasPerItem, deadline, maxFeePerGas })
  for (const [i, batch] of batches.entries()) {
    const limit = limits[i]
    if (!limit) continue
    const reserved = reserve({ ...batch, limit }, capacities, { market, feeCap, usual }, chainId)
    if (typeof reserved === 'string') signed.blocker = reserved
    if (!reserved || typeof reserved === 'string') continue
    const { signer, nonce, gas, fees, expired, candidates } = reserved
    const { contract } = batch
    const calls = candidates.map(({ call }) => call)
    const data = encodeDeliver(calls, 1, gasPerItem, deadline)
    const { raw, hash } = await sign(signer, { chainId, nonce, to: contract, data, gas, ...fees })
    const transaction = {
      signer: signer.address,
      nonce,
      contract,
      items: candidates.map(({ delivery }) => delivery.id),
      hash,
      replaced: expired ? signedHashes(expired).toReversed() : [],
      raw,
      gas,
      ...fees,
      deadline,
      signedAtBlock: head.number,
      signedAt: now.toISOString(),
      createdAt: now.toISOString(),
    }
    signed.transactions.push(
      expired
        ? { id: expired.id, nonceUsedAt: null, ...transaction }
        : { isOpen: true, ...transaction },
    )
    signed.deliveries.push(...candidates.map(({ delivery }) => carry(delivery, hash)))
  }
  // The deliveries wait for a relayer that can send them.
  if (signed.transactions.length === 0) signed.blocker ??= 'signers_busy'
  return signed
}

/**
 * Finds a relayer that may send a batch and can pay it, the one with most room first, so that all
 * work. Leaves out the deliveries that no relayer may move now. Null: none has room.
 */
function reserve(
  { contract, candidates, limit }: Batch & { limit: GasLimit },
  capacities: readonly Capacity[],
  { market, feeCap, usual }: Pricing,
  chainId: number,
) {
  let blocker: SigningBlocker | null = null
  const { l1Fee } = limit
  const costOf = (gas: bigint, { maxFeePerGas }: Fees) => gas * maxFeePerGas + l1Fee
  const able = findAble(capacities, { contract, candidates }, costOf(limit.leastGas, usual))
  const byRoom = able.toSorted((a, b) => b.nonces.length - a.nonces.length)
  const most = Math.max(0, ...byRoom.map((capacity) => findPieces(capacity, contract)))
  const { taken, pieces } = takeFitting(candidates, Infinity, most)
  for (const capacity of byRoom) {
    const { signer, nonces, expired: expiredByNonce, funds } = capacity
    const left = findPieces(capacity, contract)
    const [nonce] = nonces
    if (nonce === undefined || taken.length === 0 || left < pieces) continue
    const expired = expiredByNonce.get(nonce)
    // One that the cap does not allow to outbid is mined at its price, or is gone.
    const outbidding = expired && outbid(expired, market, feeCap)
    const offered = outbidding ?? usual
    const gas = costOf(limit.gas, offered) <= funds ? limit.gas : limit.leastGas
    const payable = (funds - l1Fee) / gas
    const fees = fitFunds(offered, market, payable, outbidding ? expired : undefined)
    const cost = costOf(gas, fees)
    if (cost <= funds) {
      nonces.shift()
      capacity.funds -= cost
      capacity.inFlight++
      capacity.pieces.set(contract, left - pieces)
      return { signer, nonce, gas, fees, expired, candidates: taken }
    }
    blocker = 'signer_out_of_funds'
    log.error(blocker, { chainId, signer: signer.address, missing: String(cost - funds) })
    capacity.nonces = []
  }
  return blocker
}

/**
 * Leaves out the relayers of which only some nodes say that they can pay, while another one can pay this
 * batch, or could if less of its own was in flight: what is not paid holds its deliveries until it expires.
 */
function findAble(
  capacities: readonly Capacity[],
  { contract, candidates }: Pick<Batch, 'contract' | 'candidates'>,
  cost: bigint,
): readonly Capacity[] {
  const sure = capacities.filter(
    ({ funds, disputedFunds }) => funds < cost || funds - disputedFunds >= cost,
  )
  const smallest = Math.min(...candidates.map(({ delivery }) => countPieces(delivery)))
  const canSend = (capacity: Capacity) =>
    capacity.funds >= cost && (capacity.inFlight > 0 || findPieces(capacity, contract) >= smallest)
  return sure.some(canSend) ? sure : capacities
}

/** Signs the calls of underpriced transactions again, unless their signer was removed. */
export async function signReplacements(
  decisions: readonly Decision[],
  capacities: readonly Capacity[],
  { network, observation: { head, market }, now }: Observed,
): Promise<TransactionChange[]> {
  const { chainId } = network
  if (!market) return []
  const isTooLow = ({ do: action, transaction }: Decision) =>
    action === 'send' && isUnderpriced(transaction, market, false)
  if (decisions.some(isTooLow)) {
    const cap = String(readFeeCap(network))
    log.error('fees_above_cap', { chainId, ...feeTexts(market), cap })
  }
  const replacements: TransactionChange[] = []
  for (const decision of decisions) {
    if (decision.do !== 'replace' || !decision.transaction.raw) continue
    const { transaction } = decision
    const { contract: to, nonce, gas, raw } = decision.transaction
    const capacity = capacities.find(({ signer }) => signer.address === transaction.signer)
    if (!capacity) continue
    const { signer, funds } = capacity
    // The old fees are taken off already.
    const payable = transaction.maxFeePerGas + funds / gas
    const fees = fitFunds(decision.fees, market, payable, transaction)
    const cost = gas * (fees.maxFeePerGas - transaction.maxFeePerGas)
    if (funds < cost) {
      const missing = String(cost - funds)
      log.error('signer_out_of_funds', { chainId, signer: signer.address, missing })
      continue
    }
    capacity.funds -= cost
    const call = { chainId, nonce, to, data: decodeCallData(raw), gas, ...fees }
    const bytes = await sign(signer, call)
    const replaced = signedHashes(transaction).toReversed()
    const at = { signedAtBlock: head.number, signedAt: now.toISOString() }
    replacements.push({ id: transaction.id, nonce, ...bytes, replaced, ...fees, ...at })
  }
  return replacements
}
