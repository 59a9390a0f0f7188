import type { Database } from '../db/client.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import type { PlacedOrder } from './answer.ts'
import { checkOrders } from './check.ts'
import { answerOf, draftOf } from './draft.ts'
import { readFacts } from './facts.ts'
import type { Element } from './input.ts'
import { type Repeatable, replay } from './repeat.ts'
import { writeOrders } from './write.ts'

/** How often a call begins anew because another changed what it had read. */
const ATTEMPTS = 3

type Placed = { orders: PlacedOrder[]; isReplay: boolean }

/**
 * Places paid orders, all of them or none, in two trips: one reads what they depend on, the other
 * writes them unless that has changed. Whoever loses such a race reads again, and is told what
 * is true now. With `call`, the same call is answered the same and places nothing.
 *
 * Throws `unauthenticated`, `idempotency_key_reused`, `request_in_progress`, `payload_too_large`,
 * and what `checkOrders` throws.
 */
export async function placeOrders(
  db: Database,
  caller: Caller,
  elements: readonly Element[],
  call: Repeatable | null,
  now: Date,
): Promise<Placed> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const facts = await readFacts(db, caller, elements, call, now)
    if (call && facts.kept) return { orders: replay(facts.kept, call), isReplay: true }
    const sales = checkOrders(elements, facts, caller, now)
    const draft = draftOf(sales, now)
    const outcome = await writeOrders(db, caller, sales, draft, call, now)
    if (outcome) return { orders: answerOf(draft, outcome), isReplay: false }
  }
  throw new ApiError('request_in_progress', 'other calls change what this one orders; try again', {
    'Retry-After': '1',
  })
}
