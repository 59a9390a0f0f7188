/** Why deliveries cannot be made: what those say that fail in a simulation, and why their tokens refuse. */
import { findTwo } from '../../chain/claims.ts'
import { askOne } from '../../chain/nodes.ts'
import { saleObstacles } from '../../db/schema/catalogue.ts'
import type { Network } from '../../env.ts'
import type { ItemResult } from '../../ethereum/contract.ts'
import { readContractReason, revertReason } from '../../ethereum/revert.ts'
import { makeTrialKeys } from '../key.ts'
import { explain, type Reason, rules } from '../reasons.ts'
import {
  type DeliveryChange,
  needsConfirmation,
  queue,
  wait,
  waitOrFail,
} from '../rules/delivery-changes.ts'
import { askRefusals, readRefusal } from './refusal.ts'
import type { Asked, Failure } from './simulate.ts'

/** Deliveries of which a step asks why they would fail. More would delay the others. */
const MAX_DIAGNOSED = 20
/** Milliseconds until a delivery is processed again that a step did not ask about. */
const UNDIAGNOSED_DELAY = 30_000

/**
 * Deliveries fail only if a second node, where there is one, says so too. If it gives another reason, the one
 * counts for which a delivery waits longer.
 */
export async function diagnose(
  failing: readonly (readonly Failure[])[],
  {
    network,
    isAlone,
    lease,
    secret,
  }: Pick<Asked, 'network' | 'lease'> & { isAlone: boolean; secret: string },
  now: Date,
): Promise<DeliveryChange[]> {
  const suffices = isAlone || network.rpcUrls.length === 1
  await lease.renew()
  const ask = (failures: readonly Failure[]) => findReasons(network, failures, { secret, now })
  const reasons = await ask(failing.flatMap(([first]) => first ?? []))
  const doubtful = failing.flatMap(([first, ...others]) => {
    const reason = first && reasons.get(first)
    if (!reason) return []
    // What all say stops the sale at once.
    const isObstacle = saleObstacles.some((code) => code === reason.reasonCode)
    return isObstacle || needsConfirmation(first.candidate.delivery, reason, now) ? others : []
  })
  await lease.renew()
  const others = await ask(doubtful)
  return failing.flatMap(([first, ...rest]) => {
    if (!first) return []
    const { candidate, result, tellers } = first
    const reason = reasons.get(first)
    if (reason) {
      const further = rest
        .filter((failure) => failure.tellers > 1 || typeof failure.result !== 'string')
        .flatMap((failure) => others.get(failure) ?? [])
      const two = findTwo('reason', [reason, ...further], ({ reasonCode }) => reasonCode)
      // Each simulation asks all nodes what a text says, so a second one repeats it.
      const isConfirmed =
        suffices || tellers > 1 || (typeof result !== 'string' && further.length > 0)
      const agreed = two?.[0] ?? findLongest(reason, further)
      return {
        ...waitOrFail(candidate.delivery, agreed, isConfirmed, now),
        // What `readRefusal` finds is that of an account without code. What a simulation finds may be the
        // recipient's doing.
        stopsSale: typeof result !== 'string' && (two !== null || network.rpcUrls.length === 1),
      }
    }
    const { delivery } = candidate
    const next = new Date(now.getTime() + UNDIAGNOSED_DELAY)
    // What it waits for is still the best that is known, and its time goes on.
    if (delivery.waitingSince && delivery.reasonCode) return queue(delivery, next)
    const said = typeof result === 'string' ? undefined : revertReason(result.reason)
    return { ...wait(delivery, explain('simulation_failed', said), now), dueAt: next.toISOString() }
  })
}

/** Returns the reason for which a delivery waits longest. */
const findLongest = (first: Reason, others: readonly Reason[]): Reason =>
  others.reduce((longest, reason) => {
    const waits = ({ reasonCode }: Reason) => rules[reasonCode].waits ?? Infinity
    return waits(reason) > waits(longest) ? reason : longest
  }, first)

/**
 * Returns the reasons that nodes give for what they do not deliver. Equal failures are asked about once. One
 * has no entry if there are too many, or if its node does not tell.
 */
async function findReasons(
  { gasPerItem }: Network,
  failures: readonly Failure[],
  { secret, now }: { secret: string; now: Date },
) {
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
  // Deliveries of the same holder and token have the same holder's problem.
  const kinds = [
    ...Map.groupBy(unclear, ({ node, candidate: { contract, call }, result }) => {
      const { token, from, to, tokenId, amount } = call
      const recipient = isOutOfGas(result) && to
      return [node.index, contract, token, from, tokenId, amount, result.reason, recipient].join()
    }).values(),
  ].slice(0, MAX_DIAGNOSED)
  const ownKeys = kinds.map(([first]) => first?.candidate.delivery.key)
  const keys = await makeTrialKeys(secret, ownKeys, now)
  const groups = kinds.flatMap((members, i) => {
    const [first] = members
    if (!first) return []
    const { batch, candidate } = first
    const by = { relayer: batch.relayer, contract: candidate.contract, gasPerItem }
    return { by, item: { ...candidate.call, key: keys[i] ?? '0x' }, first, members }
  })
  const byNode = Map.groupBy(groups, ({ first }) => first.node)
  await Promise.all(
    [...byNode].map(async ([node, ofNode]) => {
      const replies = await askRefusals((requests) => askOne(node, requests), ofNode)
      for (const { by, item, first, members } of ofNode) {
        const refusal = readRefusal(by, item, { said: first.result.reason }, replies)
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
