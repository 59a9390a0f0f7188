/** Why items cannot be delivered: what those say that fail in a simulation, and why their tokens refuse. */
import { type Hex, numberToHex, zeroAddress } from 'viem'
import { findTwo } from '../../chain/claims.ts'
import { askOne } from '../../chain/nodes.ts'
import type { Network } from '../../env.ts'
import type { ContractItem, ItemResult } from '../../ethereum/contract.ts'
import { type Replies, type RpcRequest, simulate as simulateCall } from '../../ethereum/requests.ts'
import { readContractReason, readRevert, revertReason } from '../../ethereum/revert.ts'
import {
  type Deliverer,
  encodeTransfer,
  holdingRequest,
  permissionRequest,
  readTrial,
  trialRequest,
  word,
} from '../../ethereum/token.ts'
import { explain, type Reason, rules } from '../reasons.ts'
import {
  type ItemChange,
  needsConfirmation,
  queue,
  wait,
  waitOrFail,
} from '../rules/item-changes.ts'
import type { Asked, Failure } from './simulate.ts'

/** Items of which a step asks why they would fail. More would delay the others. */
const MAX_DIAGNOSED = 20
/** Milliseconds until an item is processed again that a step did not ask about. */
const UNDIAGNOSED_DELAY = 30_000

/**
 * Items fail only if a second node, where there is one, says so too. If it gives another reason, the one
 * counts for which an item waits longer.
 */
export async function diagnose(
  failing: readonly (readonly Failure[])[],
  { network, isAlone, lease }: Pick<Asked, 'network' | 'lease'> & { isAlone: boolean },
  now: Date,
): Promise<ItemChange[]> {
  const suffices = isAlone || network.rpcUrls.length === 1
  await lease.renew()
  const reasons = await findReasons(
    network,
    failing.flatMap(([first]) => first ?? []),
  )
  const doubtful = failing.flatMap(([first, ...others]) => {
    const reason = first && reasons.get(first)
    return reason && needsConfirmation(first.candidate.item, reason, now) ? others : []
  })
  await lease.renew()
  const others = await findReasons(network, doubtful)
  return failing.flatMap(([first, ...rest]) => {
    if (!first) return []
    const { candidate, result, tellers } = first
    const reason = reasons.get(first)
    if (reason) {
      const further = rest.flatMap((failure) => others.get(failure) ?? [])
      const [agreed = findLongest(reason, further)] =
        findTwo('reason', [reason, ...further], ({ reasonCode }) => reasonCode) ?? []
      const isConfirmed = suffices || tellers > 1 || further.length > 0
      return waitOrFail(candidate.item, agreed, isConfirmed, now)
    }
    const { item } = candidate
    const next = new Date(now.getTime() + UNDIAGNOSED_DELAY)
    // What it waits for is still the best that is known, and its time goes on.
    if (item.failingSince && item.reasonCode) return queue(item, next)
    const said = typeof result === 'string' ? undefined : revertReason(result.reason)
    return { ...wait(item, explain('simulation_failed', said), now), dueAt: next.toISOString() }
  })
}

/** Returns the reason for which an item waits longest. */
const findLongest = (first: Reason, others: readonly Reason[]): Reason =>
  others.reduce((longest, reason) => {
    const waits = ({ reasonCode }: Reason) => rules[reasonCode].waits ?? Infinity
    return waits(reason) > waits(longest) ? reason : longest
  }, first)

/**
 * Returns the reasons that nodes give for what they do not deliver. Equal failures are asked about once. One
 * has no entry if there are too many, or if its node does not tell.
 */
async function findReasons({ gasPerItem }: Network, failures: readonly Failure[]) {
  const reasons = new Map<Failure, Reason>()
  const unclear: (Failure & { failure: Failure; result: ItemResult })[] = []
  for (const failure of failures) {
    const { result } = failure
    // What the Delivery contract itself says.
    const code =
      typeof result === 'string'
        ? result
        : readContractReason(Number(result.gasUsed), result.reason)
    if (code) reasons.set(failure, explain(code))
    else if (typeof result !== 'string') unclear.push({ ...failure, failure, result })
  }
  const isOutOfGas = ({ gasUsed }: ItemResult) => gasUsed > gasPerItem * 0.95
  // Items of the same holder and token have the same holder's problem.
  const groups = [
    ...Map.groupBy(unclear, ({ node, candidate: { contract, call }, result }) => {
      const { token, from, to, tokenId, amount } = call
      const recipient = isOutOfGas(result) && to
      return [node.index, contract, token, from, tokenId, amount, result.reason, recipient].join()
    }).values(),
  ]
    .slice(0, MAX_DIAGNOSED)
    .flatMap(([first, ...others]) => {
      if (!first) return []
      const by = { relayer: first.batch.relayer, delivery: first.candidate.contract }
      return { by, first, members: [first, ...others] }
    })
  const byNode = Map.groupBy(groups, ({ first }) => first.node)
  await Promise.all(
    [...byNode].map(async ([node, ofNode]) => {
      const replies = await askOne(
        node,
        ofNode.flatMap(({ by, first }) => refusalRequests(by, first.candidate.call)),
      )
      for (const { by, first, members } of ofNode) {
        const said = { said: first.result.reason, gasPerItem }
        const refusal = readRefusal(by, first.candidate.call, said, replies)
        if (refusal === undefined) continue
        const ofRecipient = ({ reason }: ItemResult) =>
          explain('recipient_rejects', revertReason(reason))
        for (const { failure, result } of members)
          reasons.set(
            failure,
            refusal ?? (isOutOfGas(result) ? explain('gas_limit_exceeded') : ofRecipient(result)),
          )
      }
    }),
  )
  return reasons
}

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
    direct: simulateCall({ ...call, from: by.delivery }),
    // Needs no approval.
    ofHolder: simulateCall({ ...call, from: item.from }),
    isPermitted: permissionRequest(item.token, by.delivery, item.from),
    holding: holdingRequest(item),
  }
}

export const refusalRequests = (by: Deliverer, item: ContractItem): RpcRequest[] =>
  Object.values(requestsOf(by, item))

/** Returns why a transfer that the token accepts is not the one that was asked for; null if it is. */
export function readInexactness(by: Deliverer, item: ContractItem, replies: Replies) {
  const { plain, direct } = requestsOf(by, item)
  const trial = readTrial(replies(plain))
  if (!trial?.isAccepted || trial.isExact || 'fault' in replies(direct)) return null
  return explain(item.from === zeroAddress ? 'mint_not_exact' : 'token_moved_nothing')
}

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
