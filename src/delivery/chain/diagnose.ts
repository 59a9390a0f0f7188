/** Why items cannot be delivered: what those say that fail in a simulation, and why their tokens refuse. */
import { type Hex, numberToHex, zeroAddress } from 'viem'
import { type Node, otherNodes } from '../../chain/nodes.ts'
import type { Rpc } from '../../chain/rpc.ts'
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
import { explain, type Reason } from '../reasons.ts'
import type { Candidate } from '../rules/compose.ts'
import {
  type ItemChange,
  needsConfirmation,
  queue,
  wait,
  waitOrFail,
} from '../rules/item-changes.ts'
import { type Circumstances, type Failing, simulate } from './simulate.ts'

/** Items of which a step asks why they would fail. More would delay the others. */
const MAX_DIAGNOSED = 20
/** Milliseconds until an item is processed again that a step did not ask about. */
const UNDIAGNOSED_DELAY = 30_000

/** Items fail only if a second node, where there is one, says so too. */
export async function diagnose(
  failing: readonly Failing[],
  circumstances: Circumstances,
  { network, node, now }: { network: Network; node: Node; now: Date },
): Promise<ItemChange[]> {
  if (failing.length === 0) return []
  const reasons = await findReasons(node.rpc, network, failing)
  const doubtful = failing.filter(({ candidate }) => {
    const reason = reasons.get(candidate)
    return reason && needsConfirmation(candidate.item, reason, now)
  })
  const confirmed = await confirm(network, node, doubtful, circumstances)
  return failing.map(({ candidate, result }) => {
    const { item } = candidate
    const reason = reasons.get(candidate)
    if (reason) return waitOrFail(item, reason, confirmed.has(candidate), now)
    const next = new Date(now.getTime() + UNDIAGNOSED_DELAY)
    // What it waits for is still the best that is known, and its time goes on.
    if (item.failingSince && item.reasonCode) return queue(item, next)
    const said = typeof result === 'string' ? undefined : revertReason(result.reason)
    return { ...wait(item, explain('simulation_failed', said), now), dueAt: next.toISOString() }
  })
}

/**
 * Returns the reasons of items that would fail. Equal ones are asked about once. An item has no
 * entry if there are too many, or if the node does not tell.
 */
async function findReasons(rpc: Rpc, { gasPerItem }: Network, failing: readonly Failing[]) {
  const reasons = new Map<Candidate, Reason>()
  const unclear: (Failing & { result: ItemResult })[] = []
  for (const { batch, candidate, result } of failing) {
    // What the Delivery contract itself says.
    const code =
      typeof result === 'string'
        ? result
        : readContractReason(Number(result.gasUsed), result.reason)
    if (code) reasons.set(candidate, explain(code))
    else if (typeof result !== 'string') unclear.push({ batch, candidate, result })
  }
  const isOutOfGas = ({ gasUsed }: ItemResult) => gasUsed > gasPerItem * 0.95
  // Items of the same holder and token have the same holder's problem.
  const groups = [
    ...Map.groupBy(unclear, ({ candidate: { contract, call }, result }) => {
      const { token, from, to, tokenId, amount } = call
      const recipient = isOutOfGas(result) && to
      return [contract, token, from, tokenId, amount, result.reason, recipient].join()
    }).values(),
  ]
    .slice(0, MAX_DIAGNOSED)
    .flatMap(([first, ...others]) => {
      if (!first) return []
      const by = { relayer: first.batch.relayer, delivery: first.candidate.contract }
      return { by, first, members: [first, ...others] }
    })
  const replies = await rpc(
    groups.flatMap(({ by, first }) => refusalRequests(by, first.candidate.call)),
  )
  for (const { by, first, members } of groups) {
    const failure = { said: first.result.reason, gasPerItem }
    const refusal = readRefusal(by, first.candidate.call, failure, replies)
    if (refusal === undefined) continue
    const ofRecipient = ({ reason }: ItemResult) =>
      explain('recipient_rejects', revertReason(reason))
    for (const { candidate, result } of members)
      reasons.set(
        candidate,
        refusal ?? (isOutOfGas(result) ? explain('gas_limit_exceeded') : ofRecipient(result)),
      )
  }
  return reasons
}

/** Returns those of the candidates that would fail at another node, too. */
async function confirm(
  network: Network,
  node: Node,
  doubtful: readonly Failing[],
  circumstances: Circumstances,
): Promise<ReadonlySet<Candidate>> {
  if (network.rpcUrls.length === 1 || doubtful.length === 0)
    return new Set(doubtful.map(({ candidate }) => candidate))
  const [other] = otherNodes(network, node)
  if (!other) return new Set()
  const again = [...Map.groupBy(doubtful, ({ batch }) => batch)].map(([batch, members]) => ({
    ...batch,
    candidates: members.map(({ candidate }) => candidate),
  }))
  const simulation = await simulate(other.rpc, network, again, circumstances)
  return new Set(simulation.failing.map(({ candidate }) => candidate))
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
