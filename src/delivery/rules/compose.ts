/** From deliveries to calls of the Delivery contract. */
import type { Address } from 'viem'
import type { Network } from '../../env.ts'
import type { ContractItem, ContractState } from '../../ethereum/contract.ts'
import {
  cancelItem,
  contractAmount,
  isOnChain,
  parseTransfer,
  type Standard,
  type TokenTransfer,
} from '../../ethereum/token.ts'
import { DAY, MINUTE } from '../../time.ts'
import { holderOf, treasuryOf } from '../holder.ts'
import type { Delivery, ObservedContract, SigningBlocker } from '../model.ts'
import { explain, type Reason } from '../reasons.ts'
import { type DeliveryChange, MAX_TRIES, stayDue, wait, waitOrFail } from './delivery-changes.ts'

/** The pieces that the contract charges for a delivery. */
export const countPieces = ({ requestedAction, quantity }: Delivery): number =>
  requestedAction === 'cancel' ? 1 : quantity

/** A delivery with its call of the contract. */
export type Candidate = { delivery: Delivery; contract: Address; call: ContractItem }

/** A delivery with the transfer that it asks for. The call depends on the token. */
export type Requested = { delivery: Delivery; contract: Address; transfer: TokenTransfer }

/** What the Delivery contracts say, by address. One that does not answer is left out. */
type ContractStates = ReadonlyMap<Address, ObservedContract>

/**
 * Returns the contract that makes a delivery. It stays with the contract of its newest transaction,
 * which may still be mined there, until that contract is retired.
 */
export const findContract = (
  { contract }: Delivery,
  network: Pick<Network, 'delivery'>,
  contracts: ContractStates,
): Address => (contract && !contracts.get(contract)?.isRetired ? contract : network.delivery)

/**
 * Returns the calls that deliveries need, and what becomes of deliveries for which no call can be made.
 * `blocker`: why the contract of the network delivers nothing; null if it does.
 */
export function sortDeliveries(
  deliveries: readonly Delivery[],
  network: Pick<Network, 'chainId' | 'delivery' | 'treasury'>,
  contracts: ContractStates,
  now: Date,
) {
  const cancellations: Candidate[] = []
  const requested: Requested[] = []
  const changes: DeliveryChange[] = []
  let blocker: SigningBlocker | null = null
  for (const delivery of deliveries) {
    const contract = findContract(delivery, network, contracts)
    const code = findObstacle(contracts.get(contract))
    if (code && contract === network.delivery) {
      blocker = code === 'no_relayer' ? code : 'contract_unavailable'
      const change = stayDue(delivery, code, now)
      if (change) changes.push(change)
    } else if (code) changes.push(wait(delivery, explain(code, contract), now))
    else if (delivery.tries + delivery.withoutEffect >= MAX_TRIES)
      changes.push(wait(delivery, explain('transfer_without_effect'), now, true))
    else if (delivery.requestedAction === 'cancel')
      cancellations.push({ delivery, contract, call: cancelItem(delivery.key) })
    else {
      const transfer = readTransfer(delivery, network)
      if ('reasonCode' in transfer) changes.push(waitOrFail(delivery, transfer, false, now))
      else if (delivery.isStoppedByBurns)
        changes.push(wait(delivery, explain('gas_burned'), now, true))
      else requested.push({ delivery, contract, transfer })
    }
  }
  return { cancellations, requested, changes, blocker }
}

/** Returns why a contract delivers nothing; null if it does. */
function findObstacle(state: ContractState | undefined) {
  if (!state) return 'contract_unavailable'
  if (state.isPaused) return 'contract_paused'
  return state.limits.size === 0 ? 'no_relayer' : null
}

function readTransfer(
  delivery: Delivery,
  network: Pick<Network, 'chainId' | 'treasury'>,
): TokenTransfer | Reason {
  const { chainId } = network
  const detail = (walletChainId: number) => `chain ${walletChainId} instead of ${chainId}`
  if (!isOnChain(delivery.recipientChainId, chainId))
    return explain('recipient_on_other_chain', detail(delivery.recipientChainId))
  const isOfSeller = delivery.fulfilment !== 'mint' && !treasuryOf(delivery, network)
  if (isOfSeller && !isOnChain(delivery.sellerChainId, chainId))
    return explain('seller_on_other_chain', detail(delivery.sellerChainId))
  const transfer = parseTransfer({ ...delivery, holder: holderOf(delivery, network) })
  return typeof transfer === 'string' ? explain(transfer) : transfer
}

/**
 * The standards that nodes name of a token, of which it has one; or why it has none. `isConfirmed`: two nodes
 * tell the same, or there is only one.
 */
export type TokenStandards = { isConfirmed: boolean } & (
  | { standards: readonly Standard[] }
  | { reason: Reason }
)

/**
 * Returns by which standard a delivery is made next, or why by none; undefined if no node tells. Of two
 * standards, the other one after each transaction without effect, and in each minute that it waits.
 */
export function chooseStandard(
  { delivery, transfer }: Requested,
  standards: Tokens['standards'],
  now: Date,
) {
  const told = standards.get(transfer.token)
  if (!told || 'reason' in told) return told
  const { tries, withoutEffect, waitingSince } = delivery
  const waited = waitingSince ? now.getTime() - Date.parse(waitingSince) : 0
  const turn = tries + withoutEffect + Math.floor(waited / MINUTE)
  const standard = told.standards[turn % told.standards.length]
  return standard && { standard, isConfirmed: told.isConfirmed }
}

/** `left`: pieces that may be moved besides those in flight. */
type TokenLimit = { capacity: number; perDay: number; left: number }

/** Null: none is set. A mint needs one. */
export type TokenLimits = Record<'ofMints' | 'ofTransfers', TokenLimit | null>

/** What nodes say of the tokens. The limits are by contract and token (`limitKey`). */
export type Tokens = {
  standards: ReadonlyMap<Address, TokenStandards>
  limits: ReadonlyMap<string, TokenLimits>
  /** Why tokens refuse mints, although they have no limit. */
  troubles: ReadonlyMap<Delivery, Reason>
}

export const limitKey = (contract: Address, token: Address): string => `${contract} ${token}`

/** Undefined: no node tells it. */
const limitOf = ({ delivery, contract, transfer }: Requested, limits: Tokens['limits']) =>
  limits.get(limitKey(contract, transfer.token))?.[
    delivery.fulfilment === 'mint' ? 'ofMints' : 'ofTransfers'
  ]

/** Whether a delivery is a mint of a token that has no limit in its contract. */
export const isWithoutLimit = (request: Requested, limits: Tokens['limits']): boolean =>
  request.delivery.fulfilment === 'mint' && limitOf(request, limits) === null

/**
 * As `saveRoom` does for relayers: the delivery that waits longest for the limit of its token gets its turn.
 * `staying`: those for which room is saved. They have to be seen in each step, so they stay due.
 */
function saveTokenRoom(requested: readonly Requested[], limits: Tokens['limits'], now: Date) {
  const first: Requested[] = []
  const staying: Requested[] = []
  const waiting = requested
    .filter(({ delivery }) => delivery.reasonCode === 'token_limit_reached')
    .toSorted((a, b) => `${a.delivery.waitingSince}`.localeCompare(`${b.delivery.waitingSince}`))
  for (const [, [longest]] of Map.groupBy(waiting, (request) => limitOf(request, limits))) {
    const limit = longest && limitOf(longest, limits)
    if (!longest || !limit) continue
    const pieces = countPieces(longest.delivery)
    if (limit.left >= pieces) first.push(longest)
    else if (limit.capacity >= pieces) {
      limit.left -= savedRoom(limit, pieces, now)
      staying.push(longest)
    }
  }
  const others = requested.filter(
    (request) => !first.includes(request) && !staying.includes(request),
  )
  return { ordered: [...first, ...others], staying }
}

/**
 * Returns the pieces of a bucket that are saved for a large delivery: nothing at first, and in the time in
 * which it fills twice, all that it holds. This begins again after each 2.5 of these times, so that large
 * deliveries do not take all room either.
 */
export function savedRoom(
  { capacity, perDay }: Pick<TokenLimit, 'capacity' | 'perDay'>,
  pieces: number,
  now: Date,
): number {
  const filling = (capacity / perDay) * DAY
  return Math.min(pieces, (capacity * (now.getTime() % (2.5 * filling))) / (2 * filling))
}

/**
 * Returns the calls of transfers, and what becomes of deliveries whose tokens do not allow them. Takes the
 * pieces off the limits of the tokens. `staying`: those that stay due, and go on once the limit has room.
 */
export function makeCalls(
  requested: readonly Requested[],
  { standards, limits, troubles }: Tokens,
  contracts: ContractStates,
  now: Date,
): { candidates: Candidate[]; changes: DeliveryChange[]; staying: Requested[] } {
  const candidates: Candidate[] = []
  const changes: DeliveryChange[] = []
  const { ordered, staying } = saveTokenRoom(requested, limits, now)
  for (const request of ordered) {
    const { delivery, contract, transfer } = request
    const token = chooseStandard(request, standards, now)
    const limit = limitOf(request, limits)
    const pieces = countPieces(delivery)
    const trouble = troubles.get(delivery)
    const state = contracts.get(contract)
    const capacity = findCapacity(state)
    const waits = (reason: Reason, isConfirmed = false) =>
      changes.push(waitOrFail(delivery, reason, isConfirmed, now))
    if (!token || limit === undefined) waits(explain('node_unavailable'))
    else if ('reason' in token) waits(token.reason, token.isConfirmed)
    else if (token.standard === 'erc721' && transfer.quantity !== 1n)
      waits(explain('single_piece_token'), token.isConfirmed)
    else if (trouble) waits(trouble, true)
    else if (delivery.fulfilment === 'mint' && !limit) waits(explain('token_limit_missing'))
    else if (pieces > capacity)
      waits(explain('quantity_above_limit', `at most ${capacity}`), state?.isConfirmed)
    else if (limit && pieces > limit.left)
      waits(explain('token_limit_reached', `${limit.capacity} pieces`))
    else {
      if (limit) limit.left -= pieces
      const call = {
        ...transfer,
        key: delivery.key,
        amount: contractAmount(transfer, token.standard),
      }
      candidates.push({ delivery, contract, call })
    }
  }
  return { candidates, changes, staying }
}

/** The most pieces that any relayer may move at once. */
const findCapacity = (state: ContractState | undefined): number =>
  state && state.limits.size > 0
    ? Math.max(...[...state.limits.values()].map(({ capacity }) => capacity))
    : Infinity
