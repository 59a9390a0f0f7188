/**
 * The third phase of a step: signs calls for the due deliveries whose keys are unused, and what is underpriced
 * again. Once that is stored, sends it, and once more what is in no block.
 */

import { zeroAddress } from 'viem'
import { askOne } from '../chain/nodes.ts'
import type { Network } from '../env.ts'
import { broadcastRequest } from '../ethereum/requests.ts'
import { loggedMessage } from '../ethereum/revert.ts'
import { log } from '../log.ts'
import { MINUTE } from '../time.ts'
import { diagnose } from './chain/diagnose.ts'
import { findMintTroubles } from './chain/mints.ts'
import type { Observed } from './chain/observe.ts'
import { simulate } from './chain/simulate.ts'
import { readStandards, readTokenLimits } from './chain/tokens.ts'
import type { Delivery, DeliveryTransaction, Observation, SigningBlocker } from './model.ts'
import { explain } from './reasons.ts'
import {
  type Capacity,
  countNonces,
  divide,
  findUnmined,
  readCapacity,
  saveRoom,
} from './rules/capacity.ts'
import { makeCalls, type Requested, sortDeliveries } from './rules/compose.ts'
import { DEADLINE, type Decision, PATIENCE } from './rules/decide.ts'
import { queue, stayDue, wait } from './rules/delivery-changes.ts'
import { type Signed, signBatches, signReplacements } from './sign.ts'
import type { Disagreement } from './store/disagreements.ts'
import type { NewTransaction, TransactionChange } from './store/transactions.ts'

/** Milliseconds after which a transaction that is in no block is sent through every node. */
const LATE = MINUTE / 2
/** Milliseconds until a delivery is processed again whose token a step did not ask about. */
const UNASKED_TOKEN_DELAY = 15_000

/** `secret`: that of the keys of trials. */
type Input = Observed & { secret: string }

/**
 * Signs what is to be sent. `unrecorded`: the due deliveries whose keys are unused. `newTransactions`: those
 * for deliveries, without those that are signed again with higher fees.
 */
export async function prepareCalls(
  unrecorded: readonly Delivery[],
  decisions: readonly Decision[],
  input: Input,
) {
  const { network, loaded, observation, signers, now } = input
  const capacities = signers.map((signer) =>
    readCapacity(signer, loaded, observation, network.transactionsInFlight),
  )
  const working = capacities.filter(
    ({ signer: { address } }) =>
      (loaded.signers.get(address)?.pausedUntil ?? '') <= now.toISOString(),
  )
  const { transactions, deliveries, blocker, disagreements } = await signDeliveries(
    unrecorded,
    working,
    input,
  )
  const replaced = await signReplacements(decisions, capacities, input)
  return {
    changes: { transactions: [...replaced, ...transactions], deliveries },
    newTransactions: transactions.length,
    blocker,
    disagreements,
  }
}

/** Signs the calls of deliveries. The others wait or fail, or are left as they are. */
async function signDeliveries(
  due: readonly Delivery[],
  capacities: readonly Capacity[],
  input: Input,
): Promise<Signed & { disagreements: Disagreement[] }> {
  const { network, observation, now, lease, secret } = input
  const { chainId, delivery: contract } = network
  const { nodes, head, market, contracts, isAlone } = observation
  const asked = { network, nodes, lease }
  if (due.length === 0)
    return { transactions: [], deliveries: [], blocker: null, disagreements: [] }
  await lease.renew()
  const composed = await compose(due, input)
  const { candidates, deliveries, disagreements } = composed
  if (!market) {
    log.error('fees_unknown', { chainId })
    return { transactions: [], deliveries, blocker: 'fees_unknown', disagreements }
  }
  let blocker: SigningBlocker | null = composed.blocker
  const ordered = saveRoom(candidates, capacities, contracts, now)
  const { batches, left } = divide(ordered, network.itemsPerTransaction, capacities)
  const isBusy = batches.length >= countNonces(capacities)
  if (!isBusy)
    deliveries.push(
      ...left.flatMap(({ delivery }) => stayDue(delivery, 'relayer_limit_reached', now) ?? []),
    )
  if (batches.length === 0 && candidates.length > 0) {
    blocker = isBusy ? 'signers_busy' : 'relayer_limit_reached'
    if (!isBusy) log.error(blocker, { chainId, contract })
  }

  const deadline = head.timestamp + DEADLINE
  const circumstances = {
    deadline,
    gasPrice: market.baseFee + market.tip,
    funds: new Map(
      capacities.map(({ signer, funds, disputedFunds }) => [signer.address, funds - disputedFunds]),
    ),
  }
  const simulation = await simulate(asked, batches, circumstances)
  for (const reason of simulation.unanswered) {
    blocker = 'simulation_failed'
    log.error(blocker, { chainId, reason })
  }
  deliveries.push(
    // They are tried without the others.
    ...simulation.unreached.map(({ delivery }) => queue(delivery, now)),
    ...simulation.unclear.map(({ delivery }) => wait(delivery, explain('node_unavailable'), now)),
  )
  deliveries.push(...(await diagnose(simulation.failing, { ...asked, isAlone, secret }, now)))
  await lease.renew()
  const signed = await signBatches(simulation.good, capacities, { market, deadline }, input)
  return {
    transactions: signed.transactions,
    deliveries: [...deliveries, ...signed.deliveries],
    blocker: signed.blocker ?? blocker,
    disagreements: [...disagreements, ...simulation.disagreements],
  }
}

/** Returns the calls of deliveries, and what becomes of those that cannot be called. */
async function compose(
  due: readonly Delivery[],
  { network, loaded, observation, relayers, lease, secret, now }: Input,
) {
  const { nodes, contracts } = observation
  const { cancellations, requested, changes, blocker } = sortDeliveries(
    due,
    network,
    contracts,
    now,
  )
  if (blocker) log.error(blocker, { chainId: network.chainId, contract: network.delivery })
  // With four calls for each token, this takes eight seconds.
  const mostTokens = Math.max(1, network.callsPerSecond * 2)
  const tokens = [...new Set(requested.map(({ transfer }) => transfer.token))].slice(0, mostTokens)
  const isAsked = ({ transfer }: Requested) => tokens.includes(transfer.token)
  const asked = requested.filter(isAsked)
  const inFlight = findUnmined(loaded, observation).flatMap(({ items }) =>
    items.flatMap((id) => loaded.carried.get(id) ?? []),
  )
  const [relayer = zeroAddress] = relayers
  const by = { network, nodes, relayer, lease }
  const [{ standards, ...ofStandards }, { limits, ...ofLimits }] = await Promise.all([
    readStandards(by, asked),
    readTokenLimits(nodes, asked, inFlight),
  ])
  await lease.renew()
  const troubles = await findMintTroubles(by, asked, { standards, limits }, { secret, now })
  const calls = makeCalls(asked, { standards, limits, troubles }, contracts, now)
  // Those of a later step do not delay the others.
  const later = requested
    .filter((request) => !isAsked(request))
    .map(({ delivery }) => queue(delivery, new Date(now.getTime() + UNASKED_TOKEN_DELAY)))
  const isWaiting = calls.staying.length === due.length
  return {
    candidates: [...cancellations, ...calls.candidates],
    deliveries: [...changes, ...later, ...calls.changes],
    blocker: isWaiting ? ('token_limit_reached' as const) : blocker,
    disagreements: [...ofStandards.disagreements, ...ofLimits.disagreements],
  }
}

/** How nodes say that they have the transaction, or another one at its nonce. */
const isKnown =
  /already ?(known|imported|exists)|known transaction|nonce too low|replacement .*underpriced/i

/**
 * Broadcasts what was signed in this step and what is in no block, by ascending nonce. Whatever the
 * node answers, a transaction may have been accepted, so the answers decide nothing.
 */
export async function broadcast(
  network: Network,
  { node, nodes, head }: Pick<Observation, 'node' | 'nodes' | 'head'>,
  decisions: readonly Decision[],
  signed: readonly (NewTransaction | TransactionChange)[],
  now: Date,
): Promise<void> {
  const isReplaced = ({ id }: DeliveryTransaction) =>
    signed.some((change) => 'id' in change && change.id === id)
  const unmined = decisions.flatMap(({ do: action, transaction }) =>
    action === 'send' || (action === 'replace' && !isReplaced(transaction)) ? transaction : [],
  )
  const sorted = [...unmined, ...signed]
    .flatMap(({ hash, raw, nonce, signedAtBlock, signedAt }) =>
      raw && hash && nonce !== undefined && signedAtBlock !== undefined && signedAt !== undefined
        ? { hash, raw, nonce, signedAtBlock, signedAt }
        : [],
    )
    .sort((a, b) => a.nonce - b.nonce)
  if (sorted.length === 0) return
  // The node that leads may stand still.
  const late = new Date(now.getTime() - LATE).toISOString()
  const overdue = sorted.filter(
    ({ signedAtBlock, signedAt }) => head.number - signedAtBlock >= PATIENCE || signedAt <= late,
  )
  const others = overdue.length > 0 ? nodes.filter((other) => other !== node) : []
  const requestsOf = (list: typeof sorted) => list.map(({ raw }) => broadcastRequest(raw))
  const [replies] = await Promise.all([
    askOne(node, requestsOf(sorted)),
    ...others.map((other) => askOne(other, requestsOf(overdue))),
  ])
  for (const { hash, raw, nonce } of sorted) {
    const reply = replies(broadcastRequest(raw))
    const text = 'error' in reply ? reply.error.message : 'fault' in reply ? reply.fault : ''
    if (!text || isKnown.test(text)) continue
    const reason = loggedMessage(text)
    log.error('broadcast_failed', { chainId: network.chainId, nonce, hash, reason })
  }
}
