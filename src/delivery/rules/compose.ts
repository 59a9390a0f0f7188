/** From items to calls of the Delivery contract. */
import type { Address } from 'viem'
import type { Network } from '../../env.ts'
import type { ContractItem, ContractState } from '../../ethereum/contract.ts'
import {
  cancelItem,
  contractAmount,
  parseTransfer,
  type Standard,
  type Transfer,
} from '../../ethereum/token.ts'
import type { Item, SigningBlocker } from '../model.ts'
import { explain, type Reason } from '../reasons.ts'
import { type ItemChange, stayDue, wait, waitOrFail } from './item-changes.ts'

/** The pieces that the contract charges for an item. */
export const countPieces = ({ requestedAction, quantity }: Item): number =>
  requestedAction === 'cancel' ? 1 : quantity

/** An item with the call that delivers it. */
export type Candidate = { item: Item; contract: Address; call: ContractItem }

/** An item with the transfer that it asks for. The call depends on the token. */
export type Requested = { item: Item; contract: Address; transfer: Transfer }

/** What the Delivery contracts say, by address. One that does not answer is left out. */
type ContractStates = ReadonlyMap<Address, ContractState>

/**
 * Returns the contract that delivers an item. It stays with the contract of its first transaction,
 * which may still be mined there. Only a retired contract can deliver nothing more.
 */
export const findContract = (
  { contract }: Item,
  { delivery }: Pick<Network, 'delivery'>,
  contracts: ContractStates,
): Address => (contract && !contracts.get(contract)?.isRetired ? contract : delivery)

/**
 * Returns the calls that items need, and what becomes of items for which no call can be made.
 * `blocker`: why the contract of the network delivers nothing; null if it does.
 */
export function sortItems(
  items: readonly Item[],
  network: Pick<Network, 'chainId' | 'delivery' | 'treasury'>,
  contracts: ContractStates,
  now: Date,
) {
  const cancellations: Candidate[] = []
  const requested: Requested[] = []
  const changes: ItemChange[] = []
  let blocker: SigningBlocker | null = null
  for (const item of items) {
    const contract = findContract(item, network, contracts)
    const code = findObstacle(contracts.get(contract))
    if (code && contract === network.delivery) {
      blocker = code === 'no_relayer' ? code : 'contract_unavailable'
      const change = stayDue(item, code, now)
      if (change) changes.push(change)
    } else if (code) changes.push(wait(item, explain(code, contract), now))
    else if (item.requestedAction === 'cancel')
      cancellations.push({ item, contract, call: cancelItem(item.key) })
    else {
      const transfer = readTransfer(item, network)
      if ('reasonCode' in transfer) changes.push(waitOrFail(item, transfer, false, now))
      else if (item.isHeld) changes.push(wait(item, explain('gas_burned'), now, true))
      else requested.push({ item, contract, transfer })
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
  item: Item,
  { chainId, treasury }: Pick<Network, 'chainId' | 'treasury'>,
): Transfer | Reason {
  // At the address of a contract, somebody else may have a contract on another chain.
  const isOther = (walletChainId: number) => walletChainId !== 0 && walletChainId !== chainId
  const detail = (walletChainId: number) => `chain ${walletChainId} instead of ${chainId}`
  if (isOther(item.recipientChainId))
    return explain('recipient_on_other_chain', detail(item.recipientChainId))
  const isMint = item.fulfilment === 'mint'
  if (!treasury && !isMint && isOther(item.sellerChainId))
    return explain('seller_on_other_chain', detail(item.sellerChainId))
  const transfer = parseTransfer({ ...item, holder: isMint ? null : (treasury ?? item.seller) })
  return typeof transfer === 'string' ? explain(transfer) : transfer
}

/**
 * The standard of a token, or why it has none. `isConfirmed`: all nodes tell the same; of a reason, that
 * a second node, where there is one, says so too.
 */
export type TokenStandard = { isConfirmed: boolean } & ({ standard: Standard } | { reason: Reason })

/** `left`: pieces that may be moved besides those in flight. */
export type TokenLimit = { capacity: number; left: number }

/** What nodes say of the tokens. The limits are by contract and token (`limitKey`). */
type Tokens = {
  standards: ReadonlyMap<Address, TokenStandard>
  limits: ReadonlyMap<string, TokenLimit | null>
}

export const limitKey = (contract: Address, token: Address): string => `${contract} ${token}`

/**
 * Returns the calls of transfers, and what becomes of items whose tokens do not allow them. Takes the
 * pieces off the limits of the tokens.
 */
export function makeCalls(
  requested: readonly Requested[],
  { standards, limits }: Tokens,
  contracts: ContractStates,
  now: Date,
): { candidates: Candidate[]; changes: ItemChange[] } {
  const candidates: Candidate[] = []
  const changes: ItemChange[] = []
  for (const { item, contract, transfer } of requested) {
    const token = standards.get(transfer.token)
    const limit = limits.get(limitKey(contract, transfer.token))
    const pieces = countPieces(item)
    const capacity = findCapacity(contracts.get(contract))
    const waits = (reason: Reason, isConfirmed = false) =>
      changes.push(waitOrFail(item, reason, isConfirmed, now))
    if (!token || limit === undefined) waits(explain('node_unavailable'))
    else if ('reason' in token) waits(token.reason, token.isConfirmed)
    else if (token.standard === 'erc721' && transfer.quantity !== 1n)
      waits(explain('single_piece_token'), token.isConfirmed)
    else if (item.fulfilment === 'mint' && !limit) waits(explain('token_limit_missing'))
    else if (pieces > capacity) waits(explain('quantity_above_limit', `at most ${capacity}`))
    else if (limit && pieces > limit.left)
      waits(explain('token_limit_reached', `${limit.capacity} pieces`))
    else {
      if (limit) limit.left -= pieces
      const call = { ...transfer, key: item.key, amount: contractAmount(transfer, token.standard) }
      candidates.push({ item, contract, call })
    }
  }
  return { candidates, changes }
}

/** The most pieces that any relayer may move at once. */
const findCapacity = (state: ContractState | undefined): number =>
  state && state.limits.size > 0
    ? Math.max(...[...state.limits.values()].map(({ capacity }) => capacity))
    : Infinity
