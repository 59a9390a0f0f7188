/** What the relayers can send: their free nonces, their funds, and the pieces that they may move. */
import type { Address } from 'viem'
import { larger, lower } from '../../ethereum/fees.ts'
import type { Signer } from '../../ethereum/signer.ts'
import type { DeliveryTransaction, Loaded, Observation } from '../model.ts'
import { type Candidate, countPieces, savedRoom } from './compose.ts'
import { findHighestCount } from './decide.ts'

/** Returns the calls that are in no block as far as is known. */
export const findUnmined = ({ transactions, mined }: Loaded, { signers }: Observation) =>
  transactions.filter(
    ({ signer, nonce, items }) =>
      items.length > 0 &&
      nonce >= Math.max(signers.get(signer)?.count ?? 0, mined.get(signer)?.nextNonce ?? 0),
  )

/** Transactions of one signer that may be in no block as far as two nodes tell: nodes keep about as many. */
export const MAX_UNMINED = 64

/** What a relayer can send besides its transactions that are not mined. */
export type Capacity = {
  signer: Signer
  /** How many of its transactions no node calls mined. */
  inFlight: number
  /** The lowest nonces that are free. To leave one out would block those after it. */
  nonces: number[]
  /** Expired transactions by nonce. Their nonces are signed again. */
  expired: Map<number, DeliveryTransaction>
  /** Wei, as the node tells that has most, without what its transactions that are not mined may cost. */
  funds: bigint
  /** How many of these only some nodes tell. */
  disputedFunds: bigint
  /** Pieces that it may move now, by contract. */
  pieces: Map<Address, number>
}

export function readCapacity(
  signer: Signer,
  loaded: Loaded,
  observation: Observation,
  transactionsInFlight: number,
): Capacity {
  const { address } = signer
  const isOwn = (transaction: DeliveryTransaction) => transaction.signer === address
  const state = observation.signers.get(address)
  const count = Math.max(state?.count ?? 0, loaded.mined.get(address)?.nextNonce ?? 0)
  const isUsable = observation.isAlone || !observation.doubted.has(address)
  const unmined = findUnmined(loaded, observation).filter(isOwn)
  // What one node calls mined takes no place: the other one may stand still, or hide it.
  const inFlight = unmined.filter(({ nonce }) => nonce >= findHighestCount(state)).length
  const most = Math.min(transactionsInFlight - inFlight, MAX_UNMINED - unmined.length)
  const room = isUsable ? most : 0
  const leftBy = (state?.told ?? []).map(({ count, balance }) =>
    unmined
      .filter(({ nonce }) => nonce >= count)
      .reduce((left, { gas, maxFeePerGas }) => left - gas * maxFeePerGas, balance),
  )
  const funds = leftBy.reduce(larger, leftBy[0] ?? 0n)
  const expired = loaded.transactions.filter((t) => isOwn(t) && t.items.length === 0)
  const used = new Set(unmined.map(({ nonce }) => nonce))
  const nonces: number[] = []
  for (let nonce = count; nonces.length < room; nonce++) if (!used.has(nonce)) nonces.push(nonce)
  const submitted = (contract: Address) =>
    unmined
      .filter((transaction) => transaction.contract === contract)
      .flatMap(({ items }) => items.flatMap((id) => loaded.carried.get(id) ?? []))
      .reduce((sum, { quantity }) => sum + quantity, 0)
  return {
    signer,
    inFlight,
    nonces,
    expired: new Map(expired.map((transaction) => [transaction.nonce, transaction])),
    funds,
    disputedFunds: funds - leftBy.reduce(lower, funds),
    pieces: new Map(
      [...observation.contracts].map(([contract, { limits }]) => [
        contract,
        (limits.get(address)?.available ?? 0) - submitted(contract),
      ]),
    ),
  }
}

/**
 * Gives the delivery that has waited longest for room its turn, so that smaller ones do not take the room
 * away for ever. It goes first once it fits. Until then, the relayer with most room saves half of what
 * flows back (`savedRoom`).
 */
export function saveRoom(
  candidates: readonly Candidate[],
  capacities: readonly Capacity[],
  contracts: Observation['contracts'],
  now: Date,
): readonly Candidate[] {
  const [longest] = candidates
    .filter(({ delivery }) => delivery.reasonCode === 'relayer_limit_reached')
    .toSorted((a, b) => `${a.delivery.waitingSince}`.localeCompare(`${b.delivery.waitingSince}`))
  if (!longest) return candidates
  const { delivery, contract } = longest
  const pieces = countPieces(delivery)
  const limits = contracts.get(contract)?.limits
  const [saving] = capacities
    .flatMap((capacity) => {
      const limit = limits?.get(capacity.signer.address)
      return limit && limit.leastCapacity >= pieces ? { capacity, limit } : []
    })
    .toSorted((a, b) => findPieces(b.capacity, contract) - findPieces(a.capacity, contract))
  if (!saving) return candidates
  const { capacity, limit } = saving
  const room = findPieces(capacity, contract)
  if (room >= pieces) return [longest, ...candidates.filter((candidate) => candidate !== longest)]
  const bucket = { capacity: limit.leastCapacity, perDay: limit.perDay }
  capacity.pieces.set(contract, room - savedRoom(bucket, pieces, now))
  return candidates
}

/** Deliveries of one contract that go into one transaction. `relayer`: who asks in the simulation. */
export type Batch<Of = Candidate> = { contract: Address; relayer: Address; candidates: Of[] }

/** A delivery that would succeed, with the gas that its token uses. */
export type Deliverable = Candidate & { gasUsed: number }

/**
 * Divides candidates into as many batches as the relayers have room for. `left`: deliveries that no relayer
 * may move now, or that more transactions would have to carry.
 */
export function divide(
  candidates: readonly Candidate[],
  itemsPerTransaction: number,
  capacities: readonly Capacity[],
): { batches: Batch[]; left: Candidate[] } {
  const batches: Batch[] = []
  const allLeft: Candidate[] = []
  let nonces = countNonces(capacities)
  for (const [contract, ofContract] of Map.groupBy(candidates, ({ contract }) => contract)) {
    const left = capacities.map((capacity) => findPieces(capacity, contract))
    let rest = ofContract
    for (; nonces > 0; nonces--) {
      const most = Math.max(0, ...left)
      const position = left.indexOf(most)
      const relayer = capacities[position]?.signer.address
      const { taken, pieces } = takeFitting(rest, itemsPerTransaction, most)
      if (!relayer || taken.length === 0) break
      left[position] = most - pieces
      batches.push({ contract, relayer, candidates: taken })
      const isTaken = new Set(taken)
      rest = rest.filter((candidate) => !isTaken.has(candidate))
    }
    allLeft.push(...rest)
  }
  return { batches, left: allLeft }
}

export const countNonces = (capacities: readonly Capacity[]): number =>
  capacities.reduce((sum, { nonces }) => sum + nonces.length, 0)

/** The pieces that a relayer may move now; 0 if it can send nothing. */
export const findPieces = ({ nonces, pieces }: Capacity, contract: Address): number =>
  nonces.length > 0 ? (pieces.get(contract) ?? 0) : 0

/** Takes the first candidates that fit, without those that are too large for what is left. */
export function takeFitting(
  candidates: readonly Candidate[],
  mostDeliveries: number,
  mostPieces: number,
): { taken: Candidate[]; pieces: number } {
  const taken: Candidate[] = []
  let pieces = 0
  for (const candidate of candidates) {
    if (taken.length === mostDeliveries) break
    const added = countPieces(candidate.delivery)
    if (pieces + added > mostPieces) continue
    pieces += added
    taken.push(candidate)
  }
  return { taken, pieces }
}
