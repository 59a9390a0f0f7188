/** A run: works on one chain until nothing is left to do at present. */
import { connect, type Database } from '../db/client.ts'
import { type Network, readSettings, type Settings } from '../env.ts'
import { loggedMessage } from '../ethereum/revert.ts'
import { callsSent } from '../ethereum/rpc.ts'
import { errorText, log } from '../log.ts'
import { type Step, step } from './step.ts'
import { release, storeFailure } from './store/lease.ts'
import { MAX_WAKE_DELAY, type WakeUp, wake } from './wake.ts'

/** Milliseconds that a run waits for a block itself. Longer waits are left to a message. */
const MAX_WAIT = 2_000

/** Milliseconds until a comparison with the chain is tried again that was not possible. */
const COMPARE_DELAY = 60_000

/** Milliseconds after which a run ends, and a message continues its work. */
const MAX_DURATION = 120_000

/** The same while other chains of the same messages wait for their runs. */
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
  settings: Pick<Settings, 'NETWORKS' | 'TRANSFER_SIGNER_KEYS'>
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
  const chainIds = [...new Set(batch.messages.map(({ body }) => body.chainId))]
  for (const [i, chainId] of chainIds.entries()) {
    const others = chainIds.slice(i + 1)
    // A message begins another invocation, with statements of its own.
    if (isExhausted(deps.db)) return wake(deps.queue, [chainId, ...others])
    const lease = crypto.randomUUID()
    const duration = others.length > 0 ? SHARED_DURATION : MAX_DURATION
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
    const wait = done.lookAt ? done.lookAt.getTime() - now : Infinity
    if (now >= endAt || callsSent() - callsBefore > MAX_CALLS || isExhausted(db)) {
      const rest = { ...done, lookAt: new Date(now), takesItems: false }
      await finish(deps, network, lease, rest)
      return
    }
    if (wait > MAX_WAIT) {
      if (!(await finish(deps, network, lease, done))) return
    } else if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

/** Releases the lease and plans the next run. Returns whether this one has to go on. */
async function finish(
  { db, queue, clock }: Deps,
  { chainId }: Network,
  lease: string,
  { lookAt, takesItems, problem, loaded }: Step,
): Promise<boolean> {
  const now = clock()
  const { wakeAt } = loaded.network
  // A message for this time is under way already.
  const planned = wakeAt && wakeAt > now.toISOString() ? wakeAt : null
  const compareAt = new Date(now.getTime() + COMPARE_DELAY)
  const plan = { lookAt, takesItems, compareAt, planned, problem }
  const released = await release(db, chainId, lease, plan, now)
  if (released?.isHeld) return true
  if (!released?.wakeAt || released.wakeAt === planned) return false
  const delay = Math.ceil((new Date(released.wakeAt).getTime() - now.getTime()) / 1000)
  if (delay <= MAX_WAKE_DELAY) await wake(queue, [chainId], Math.max(0, delay))
  return false
}
