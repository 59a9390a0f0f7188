/**
 * Gives out nonces and fees: a pure function of what the transfers need, what the signer has and
 * what the network asks. Only what passed its simulation gets a nonce, so there are no gaps.
 */
import type { Address } from 'viem'
import type { Network } from '../env.ts'
import { type Action, type Facts, newestOf } from './decide.ts'
import { type Fees, feesFor, feesToReplace } from './fees.ts'
import { callIn, type Unsigned } from './sign.ts'
import type { Account, StoredTransaction, Transfer } from './state.ts'

export type Need = { transfer: Transfer; action: Action }
export type Step = Need & { draft: Unsigned | null }

/** Why nothing is signed that would have to be: for the operator, once a batch. */
export const obstacles = {
  stopped: 'signing is stopped until the transfer in review is looked at',
  poor: 'the signer has not enough funds for the fees',
  dear: 'the network asks more for gas than maxFeePerGasGwei allows',
} as const
const FULL = 'as many transfers are on their way as maxInFlight allows'

const GWEI = 1_000_000_000

export function allot(
  needs: readonly Need[],
  facts: Facts,
  account: Account,
  network: Network,
  signer: Address,
): Step[] {
  const cap = BigInt(Math.round(network.maxFeePerGasGwei * GWEI))
  const fees = feesFor(facts.market, cap)
  // What the chain has not counted yet is still on its way.
  const used = facts.counts.get(signer) ?? 0
  let room = network.maxInFlight - Math.max(0, account.nextNonce - used)
  let funds = facts.balance
  for (const { nonce, cost } of account.recent) if (nonce >= used) funds -= BigInt(Math.ceil(cost))
  let nonce = Math.max(account.nextNonce, used)

  return needs.map(({ transfer, action }): Step => {
    if (action.do === 'replace') {
      const { draft, reason } = replacement(transfer, action.kind, facts, account, cap, signer)
      return { transfer, action: { do: 'send', reason }, draft }
    }
    if (action.do !== 'sign') return { transfer, action, draft: null }
    const cost = action.gas * (fees?.maxFeePerGas ?? 0n)
    const reason = obstacle(account, fees, room, cost > funds)
    if (reason || !fees) return { transfer, action: { do: 'wait', reason }, draft: null }
    room -= 1
    funds -= cost
    const { chainId } = network
    const { id: transferId, generation } = transfer
    const first = { transferId, generation, chainId, nonce, attempt: 0, kind: 'transfer' } as const
    nonce += 1
    return { transfer, action, draft: { ...first, ...action.call, gas: action.gas, ...fees } }
  })
}

function obstacle(account: Account, fees: Fees | null, room: number, isPoor: boolean) {
  if (account.isStopped) return obstacles.stopped
  if (!fees) return obstacles.dear
  if (room <= 0) return FULL
  return isPoor ? obstacles.poor : null
}

/** The next attempt at the same nonce: the same call, or the no-op that cancels it. */
function replacement(
  transfer: Transfer,
  kind: StoredTransaction['kind'],
  { market }: Facts,
  { isStopped }: Account,
  cap: bigint,
  signer: Address,
): { draft: Unsigned | null; reason: string | null } {
  const newest = newestOf(transfer)
  if (newest.signer !== signer)
    return { draft: null, reason: 'it was signed with another key, so its fee stays as it is' }
  if (isStopped) return { draft: null, reason: obstacles.stopped }
  const old = {
    maxFeePerGas: BigInt(newest.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(newest.maxPriorityFeePerGas),
  }
  const fees = feesToReplace(old, market, cap)
  if (!fees) return { draft: null, reason: obstacles.dear }
  const { transferId, generation, chainId, nonce } = newest
  const next = { transferId, generation, chainId, nonce, attempt: newest.attempt + 1, kind }
  const call = kind === 'cancel' ? { to: signer, data: '0x' as const } : callIn(newest.raw)
  return { draft: { ...next, ...call, gas: BigInt(newest.gas), ...fees }, reason: null }
}
