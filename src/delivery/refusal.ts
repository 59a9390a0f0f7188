/** Why a token refuses a transfer or a mint. */
import { type Hex, numberToHex, zeroAddress } from 'viem'
import type { ContractItem } from '../ethereum/contract.ts'
import { simulate } from '../ethereum/requests.ts'
import { revertReason } from '../ethereum/revert.ts'
import type { Replies, RpcRequest } from '../ethereum/rpc.ts'
import { encodeTransfer, holdingRequest, permissionRequest, word } from '../ethereum/token.ts'
import { type Deliverer, readTrial, trialRequest } from '../ethereum/trial.ts'
import { explain, type Reason } from './reasons.ts'

/** Gas with which a trial finds out how much is needed: the most that `gasPerItem` can be. */
const AMPLE_GAS = 10_000_000

/** Gas of a call of the token itself. With more, it could return megabytes. */
const CALL_GAS = numberToHex(2_000_000)

/** The item for a recipient without code, which accepts every token. */
const toPlainAccount = (item: ContractItem): ContractItem => ({
  ...item,
  to: '0x00000000000000000000000000000000FEEdBEeF',
})

const requestsOf = (by: Deliverer, item: ContractItem) => ({
  plain: trialRequest(by, [toPlainAccount(item)], AMPLE_GAS),
  own: trialRequest(by, [item], AMPLE_GAS),
  // For a node that cannot try it.
  direct: simulate({
    from: by.delivery,
    to: item.token,
    data: encodeTransfer(toPlainAccount(item)),
    gas: CALL_GAS,
  }),
  isPermitted: permissionRequest(item.token, by.delivery, item.from),
  holding: holdingRequest(item),
})

/** Requests that tell why an item cannot be delivered. */
export const refusalRequests = (by: Deliverer, item: ContractItem): RpcRequest[] =>
  Object.values(requestsOf(by, item))

/**
 * Returns why an item cannot be delivered that fails with `gasPerItem`. `said`: what the token
 * reverted with. Null: only this recipient is the cause. Undefined: the node does not tell.
 */
export function readRefusal(
  by: Deliverer,
  item: ContractItem,
  { said, gasPerItem }: { said: Hex; gasPerItem: number },
  replies: Replies,
): Reason | null | undefined {
  const { plain, own, direct, isPermitted, holding } = requestsOf(by, item)
  if ('fault' in replies(direct)) return undefined
  const trials = [readTrial(replies(plain)), readTrial(replies(own))]
  if (trials[0]?.isAccepted ?? 'result' in replies(direct)) {
    const needed = Math.max(...trials.map((trial) => (trial?.isAccepted ? trial.gasUsed : 0)))
    return needed > gasPerItem * GAS_MARGIN ? explainGas(needed, gasPerItem) : null
  }
  const reason = revertReason(said)
  const permission = word(replies(isPermitted))
  if (item.from === zeroAddress)
    return explain(permission === 0n ? 'minter_role_missing' : 'mint_refused', reason)
  const held = word(replies(holding))
  const hasToken = item.amount === 0n ? held === BigInt(item.from) : (held ?? 0n) >= item.amount
  if (held !== null && !hasToken) return explain('holder_has_no_token', reason)
  return explain(permission === 0n ? 'holder_not_approved' : 'token_not_transferable', reason)
}

/** A call that calls others needs more than it uses: 1/64 is kept back at each (EIP-150). */
const GAS_MARGIN = 0.9

const explainGas = (used: number, gasPerItem: number) => {
  const needed = Math.ceil(used / GAS_MARGIN / 10_000) * 10_000
  return explain(
    'gas_limit_exceeded',
    `it needs ${needed}, so raise gasPerItem of the network, which is ${gasPerItem}`,
  )
}
