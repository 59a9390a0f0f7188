/** From items to calls of the Delivery contract. */
import type { Address } from 'viem'
import type { Network } from '../../env.ts'
import { otherNodes } from '../../ethereum/node.ts'
import {
  amountOf,
  cancelItem,
  parseTransfer,
  readStandard,
  readTrouble,
  type Standard,
  standardQuestions,
} from '../../ethereum/token.ts'
import { log } from '../../log.ts'
import type { Candidate } from './assign.ts'
import { judge, LATER, type Problem } from './failure.ts'
import { fail, type Move, postpone, queue } from './moves.ts'
import { contractOf, type Observation } from './observe.ts'
import type { Item } from './state.ts'

const ONE_PIECE: Problem = {
  cause: 'item',
  reason: 'an ERC-721 token has one piece, so the quantity must be 1',
}

/** At the address of a contract, somebody else may have a contract on another chain. */
function onOtherChain(item: Item, { chainId, treasury }: Network): string | null {
  const wallets = {
    'the recipient': item.recipientChainId,
    "the seller's wallet": treasury ? 0 : item.sellerChainId,
  }
  for (const [wallet, walletChainId] of Object.entries(wallets))
    if (walletChainId !== 0 && walletChainId !== chainId)
      return `${wallet} is a contract on chain ${walletChainId}, and the NFT is on chain ${chainId}`
  return null
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
    transfer:
      onOtherChain(item, network) ??
      parseTransfer({ ...item, holder: network.treasury ?? item.seller }),
  }))
  const tokens = parsed.flatMap(({ transfer }) =>
    typeof transfer === 'string' ? [] : transfer.token,
  )
  const troubles = await learnStandards(network, node, new Set(tokens))
  let isBlocked = false
  for (const { item, contract, transfer } of parsed) {
    const state = contracts.get(contract)
    const isUsable = state && !state.isPaused
    if (contract === network.delivery && !isUsable) isBlocked = true
    else if (!isUsable || (contract !== network.delivery && state.allowances.size === 0)) {
      const reason = `the delivery contract ${contract} is paused, has no relayer or does not answer`
      moves.push(postpone(item, reason, later))
    } else if (item.wish === 'cancel')
      candidates.push({ item, contract, call: cancelItem(item.key) })
    else if (typeof transfer === 'string') moves.push(fail(item, transfer))
    else {
      const standard = standards.get(idOf(network, transfer.token))
      const trouble = troubles.get(transfer.token)
      if (trouble)
        moves.push(judge(item, { cause: 'item', reason: trouble.reason }, trouble.isConfirmed, now))
      else if (!standard) moves.push(queue(item, later))
      else if (standard === 'erc721' && transfer.quantity !== 1n)
        moves.push(judge(item, ONE_PIECE, true, now))
      else {
        const call = { ...transfer, key: item.key, amount: amountOf(transfer, standard) }
        candidates.push({ item, contract, call })
      }
    }
  }
  if (isBlocked) log.error('contract_unavailable', { chainId: network.chainId })
  return { candidates, moves, isBlocked }
}

type TokenTrouble = { reason: string; isConfirmed: boolean }

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
  for (const { ask } of other ? [node, other] : [node]) {
    const unknown = [...tokens].filter((token) => !standards.has(idOf(network, token)))
    const replies = await ask(unknown.flatMap(standardQuestions))
    for (const token of unknown) {
      const standard = readStandard(token, replies)
      const reason = standard ? null : readTrouble(token, replies)
      if (standard) {
        standards.set(idOf(network, token), standard)
        troubles.delete(token)
      } else if (reason) {
        const isConfirmed = network.rpcUrls.length === 1 || troubles.has(token)
        troubles.set(token, { reason, isConfirmed })
      }
    }
  }
  return troubles
}
