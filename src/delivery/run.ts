/**
 * A run works on one chain, step by step, until nothing is left to do at present.
 *
 * A step loads rows and asks all nodes but those that were silent just now; one of them leads. Then it has
 * three phases: the first closes what is open, the second compares keys with the chain, the third sends what
 * is due. What a phase decides is stored before nodes are asked again, which may take long. What is signed is
 * stored before it is sent, so a step that stops in between loses nothing: the next one sends the stored
 * bytes.
 */

import { callsSent, leaveOut, silence, slowNodes, stepNodes } from '../chain/nodes.ts'
import { batch } from '../db/batch.ts'
import { connect, type Database, isTransient } from '../db/client.ts'
import { type Network, readSettings, type Settings } from '../env.ts'
import { loggedMessage } from '../ethereum/revert.ts'
import { getSigner } from '../ethereum/signer.ts'
import { errorText, log } from '../log.ts'
import { observe, type StepInput } from './chain/observe.ts'
import { checkStored } from './checks.ts'
import { closeTransactions, logClosed } from './close.ts'
import { compareKeys } from './compare.ts'
import type { Loaded } from './model.ts'
import { recheckEnds } from './recheck.ts'
import { MAX_UNMINED } from './rules/capacity.ts'
import { countInFlight, nextLook } from './rules/decide.ts'
import type { DeliveryChange } from './rules/delivery-changes.ts'
import { broadcast, prepareCalls } from './send.ts'
import { NO_CHANGES } from './store/changes.ts'
import { type Disagreement, storeDisagreements } from './store/disagreements.ts'
import { storeFindings } from './store/findings.ts'
import {
  holdLease,
  Outdated,
  releaseChainLease,
  type StepOutcome,
  storeFailure,
} from './store/lease.ts'
import { load, MAX_LOADED } from './store/load.ts'
import { MAX_WAKE_DELAY, storeUnplanned, type WakeUp, wake } from './wake.ts'

/** Milliseconds that a run waits for a block itself. Longer waits are left to a message. */
const MAX_WAIT = 2_000
/** Milliseconds until a network is asked again that could not be worked on. */
const BLOCKED_DELAY = 15_000
/** Milliseconds after which a run ends, and a message continues its work. */
const MAX_DURATION = 120_000
/** The same if there are other networks: Queues starts no second consumer while one works. */
const SHARED_DURATION = 10_000
/** JSON-RPC calls after which a run ends, too. */
const MAX_CALLS = 3_000

/**
 * D1 statements after which no step begins. An invocation has 1,000: the others are for the last step,
 * for the release of the lease, and for storing why a run failed.
 */
const MAX_STATEMENTS = 800

export type Deps = {
  db: Database
  settings: Pick<Settings, 'NETWORKS' | 'TRANSFER_SIGNER_KEYS' | 'DELIVERY_KEY_SECRET'>
  queue: Queue<WakeUp>
  clock: () => Date
  /** Called after a step in which deliveries ended. */
  onEnd: (db: Database) => Promise<void>
}

/**
 * Works on the chains that the messages name. A message is only a hint, so it is never repeated:
 * if a run fails, the cron run wakes its chain again. `onEnd` is called whenever deliveries have ended.
 */
export async function consume(batch: MessageBatch<WakeUp>, env: Env, onEnd: Deps['onEnd']) {
  batch.ackAll()
  const deps = {
    db: connect(env.DB),
    settings: readSettings(env),
    queue: env.DELIVERIES,
    clock: () => new Date(),
    onEnd,
  }
  const isShared = Object.keys(deps.settings.NETWORKS).length > 1
  const duration = isShared ? SHARED_DURATION : MAX_DURATION
  const chainIds = [...new Set(batch.messages.map(({ body }) => body.chainId))]
  for (const [i, chainId] of chainIds.entries()) {
    // A message begins another invocation, with statements of its own.
    if (isExhausted(deps.db)) {
      await wake(deps.queue, chainIds.slice(i))
      return
    }
    const lease = crypto.randomUUID()
    await run(deps, chainId, lease, duration).catch((error) =>
      storeError(deps, chainId, lease, error),
    )
  }
}

const isExhausted = ({ $client }: Database): boolean => $client.trips.statements >= MAX_STATEMENTS

/** Gives the lease back, so that the cron run can wake the chain at once. An alarm tells of the error. */
async function storeError({ db, clock }: Deps, chainId: number, lease: string, error: unknown) {
  log.error('delivery_run_failed', { chainId, error })
  const reason = error instanceof Error ? loggedMessage(errorText(error)) : 'not an error'
  // Otherwise the lease expires, and who takes it then sees that it was not released.
  await storeFailure(db, chainId, lease, reason, clock()).catch((error) =>
    log.error('delivery_run_failed', { chainId, error }),
  )
}

/** Works on a chain, unless another run does. `duration`: milliseconds. */
export async function run(deps: Deps, chainId: number, lease: string, duration = MAX_DURATION) {
  const { db, settings, clock } = deps
  const network = Object.values(settings.NETWORKS).find((network) => network.chainId === chainId)
  if (!network) return log.error('unknown_chain', { chainId })
  const callsBefore = callsSent()
  const endAt = clock().getTime() + duration
  for (;;) {
    const done = await step(db, settings, network, lease, clock)
    if (!done) return
    if (done.hasEnded) await deps.onEnd(db)
    const now = clock().getTime()
    if (now >= endAt || callsSent() - callsBefore > MAX_CALLS || isExhausted(db)) {
      await finish(deps, lease, { ...done, lookAt: new Date(now), takesDeliveries: false })
      return
    }
    const wait = done.lookAt ? done.lookAt.getTime() - now : Infinity
    if (wait > MAX_WAIT) {
      if (!(await finish(deps, lease, done))) return
    } else if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

/** Releases the lease and plans the next run. Returns whether this one has to go on. */
async function finish({ db, queue, clock }: Deps, lease: string, done: Step): Promise<boolean> {
  const { network } = done.loaded
  const now = clock()
  const released = await releaseChainLease(db, network, lease, done, now)
  if (released?.isHeld) return true
  if (!released?.wakeAt || released.isPlanned) return false
  const delay = Math.ceil((Date.parse(released.wakeAt) - now.getTime()) / 1000)
  if (delay > MAX_WAKE_DELAY) return false
  const { chainId } = network
  const isSent = await wake(queue, [chainId], Math.max(0, delay))
  if (!isSent) await storeUnplanned(db, chainId, released.wakeAt, now)
  return false
}

/** `hasEnded`: whether deliveries have ended. */
type Worked = StepOutcome & { hasEnded: boolean }
type Step = Worked & { loaded: Loaded }

/** The next step follows at once: rows were corrected, or more is to be done with others. */
const goOn = (now: Date, hasEnded = false): Worked => ({
  lookAt: now,
  takesDeliveries: true,
  hasEnded,
  problem: null,
})

/** Deliveries are left as they are although they are due. `lookAt`: when transactions have to be looked at. */
function stop(problem: string | null, now: Date, hasEnded = false, lookAt: Date | null = null) {
  const retryAt = new Date(now.getTime() + BLOCKED_DELAY)
  const isSooner = lookAt !== null && lookAt < retryAt
  return { lookAt: isSooner ? lookAt : retryAt, takesDeliveries: false, hasEnded, problem }
}

const haveEnded = (deliveries: readonly DeliveryChange[]): boolean =>
  deliveries.some(({ transition }) => ['deliver', 'fail', 'cancel'].includes(transition))

/** Returns null if another run has the lease, or nothing is to be done. */
export async function step(
  db: Database,
  settings: Pick<Settings, 'TRANSFER_SIGNER_KEYS' | 'DELIVERY_KEY_SECRET'>,
  network: Network,
  leaseId: string,
  clock: () => Date,
): Promise<Step | null> {
  const now = clock()
  const signers = settings.TRANSFER_SIGNER_KEYS.map(getSigner)
  const relayers = signers.map(({ address }) => address)
  const lease = holdLease(db, network, leaseId, clock)
  const startedAt = Date.now()
  const loaded = await load(db, network, relayers, leaseId, now)
  if (!loaded) return null
  const input = { db, network, loaded, signers, relayers, now, lease }
  const worked = await work(input, settings.DELIVERY_KEY_SECRET).catch((error) => {
    if (error instanceof Outdated) {
      // Another run may have taken the lease while a node answered slowly.
      for (const node of slowNodes(network, startedAt))
        if (network.rpcUrls.length > 1) silence(network, node, 'the node answers slowly')
      return goOn(now)
    }
    // An answer that nobody has foreseen must not fail each run: the next one asks another node.
    const [asked] = stepNodes(network)
    if (asked && network.rpcUrls.length > 1 && !isTransient(error))
      leaveOut(network, asked, 'the run failed')
    throw error
  })
  return { loaded, ...worked }
}

/** An alarm tells of what lasts. */
async function tellDisagreements(
  db: Database,
  chainId: number,
  found: readonly Disagreement[],
  now: Date,
): Promise<void> {
  if (found.length === 0) return
  for (const { about } of found) log.error('nodes_disagree', { chainId, about })
  await batch(db, { stored: storeDisagreements(db, chainId, found, now) })
}

/** Throws `Outdated` if the lease was lost, or a delivery was changed meanwhile. */
async function work(input: StepInput, secret: string): Promise<Worked> {
  const { db, network, loaded, relayers, now, lease } = input
  const { chainId } = network
  const observation = await observe(input)
  if (typeof observation === 'string') {
    log.error('node_unavailable', { chainId, reason: observation })
    return stop('node_unavailable', now)
  }

  const observed = { ...input, observation }
  const checked = await checkStored(observed)
  if (checked === 'corrected') return goOn(now)
  const { problem, contradictedSince } = checked
  if (problem) {
    await lease.write({ ...NO_CHANGES, contradictedSince })
    return stop(problem, now)
  }

  const { decisions, changes: closed } = await closeTransactions(observed)
  const { unconfirmedSince } = observation
  const { inFlight, minedByOne } = countInFlight(decisions, relayers, observation)
  const isUnconfirmed = observation.isAlone && network.rpcUrls.length > 1
  await lease.write({
    ...closed,
    isUnconfirmed,
    ...(unconfirmedSince !== loaded.network.unconfirmedSince && { unconfirmedSince }),
    ...(minedByOne !== loaded.network.minedByOne && { minedByOne }),
    ...(contradictedSince !== loaded.network.contradictedSince && { contradictedSince }),
  })
  logClosed(network, decisions)
  // A nonce is free again below those that were loaded as free.
  const isFreed = decisions.some(
    ({ do: action, transaction }) => action === 'await_block' && transaction.items.length === 0,
  )
  if (isFreed) return goOn(now, haveEnded(closed.deliveries))

  const compared = await compareKeys(observed)
  if (compared.findings.length > 0)
    await batch(db, { stored: storeFindings(db, chainId, compared.findings, now) })
  await lease.write({ ...compared.changes, isUnconfirmed })
  await tellDisagreements(
    db,
    chainId,
    [...observation.disagreements, ...compared.disagreements],
    now,
  )
  // Their nonces are used, whatever a node counts.
  if (compared.changes.transactions.length > 0)
    return goOn(now, haveEnded([...closed.deliveries, ...compared.changes.deliveries]))
  const rechecked = await recheckEnds(observed)

  const prepared = await prepareCalls(compared.unrecorded, decisions, { ...observed, secret })
  await lease.write({ ...prepared.changes, isUnconfirmed })
  await broadcast(network, observation, decisions, prepared.changes.transactions, now)

  await tellDisagreements(db, chainId, prepared.disagreements, now)
  const deliveries = [
    ...closed.deliveries,
    ...compared.changes.deliveries,
    ...prepared.changes.deliveries,
  ]
  const hasEnded = haveEnded(deliveries)
  const lookAt = nextLook(decisions, prepared.newTransactions > 0, observation, now)
  const blocker = compared.isBlocked ? 'contract_unavailable' : prepared.blocker
  const isUsual = blocker === 'signers_busy' || blocker === 'token_limit_reached'
  if (blocker) return stop(isUsual ? null : blocker, now, hasEnded, lookAt)
  const closings = decisions.filter(({ do: action }) => action === 'close')
  const sent = inFlight + prepared.newTransactions
  const continues = compared.hasMore || rechecked.hasMore || closings.length >= MAX_LOADED
  return {
    lookAt: continues ? now : lookAt,
    takesDeliveries:
      sent - minedByOne < relayers.length * network.transactionsInFlight &&
      sent < relayers.length * MAX_UNMINED,
    hasEnded,
    problem: null,
  }
}
