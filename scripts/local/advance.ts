/** Moves the clock of the instance forward, in steps between which everything due is done. */
import { setTimeout } from 'node:timers/promises'
import { setChainTime } from '../chain/anvil.ts'
import type { Clock } from './clock.ts'
import { query } from './explorer.ts'
import { runCron } from './worker.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Milliseconds that a step waits for deliveries and webhooks. Cron and queues go on without it. */
const MAX_WAIT = 60_000

type Advance = { clock: Clock; rpcUrl: string; workerUrl: string }

/**
 * Moves the clock forward by milliseconds and returns the time. It stops at each full hour, and
 * when a delivery or a webhook is due, runs cron, and waits until nothing is due any more.
 */
export async function advance(context: Advance, by: number): Promise<Date> {
  const { clock, rpcUrl } = context
  const end = clock.now().getTime() + by
  let next = await settle(context)
  while (clock.now().getTime() < end) {
    const now = clock.now().getTime()
    // The cron trigger runs once a minute, so what is due earlier waits for it.
    const due = Math.max(next ?? end, now + MINUTE)
    const time = new Date(Math.min(due, Math.floor(now / HOUR + 1) * HOUR, end))
    await clock.moveTo(time)
    await setChainTime(rpcUrl, time)
    await runCron(context.workerUrl)
    next = await settle(context)
  }
  return clock.now()
}

/** What waits, by the time of the instance: the same conditions as those of the cron run. */
const WORK = `SELECT
  EXISTS (SELECT 1 FROM networks WHERE lease IS NOT NULL OR wakeAt <= ?1)
    OR EXISTS (SELECT 1 FROM deliveries WHERE dueAt <= ?1)
    OR EXISTS (SELECT 1 FROM webhookEndpoints
      WHERE disabledAt IS NULL AND (dueAt <= ?1 OR leaseUntil > ?1)) AS isBusy,
  (SELECT min(at) FROM (SELECT min(wakeAt) AS at FROM networks WHERE wakeAt > ?1
    UNION ALL SELECT min(dueAt) FROM deliveries WHERE dueAt > ?1
    UNION ALL SELECT min(dueAt) FROM webhookEndpoints WHERE disabledAt IS NULL AND dueAt > ?1)) AS nextAt`

/** Waits until nothing is due, and returns when something is due next (milliseconds). */
async function settle({ clock, workerUrl }: Advance): Promise<number | undefined> {
  const giveUpAt = performance.now() + MAX_WAIT
  for (;;) {
    const [work] = await query<{ isBusy: 0 | 1; nextAt: string | null }>(
      workerUrl,
      WORK,
      clock.now().toISOString(),
    )
    if (!work?.isBusy || performance.now() > giveUpAt)
      return work?.nextAt ? Date.parse(work.nextAt) : undefined
    await setTimeout(20)
  }
}
