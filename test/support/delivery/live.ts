import { pass } from './clock.ts'
import type { Marketplace } from './marketplace.ts'

/** Lets so many seconds pass, with a block and what the queue has every five seconds, and cron runs. */
export async function live(market: Marketplace, seconds: number): Promise<void> {
  for (let second = 5; second <= seconds; second += 5) {
    await market.deliver()
    pass(5)
    await market.mine()
    if (second % 60 === 0) await market.runCron()
  }
}
