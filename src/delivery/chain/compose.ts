/** From items to calls of the Delivery contract. */
import type { Address } from 'viem'
import type { Network } from '../../env.ts'
import type { ContractItem, ContractState } from '../../ethereum/contract.ts'
import { cancelItem, contractAmount, parseTransfer, type Transfer } from '../../ethereum/token.ts'
import { log } from '../../log.ts'
import { countPieces, type Item, type SigningBlocker } from '../model.ts'
import { explain, type Reason } from '../reasons.ts'
import { type ItemChange, queue, stayDue, wait, waitOrFail } from '../rules/item-changes.ts'
import { findContract, findUnmined, type World } from './observe.ts'
import { isAgreed, readStandards, readTokenLimits } from './tokens.ts'

/** An item with the call that delivers it. */
export type Candidate = { item: Item; contract: Address; call: ContractItem }

type Composed = {
  candidates: Candidate[]
  changes: ItemChange[]
  /** Why the contract of the network delivers nothing; null if it does. */
  blocker: SigningBlocker | null
}

/** Returns the calls that deliver items, and what becomes of items that cannot be called. */
export async function compose(world: World, items: readonly Item[]): Promise<Composed> {
  const { network, loaded, observation, now } = world
  const { contracts } = observation
  const candidates: Candidate[] = []
  const changes: ItemChange[] = []
  let blocker: SigningBlocker | null = null
  const callable: { item: Item; contract: Address; transfer: Transfer }[] = []
  for (const item of items) {
    const contract = findContract(item, network, contracts)
    const state = contracts.get(contract)
    const unusable = !state ? 'contract_unavailable' : state.isPaused ? 'contract_paused' : null
    const code = unusable ?? (state?.limits.size === 0 ? 'no_relayer' : null)
    if (code && contract === network.delivery) {
      blocker = unusable ? 'contract_unavailable' : 'no_relayer'
      const change = stayDue(item, code, now)
      if (change) changes.push(change)
      continue
    }
    if (code) {
      changes.push(wait(item, explain(code, contract), now))
      continue
    }
    if (item.requestedAction === 'cancel') {
      candidates.push({ item, contract, call: cancelItem(item.key) })
      continue
    }
    const transfer = readTransfer(item, network)
    if ('reasonCode' in transfer) changes.push(waitOrFail(item, transfer, false, now))
    else if (item.isHeld) changes.push(wait(item, explain('gas_burned'), now, true))
    else callable.push({ item, contract, transfer })
  }
  if (blocker) log.error(blocker, { chainId: network.chainId, contract: network.delivery })
  const inFlight = findUnmined(world).flatMap(({ items }) =>
    items.flatMap((id) => loaded.carried.get(id) ?? []),
  )
  const all = [...new Set(callable.map(({ transfer }) => transfer.token))]
  const tokens = new Set(all.slice(0, maxTokens(network)))
  const asked = callable.filter(({ transfer }) => tokens.has(transfer.token))
  const pairs = asked.map(({ contract, transfer }) => ({ contract, token: transfer.token }))
  const [standards, limits] = await Promise.all([
    readStandards(network, observation.node, tokens),
    readTokenLimits(observation.node, pairs, inFlight),
  ])
  // Those of a later step do not delay the others.
  for (const { item, transfer } of callable)
    if (!tokens.has(transfer.token))
      changes.push(queue(item, new Date(now.getTime() + UNASKED_DELAY)))
  for (const { item, contract, transfer } of asked) {
    const standard = standards.get(transfer.token)
    const limit = limits.get(`${contract} ${transfer.token}`)
    const pieces = countPieces(item)
    const capacity = findCapacity(contracts.get(contract))
    const waits = (reason: Reason, isConfirmed = false) =>
      changes.push(waitOrFail(item, reason, isConfirmed, now))
    if (!standard || limit === undefined) waits(explain('node_unavailable'))
    else if (typeof standard === 'object') waits(standard, standard.isConfirmed)
    else if (standard === 'erc721' && transfer.quantity !== 1n)
      waits(explain('single_piece_token'), isAgreed(network, transfer.token))
    else if (item.fulfilment === 'mint' && !limit) waits(explain('token_limit_missing'))
    else if (pieces > capacity) waits(explain('quantity_above_limit', `at most ${capacity}`))
    else if (limit && pieces > limit.left)
      waits(explain('token_limit_reached', `${limit.capacity} pieces`))
    else {
      if (limit) limit.left -= pieces
      const call = { ...transfer, key: item.key, amount: contractAmount(transfer, standard) }
      candidates.push({ item, contract, call })
    }
  }
  return { candidates, changes, blocker }
}

/** Milliseconds until an item is processed again whose token a step did not ask about. */
const UNASKED_DELAY = 15_000

/** Tokens that a step asks about: with four calls for each, in eight seconds. */
const maxTokens = ({ callsPerSecond }: Network): number => Math.max(1, callsPerSecond * 2)

/** The most pieces that any relayer may move at once. */
const findCapacity = (state: ContractState | undefined): number =>
  state && state.limits.size > 0
    ? Math.max(...[...state.limits.values()].map(({ capacity }) => capacity))
    : Infinity

/** Returns the transfer of an item, or why there can be none. */
function readTransfer(item: Item, network: Network): Transfer | Reason {
  const { chainId, treasury } = network
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
