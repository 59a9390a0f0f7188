/** Moves the clock of the instance forward, in steps between which everything due is done. */
import { setTimeout } from 'node:timers/promises'
import { DAY, HOUR, MINUTE } from '../../src/time.ts'
import { setChainTime } from './chain/anvil.ts'
import type { Clock } from './clock.ts'
import { query } from './explorer.ts'
import { runCron } from './worker.ts'

/** Milliseconds for which cron runs each hour. For longer ones it runs each night. */
const MAX_HOURLY = DAY

/** The cron run does more at 3:00 (UTC) than in other minutes. */
const NIGHT = 3 * HOUR

/** Milliseconds that a step waits for deliveries and webhooks. Cron and queues go on without it. */
const MAX_WAIT = MINUTE

type Instance = { clock: Clock; rpcUrl: string; workerUrl: string }

/**
 * Moves the clock forward by milliseconds. It stops at each full hour or night, and when a delivery
 * or a webhook is due, runs cron, and waits until nothing is due any more.
 */
export async function advance(instance: Instance, by: number): Promise<void> {
  const { clock, rpcUrl, workerUrl } = instance
  const now = () => clock.now().getTime()
  const end = now() + by
  const interval = by > MAX_HOURLY ? DAY : HOUR
  for (let due = await settle(instance); now() < end; due = await settle(instance)) {
    const stop = (Math.floor((now() - NIGHT) / interval) + 1) * interval + NIGHT
    // The cron trigger runs once a minute, so what is due earlier waits for it.
    const time = new Date(Math.min(Math.max(due, now() + MINUTE), stop, end))
    await setChainTime(rpcUrl, time)
    await clock.moveTo(time)
    await runCron(workerUrl)
  }
}

/** Lets the Worker look at its chains now, as it does when the next item is due. */
export async function visitChains(instance: Instance): Promise<void> {
  const { clock, workerUrl } = instance
  await query(workerUrl, 'UPDATE networks SET wakeAt = ?1', clock.now().toISOString())
  await runCron(workerUrl)
  await settle(instance)
}

/**
 * What waits, by the time of the instance: the same conditions as those of the cron run. A chain with a
 * problem, such as a paused contract, is looked at when the clock stops for another reason: its
 * deliveries wait for somebody, and for no time.
 */
const WORK = `SELECT
  EXISTS (SELECT 1 FROM networks WHERE lease IS NOT NULL OR wakeAt <= ?1)
    OR EXISTS (SELECT 1 FROM deliveries WHERE dueAt <= ?1 AND chainId IS NOT NULL
      AND chainId NOT IN (SELECT chainId FROM networks WHERE problem IS NOT NULL))
    OR EXISTS (SELECT 1 FROM webhookEndpoints
      WHERE disabledAt IS NULL AND (dueAt <= ?1 OR leaseUntil > ?1)) AS isBusy,
  (SELECT min(at) FROM (SELECT min(wakeAt) AS at FROM networks WHERE wakeAt > ?1 AND problem IS NULL
    UNION ALL SELECT min(dueAt) FROM deliveries WHERE dueAt > ?1
    UNION ALL SELECT min(dueAt) FROM webhookEndpoints WHERE disabledAt IS NULL AND dueAt > ?1)) AS nextAt`

/** Waits until nothing is due, and returns when something is due next (milliseconds). */
async function settle({ clock, workerUrl }: Instance): Promise<number> {
  const giveUpAt = performance.now() + MAX_WAIT
  for (;;) {
    const at = clock.now().toISOString()
    const [work] = await query<{ isBusy: 0 | 1; nextAt: string | null }>(workerUrl, WORK, at)
    if (!work?.isBusy || performance.now() > giveUpAt)
      return work?.nextAt ? Date.parse(work.nextAt) : Infinity
    await setTimeout(20)
  }
}
