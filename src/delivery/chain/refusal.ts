/** Why a token refuses a transfer or a mint. */
import { type Hex, numberToHex, zeroAddress } from 'viem'
import type { ContractItem } from '../../ethereum/contract.ts'
import { simulate } from '../../ethereum/requests.ts'
import { readRevert, revertReason } from '../../ethereum/revert.ts'
import type { Replies, RpcRequest } from '../../ethereum/rpc.ts'
import { encodeTransfer, holdingRequest, permissionRequest, word } from '../../ethereum/token.ts'
import { type Deliverer, readTrial, trialRequest } from '../../ethereum/trial.ts'
import { explain, type Reason } from '../reasons.ts'

/** Gas with which a trial finds out how much is needed: the most that `gasPerItem` can be. */
const AMPLE_GAS = 10_000_000

/** Gas of a call of the token itself. With more, it could return megabytes. */
const CALL_GAS = numberToHex(2_000_000)

/** A recipient without code, which accepts every token. */
export const PLAIN_ACCOUNT = '0x00000000000000000000000000000000FEEdBEeF'

function requestsOf(by: Deliverer, item: ContractItem) {
  const plain = { ...item, to: PLAIN_ACCOUNT } as const
  const call = { to: item.token, data: encodeTransfer(plain), gas: CALL_GAS }
  return {
    plain: trialRequest(by, plain, AMPLE_GAS),
    own: trialRequest(by, item, AMPLE_GAS),
    // For a node that cannot try it.
    direct: simulate({ ...call, from: by.delivery }),
    // Needs no approval.
    ofHolder: simulate({ ...call, from: item.from }),
    isPermitted: permissionRequest(item.token, by.delivery, item.from),
    holding: holdingRequest(item),
  }
}

/** Requests that tell why an item cannot be delivered. */
export const refusalRequests = (by: Deliverer, item: ContractItem): RpcRequest[] =>
  Object.values(requestsOf(by, item))

/**
 * Returns why an item cannot be delivered. `said`: what the token reverted with, if its delivery was
 * simulated and fails. Null: nothing but this recipient can be the cause. Undefined: the node does not
 * tell.
 */
export function readRefusal(
  by: Deliverer,
  item: ContractItem,
  { said, gasPerItem }: { said?: Hex; gasPerItem: number },
  replies: Replies,
): Reason | null | undefined {
  const { plain, own, direct, ofHolder, isPermitted, holding } = requestsOf(by, item)
  const isMint = item.from === zeroAddress
  const trial = readTrial(replies(plain))
  if ('fault' in replies(direct)) return undefined
  if (trial?.isAccepted ?? 'result' in replies(direct)) {
    if (trial && !trial.isExact && said === undefined)
      return explain(isMint ? 'mint_not_exact' : 'token_moved_nothing')
    // It may take a quantity.
    if (!trial && isMint && item.amount === 0n) return undefined
    const gasUsed = [trial, readTrial(replies(own))].map((one) =>
      one?.isAccepted ? one.gasUsed : 0,
    )
    return explainGas(Math.max(...gasUsed), gasPerItem)
  }
  const told = said === '0x' ? undefined : said
  const reason = revertReason(told ?? trial?.reason ?? '0x')
  const permission = word(replies(isPermitted))
  if (isMint) return explain(permission === 0n ? 'minter_role_missing' : 'mint_refused', reason)
  const held = word(replies(holding))
  const hasToken = item.amount === 0n ? held === BigInt(item.from) : (held ?? 0n) >= item.amount
  if (held !== null && !hasToken) return explain('holder_has_no_token', reason)
  const refused = permission === 0n ? readRevert(replies(ofHolder)) : reason
  return refused === null
    ? explain('holder_not_approved', reason)
    : explain('token_not_transferable', refused)
}

/** A call that calls others needs more than it uses: 1/64 is kept back at each (EIP-150). */
const GAS_MARGIN = 0.9

function explainGas(used: number, gasPerItem: number): Reason | null {
  if (used <= gasPerItem * GAS_MARGIN) return null
  const needed = Math.ceil(used / GAS_MARGIN / 10_000) * 10_000
  return explain(
    'gas_limit_exceeded',
    `it needs ${needed}, so raise gasPerItem of the network, which is ${gasPerItem}`,
  )
}
