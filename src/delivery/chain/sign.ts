/** Signs transactions: which relayer sends a batch, with which nonce, gas and fees. */
import type { Address } from 'viem'
import { encodeDeliver } from '../../ethereum/contract.ts'
import {
  type Fees,
  feeTexts,
  firstFees,
  isUnderpriced,
  type Market,
  outbid,
} from '../../ethereum/fees.ts'
import { decodeCallData, type Signer, sign } from '../../ethereum/signer.ts'
import { log } from '../../log.ts'
import { countPieces, type DeliveryTransaction, type SigningBlocker } from '../model.ts'
import type { Decision } from '../rules/decide.ts'
import { carry, type ItemChange } from '../rules/item-changes.ts'
import type { NewTransaction, TransactionChange } from '../store/store.ts'
import type { Candidate } from './compose.ts'
import { findUnmined, signedHashes, type World } from './observe.ts'
import { type Deliverable, estimate, type GasLimit, type GoodBatch, getCall } from './simulate.ts'

/** What a relayer can send besides its transactions that are not mined. */
export type Capacity = {
  signer: Signer
  /** The lowest nonces that are free. To leave one out would block those after it. */
  nonces: number[]
  /** Expired transactions by nonce. Their nonces are signed again. */
  expired: Map<number, DeliveryTransaction>
  /** Wei. */
  funds: bigint
  /** Pieces that it may move now, by contract. */
  pieces: Map<Address, number>
}

/** Returns what a relayer can still send. */
export function readCapacity(world: World, signer: Signer): Capacity {
  const { network, loaded, observation } = world
  const { address } = signer
  const isOwn = (transaction: DeliveryTransaction) => transaction.signer === address
  const { count: told = 0, balance = 0n } = observation.signers.get(address) ?? {}
  const count = Math.max(told, loaded.mined.get(address)?.nextNonce ?? 0)
  const isUsable = observation.isAlone || !observation.doubted.has(address)
  const room = isUsable ? network.transactionsInFlight : 0
  const unmined = findUnmined(world).filter(isOwn)
  const expired = loaded.transactions.filter((t) => isOwn(t) && t.items.length === 0)
  const used = new Set(unmined.map(({ nonce }) => nonce))
  const nonces: number[] = []
  for (let nonce = count; nonces.length < room - unmined.length; nonce++)
    if (!used.has(nonce)) nonces.push(nonce)
  const submitted = (contract: Address) =>
    unmined
      .filter((transaction) => transaction.contract === contract)
      .flatMap(({ items }) => items.flatMap((id) => loaded.carried.get(id) ?? []))
      .reduce((sum, { quantity }) => sum + quantity, 0)
  return {
    signer,
    nonces,
    expired: new Map(expired.map((transaction) => [transaction.nonce, transaction])),
    funds: unmined.reduce((funds, { gas, maxFeePerGas }) => funds - gas * maxFeePerGas, balance),
    pieces: new Map(
      [...observation.contracts].map(([contract, { limits }]) => [
        contract,
        (limits.get(address)?.available ?? 0) - submitted(contract),
      ]),
    ),
  }
}

const DAY = 24 * 60 * 60 * 1000

/**
 * Gives the item that has waited longest for room its turn, so that smaller ones do not take the room
 * away for ever. It goes first once it fits. Until then, the relayer with most room saves half of what
 * flows back: nothing at first, and in the time in which its bucket fills twice, all that it holds.
 * This begins again after each 2.5 of these times, so that large items do not take all room either.
 */
export function saveRoom(
  { observation, now }: World,
  candidates: readonly Candidate[],
  capacities: readonly Capacity[],
): readonly Candidate[] {
  const [longest] = candidates
    .filter(({ item }) => item.reasonCode === 'relayer_limit_reached')
    .toSorted((a, b) => `${a.item.failingSince}`.localeCompare(`${b.item.failingSince}`))
  if (!longest) return candidates
  const { item, contract } = longest
  const pieces = countPieces(item)
  const limits = observation.contracts.get(contract)?.limits
  const [saving] = capacities
    .flatMap((capacity) => {
      const limit = limits?.get(capacity.signer.address)
      return limit && limit.capacity >= pieces ? { capacity, limit } : []
    })
    .toSorted((a, b) => findPieces(b.capacity, contract) - findPieces(a.capacity, contract))
  if (!saving) return candidates
  const { capacity, limit } = saving
  const room = findPieces(capacity, contract)
  if (room >= pieces) return [longest, ...candidates.filter((candidate) => candidate !== longest)]
  const filling = (limit.capacity / limit.perDay) * DAY
  const saved = (limit.capacity * (now.getTime() % (2.5 * filling))) / (2 * filling)
  capacity.pieces.set(contract, room - Math.min(pieces, saved))
  return candidates
}

/** `transactions`: those to store. */
export type Signed = {
  transactions: (NewTransaction | TransactionChange)[]
  changes: ItemChange[]
  blocker: SigningBlocker | null
}

type Signing = { market: Market; capacities: readonly Capacity[]; deadline: number }

/** Signs as many batches as the relayers can send and pay. Takes that off their capacities. */
export async function signBatches(
  { network, observation: { node, head }, cap, now }: World,
  batches: readonly GoodBatch[],
  { market, capacities, deadline }: Signing,
): Promise<Signed> {
  const signed: Signed = { transactions: [], changes: [], blocker: null }
  if (batches.length === 0) return signed
  const { chainId, gasPerItem } = network
  const usual = firstFees(market, cap)
  if (!usual) {
    log.error('fees_above_cap', { chainId, ...feeTexts(market), cap: String(cap) })
    return { ...signed, blocker: 'fees_above_cap' }
  }
  const limits = await estimate(node.rpc, network, batches, deadline, usual.maxFeePerGas)
  for (const [i, { contract, good }] of batches.entries()) {
    const limit = limits[i]
    if (!limit) continue
    const feesAt = (expired: DeliveryTransaction | undefined): Fees =>
      // One that the cap does not allow to outbid is mined at its price, or is gone.
      (expired && outbid(expired, market, cap)) ?? usual
    const reserved = reserve(chainId, capacities, contract, good, limit, feesAt)
    if (typeof reserved === 'string') signed.blocker = reserved
    if (!reserved || typeof reserved === 'string') continue
    const { signer, nonce, fees, expired, items } = reserved
    const data = encodeDeliver(items.map(getCall), 1, gasPerItem, deadline)
    const { gas } = limit
    const { raw, hash } = await sign(signer, { chainId, nonce, to: contract, data, gas, ...fees })
    const call = {
      signer: signer.address,
      nonce,
      contract,
      items: items.map(({ item }) => item.id),
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
      expired ? { id: expired.id, nonceUsedAt: null, ...call } : { isOpen: true, ...call },
    )
    signed.changes.push(...items.map(({ item }) => carry(item, hash)))
  }
  return signed
}

/**
 * Finds a relayer that may send a batch and can pay it, the one with most room first, so that all
 * work. Leaves out the items that no relayer may move now. Null: none has room.
 */
function reserve(
  chainId: number,
  capacities: readonly Capacity[],
  contract: Address,
  good: readonly Deliverable[],
  { gas, l1Fee }: GasLimit,
  feesAt: (expired: DeliveryTransaction | undefined) => Fees,
) {
  let blocker: SigningBlocker | null = null
  const byRoom = capacities.toSorted((a, b) => b.nonces.length - a.nonces.length)
  const most = Math.max(0, ...byRoom.map((capacity) => findPieces(capacity, contract)))
  const { taken, pieces } = takeFitting(
    good.map(({ candidate }) => candidate),
    ({ item }) => countPieces(item),
    Infinity,
    most,
  )
  for (const capacity of byRoom) {
    const { signer, nonces, expired: expiredByNonce, funds } = capacity
    const left = findPieces(capacity, contract)
    const [nonce] = nonces
    if (nonce === undefined || taken.length === 0 || left < pieces) continue
    const expired = expiredByNonce.get(nonce)
    const fees = feesAt(expired)
    const cost = gas * fees.maxFeePerGas + l1Fee
    if (cost <= funds) {
      nonces.shift()
      capacity.funds -= cost
      capacity.pieces.set(contract, left - pieces)
      return { signer, nonce, fees, expired, items: taken }
    }
    blocker = 'signer_out_of_funds'
    log.error(blocker, { chainId, signer: signer.address, missing: String(cost - funds) })
    capacity.nonces = []
  }
  return blocker
}

/** The pieces that a relayer may move now; 0 if it can send nothing. */
export const findPieces = ({ nonces, pieces }: Capacity, contract: Address): number =>
  nonces.length > 0 ? (pieces.get(contract) ?? 0) : 0

/** Takes the first values that fit, without those that are too large for what is left. */
export function takeFitting<T>(
  values: readonly T[],
  measure: (value: T) => number,
  mostValues: number,
  mostPieces: number,
): { taken: T[]; pieces: number } {
  const taken: T[] = []
  let pieces = 0
  for (const value of values) {
    if (taken.length === mostValues) break
    if (pieces + measure(value) > mostPieces) continue
    pieces += measure(value)
    taken.push(value)
  }
  return { taken, pieces }
}

/** Signs the calls of underpriced transactions again, unless their signer was removed. */
export async function signReplacements(
  { network: { chainId }, observation: { head, market }, cap, now }: World,
  decisions: readonly Decision[],
  capacities: readonly Capacity[],
): Promise<TransactionChange[]> {
  const replacements: TransactionChange[] = []
  const isTooLow = ({ do: action, transaction }: Decision) =>
    action === 'send' && market !== null && isUnderpriced(transaction, market, false)
  if (market && decisions.some(isTooLow))
    log.error('fees_above_cap', { chainId, ...feeTexts(market), cap: String(cap) })
  for (const decision of decisions) {
    if (decision.do !== 'replace' || !decision.transaction.raw) continue
    const { transaction, fees } = decision
    const { contract: to, nonce, gas, raw } = decision.transaction
    const capacity = capacities.find(({ signer }) => signer.address === transaction.signer)
    if (!capacity) continue
    const { signer, funds } = capacity
    // The old fees are taken off already.
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
