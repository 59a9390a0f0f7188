import type { createCaller } from './calls.ts'
import type { World } from './world.ts'

/** What the chapters of the story use. */
export type Teller = ReturnType<typeof createCaller> & {
  world: World
  /** JWTs of API tokens. */
  tokens: Record<'shop' | 'seller' | 'buyer' | 'reader' | 'metrics', string>
  /** Issues another token of a user. */
  issue: (userId: number, name: string, more?: object) => Promise<string>
}

/** Milliseconds. */
const TIMEOUT = 60_000
const INTERVAL = 100

/** Waits until the SQL condition holds. Asks the database, because calls would be part of the story. */
export async function until({ world }: Teller, condition: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT
  for (;;) {
    const { results } = await world.sql(`SELECT ${condition} AS holds`)
    if (results[0]?.holds) return
    if (performance.now() > deadline) throw new Error(`It did not happen that ${condition}.`)
    await new Promise((resolve) => setTimeout(resolve, INTERVAL))
  }
}

/** Waits until the deliveries of these order items have the state. */
export const untilDelivery = (teller: Teller, ids: readonly number[], state: string) =>
  until(
    teller,
    `(SELECT count(*) FROM deliveries WHERE id IN (${ids}) AND state = '${state}') = ${ids.length}`,
  )
