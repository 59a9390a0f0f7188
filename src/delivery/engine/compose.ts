/** From items to calls of the Delivery contract. */
import type { Address } from 'viem'
import type { Network } from '../../env.ts'
import { otherNodes } from '../../ethereum/node.ts'
import {
  cancelItem,
  contractAmount,
  parseTransfer,
  readStandard,
  readTrouble,
  type Standard,
  standardRequests,
  type Transfer,
} from '../../ethereum/token.ts'
import { log } from '../../log.ts'
import { explain, type Reason } from '../reasons.ts'
import type { Candidate } from './assign.ts'
import { judge, LATER, type Problem } from './failure.ts'
import { fail, type Move, postpone, queue } from './moves.ts'
import { contractOf, type Observation } from './observe.ts'
import type { Item } from './state.ts'

const ONE_PIECE: Problem = { cause: 'item', ...explain('single_piece_token') }

/** At the address of a contract, somebody else may have a contract on another chain. */
function onOtherChain(item: Item, { chainId, treasury }: Network): Reason | null {
  const isOther = (walletChainId: number) => walletChainId !== 0 && walletChainId !== chainId
  const detail = (walletChainId: number) => `chain ${walletChainId} instead of ${chainId}`
  if (isOther(item.recipientChainId))
    return explain('recipient_on_other_chain', detail(item.recipientChainId))
  if (!treasury && isOther(item.sellerChainId))
    return explain('seller_on_other_chain', detail(item.sellerChainId))
  return null
}

/** Returns the transfer of an item, or why there can be none. */
function readTransfer(item: Item, network: Network): Transfer | Reason {
  const otherChain = onOtherChain(item, network)
  if (otherChain) return otherChain
  const transfer = parseTransfer({ ...item, holder: network.treasury ?? item.seller })
  return typeof transfer === 'string' ? explain(transfer) : transfer
}

const idOf = ({ chainId }: Network, token: Address) => `${chainId} ${token}`

/** Standards of tokens by chain and address, for the life of the isolate. */
const standards = new Map<string, Standard>()

/** `isBlocked`: the Delivery contract is paused or does not answer. */
type Composed = { candidates: Candidate[]; moves: Move[]; isBlocked: boolean }

/** Returns the calls that deliver items, and what becomes of items that cannot be called. */
export async function compose(
  network: Network,
  items: readonly Item[],
  { node, contracts }: Observation,
  now: Date,
): Promise<Composed> {
  const candidates: Candidate[] = []
  const moves: Move[] = []
  const later = new Date(now.getTime() + LATER)
  const parsed = items.map((item) => ({
    item,
    contract: contractOf(item, network, contracts),
    transfer: readTransfer(item, network),
  }))
  const tokens = parsed.flatMap(({ transfer }) => ('token' in transfer ? transfer.token : []))
  const troubles = await learnStandards(network, node, new Set(tokens))
  let isBlocked = false
  for (const { item, contract, transfer } of parsed) {
    const state = contracts.get(contract)
    const isUsable = state && !state.isPaused
    if (contract === network.delivery && !isUsable) isBlocked = true
    else if (!isUsable || (contract !== network.delivery && state.allowances.size === 0)) {
      const code = !state
        ? 'contract_unavailable'
        : state.isPaused
          ? 'contract_paused'
          : 'no_relayer'
      moves.push(postpone(item, explain(code, contract), later))
    } else if (item.requestedAction === 'cancel')
      candidates.push({ item, contract, call: cancelItem(item.key) })
    else if ('reasonCode' in transfer) moves.push(fail(item, transfer))
    else {
      const standard = standards.get(idOf(network, transfer.token))
      const trouble = troubles.get(transfer.token)
      if (trouble) moves.push(judge(item, trouble, trouble.isConfirmed, now))
      else if (!standard) moves.push(queue(item, later))
      else if (standard === 'erc721' && transfer.quantity !== 1n)
        moves.push(judge(item, ONE_PIECE, true, now))
      else {
        const call = { ...transfer, key: item.key, amount: contractAmount(transfer, standard) }
        candidates.push({ item, contract, call })
      }
    }
  }
  if (isBlocked) log.error('contract_unavailable', { chainId: network.chainId })
  return { candidates, moves, isBlocked }
}

type TokenTrouble = Problem & { isConfirmed: boolean }

/**
 * Asks for the standards of tokens that are not known. Returns why tokens have none, and whether a
 * second node, where there is one, says so too.
 */
async function learnStandards(
  network: Network,
  node: Observation['node'],
  tokens: ReadonlySet<Address>,
): Promise<Map<Address, TokenTrouble>> {
  const troubles = new Map<Address, TokenTrouble>()
  const [other] = otherNodes(network, node)
  for (const { rpc } of other ? [node, other] : [node]) {
    const unknown = [...tokens].filter((token) => !standards.has(idOf(network, token)))
    const replies = await rpc(unknown.flatMap(standardRequests))
    for (const token of unknown) {
      const standard = readStandard(token, replies)
      const code = standard ? null : readTrouble(token, replies)
      if (standard) {
        standards.set(idOf(network, token), standard)
        troubles.delete(token)
      } else if (code) {
        const isConfirmed = network.rpcUrls.length === 1 || troubles.has(token)
        troubles.set(token, { cause: 'item', ...explain(code), isConfirmed })
      }
    }
  }
  return troubles
}
