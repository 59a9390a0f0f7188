/** Why a token refuses an item: trials of it in a node, and what they mean. */
import { type Hex, numberToHex, zeroAddress } from 'viem'
import type { Rpc } from '../../chain/nodes.ts'
import { type ContractItem, decodeResults, encodeDeliver } from '../../ethereum/contract.ts'
import {
  contractCode,
  hex,
  type Replies,
  type Reply,
  type RpcRequest,
  read,
  simulateCall,
} from '../../ethereum/requests.ts'
import { readContractReason, readRevert, revertReason } from '../../ethereum/revert.ts'
import {
  type Deliverer,
  encodeTransfer,
  holdingRequest,
  lacksFunction,
  permissionRequest,
  plainAccount,
  readHolding,
  readTrial,
  signatureOf,
  trialRequest,
  word,
} from '../../ethereum/token.ts'
import { explain, type Reason } from '../reasons.ts'

/** Gas with which a trial finds out how much is needed: the most that `gasPerItem` can be. */
const AMPLE_GAS = 10_000_000
/** Gas of a call of the token itself. With more, it could return megabytes. */
const CALL_GAS = numberToHex(2_000_000)
/** The most gas of a transaction (EIP-7825). */
const MAX_GAS = 16_777_216
/** A deadline that is never over, in seconds since 1970. */
const NO_DEADLINE = 253_402_300_799

/** Who delivers, and with how much gas for the call of a token. */
export type Trier = Deliverer & { gasPerItem: number }

/** The same item for an account without code. Its key is that of a trial, as a delivery key is public. */
const toPlainAccount = (item: ContractItem): ContractItem => ({
  ...item,
  to: plainAccount(item.key),
})

/** Asks whether a token accepts an item. Of most tokens, nothing else has to be asked. */
export const acceptanceRequest = (by: Trier, item: ContractItem): RpcRequest =>
  trialRequest(by, toPlainAccount(item), AMPLE_GAS)

function requestsOf(by: Trier, item: ContractItem) {
  const call = { to: item.token, data: encodeTransfer(toPlainAccount(item)), gas: CALL_GAS }
  return {
    plain: acceptanceRequest(by, item),
    own: trialRequest(by, item, AMPLE_GAS),
    // For a node that cannot try it.
    direct: simulateCall({ ...call, from: by.contract }),
    // Needs no approval.
    ofHolder: simulateCall({ ...call, from: item.from }),
    isPermitted: permissionRequest(item.token, by.contract, item.from),
    holding: holdingRequest(item),
    code: contractCode(item.token),
  }
}

export const refusalRequests = (by: Trier, item: ContractItem): RpcRequest[] =>
  Object.values(requestsOf(by, item))

/** What the Delivery contract itself does with the item, for an account without code. */
function decisiveRequest({ relayer, contract, gasPerItem }: Trier, item: ContractItem): RpcRequest {
  const data = encodeDeliver([toPlainAccount(item)], 0, gasPerItem, NO_DEADLINE)
  const gas = numberToHex(Math.min(MAX_GAS, 2 * gasPerItem + 500_000))
  return simulateCall({ from: relayer, to: contract, data, gas })
}

/**
 * Whether a trial refuses a transfer that a call from the Delivery contract makes. Some tokens allow
 * operators by the hash of their code, which is another one in a trial; others look at the relayer.
 */
function isContested(by: Trier, item: ContractItem, replies: Replies): boolean {
  const { plain, direct } = requestsOf(by, item)
  const isRefused = readTrial(replies(plain))?.isAccepted === false
  return item.from !== zeroAddress && isRefused && 'result' in replies(direct)
}

/** Asks what `readRefusal` needs of the items. */
export async function askRefusals(
  rpc: Rpc,
  asked: readonly { by: Trier; item: ContractItem }[],
): Promise<Replies> {
  const replies = await rpc(asked.flatMap(({ by, item }) => refusalRequests(by, item)))
  const contested = asked.filter(({ by, item }) => isContested(by, item, replies))
  if (contested.length === 0) return replies
  const decisions = await rpc(contested.map(({ by, item }) => decisiveRequest(by, item)))
  return (request) => {
    const reply = replies(request)
    return 'fault' in reply ? decisions(request) : reply
  }
}

/**
 * Tries an item, for an account without code. Returns why it cannot be delivered; null if it can, undefined
 * if the node does not tell.
 */
export async function tryItem(
  rpc: Rpc,
  by: Trier,
  item: ContractItem,
): Promise<Reason | null | undefined> {
  const request = acceptanceRequest(by, item)
  const reply = (await rpc([request]))(request)
  if ('fault' in reply) return undefined
  const accepted = readAcceptance(by, item, reply)
  if (accepted !== undefined) return accepted
  return readRefusal(by, item, {}, await askRefusals(rpc, [{ by, item }]))
}

/**
 * Returns why a token that accepts an item must not be delivered nevertheless: other pieces would arrive
 * than those that were sold, or it needs too much gas. Null: it can be delivered. Undefined: the token
 * refuses it, or the node does not tell.
 */
export function readAcceptance({ gasPerItem }: Trier, item: ContractItem, reply: Reply) {
  const trial = readTrial(reply)
  if (!trial?.isAccepted) return undefined
  if (trial.isExact) return explainGas(trial.gasUsed, gasPerItem)
  return explain(item.from === zeroAddress ? 'mint_not_exact' : 'token_moved_nothing')
}

/**
 * Returns why an item cannot be delivered, from the answers that `askRefusals` has got. `said`: what the
 * token reverted with, if its delivery was simulated and fails. Null: nothing but this recipient can be
 * the cause. Undefined: the node does not tell.
 */
export function readRefusal(
  by: Trier,
  item: ContractItem,
  { said }: { said?: Hex },
  replies: Replies,
): Reason | null | undefined {
  const { plain, own, direct, ofHolder, isPermitted, code } = requestsOf(by, item)
  const isMint = item.from === zeroAddress
  const trial = readTrial(replies(plain))
  if ('fault' in replies(direct)) return undefined
  if (trial?.isAccepted ?? 'result' in replies(direct)) {
    // It may take a quantity.
    if (!trial && isMint && item.amount === 0n) return undefined
    const gasUsed = [trial, readTrial(replies(own))].map((one) =>
      one?.isAccepted ? one.gasUsed : 0,
    )
    return explainGas(Math.max(...gasUsed), by.gasPerItem)
  }
  if (isContested(by, item, replies)) {
    const isRefused = readDecision(replies(decisiveRequest(by, item)))
    if (isRefused === null) return undefined
    if (!isRefused) return null
  }
  const refusal = trial?.reason ?? '0x'
  const reason = revertReason(said && said !== '0x' ? said : refusal)
  const permission = word(replies(isPermitted))
  if (isMint && refusal === '0x' && permission !== null && lacksFunction(item, replies(code)))
    return explain('mint_not_exact', `the token has no ${signatureOf(item)}`)
  if (isMint) return explain(permission === 0n ? 'minter_role_missing' : 'mint_refused', reason)
  if (readHolding(item, replies) === false) return explain('holder_has_no_token', reason)
  const refused = permission === 0n ? readRevert(replies(ofHolder)) : reason
  return refused === null
    ? explain('holder_not_approved', reason)
    : explain('token_not_transferable', refused)
}

/**
 * Whether the token refuses an item that the Delivery contract was asked to deliver. Null: the contract
 * does not call the token at present, or the node does not tell.
 */
function readDecision(reply: Reply): boolean | null {
  const data = read(hex, reply)
  const [result] = (data && decodeResults(data)) || []
  if (result?.outcome === 'delivered') return false
  if (result?.outcome !== 'failed') return null
  return readContractReason(Number(result.gasUsed), result.reason) === null ? true : null
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
