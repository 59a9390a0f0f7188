import { alarms } from '../../../src/db/schema/operations.ts'
import { db } from '../makers.ts'
import { pass } from './clock.ts'
import type { Marketplace } from './marketplace.ts'

/**
 * Lets so many seconds pass, with a block and what the queue has every five seconds, or twice a minute
 * if it is a minute or more, and cron runs.
 */
export async function live(market: Marketplace, seconds: number): Promise<void> {
  const step = seconds < 60 ? 5 : 30
  for (let second = step; second <= seconds; second += step) {
    await market.deliver()
    pass(step)
    await market.mine()
    if (second % 60 === 0) await market.runCron()
  }
}

/** The keys of the alarms that are raised now. */
export const alarmsNow = async () =>
  (await db.select({ key: alarms.key }).from(alarms)).map(({ key }) => key).sort()

/** Lets minutes pass, each with a block and a cron run. Returns the alarms that are raised then. */
export async function liveMinutes(market: Marketplace, minutes: number): Promise<string[]> {
  for (let minute = 0; minute < minutes; minute++) {
    pass(60)
    await market.mine()
    await market.runCron()
    await market.deliver()
  }
  return alarmsNow()
}
