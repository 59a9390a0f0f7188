import { alarms } from '../../../src/db/schema/operations.ts'
import { db } from '../makers.ts'
import { pass } from './clock.ts'
import type { Marketplace } from './marketplace.ts'

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
