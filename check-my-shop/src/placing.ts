/** Judges the calls of the shop that place the order of a sale. */
import { type Difference, Finding, type Problem } from './finding.ts'
import type { Call } from './proxy.ts'
import type { Sale } from './sale.ts'

/** Milliseconds by which clocks and connections may differ. */
const TOLERANCE = 50

/** Throws a `Finding` if a call came too early, or the sale was placed under another number or twice. */
export function checkCalls({ number }: Sale, calls: readonly Call[], orders: readonly number[]) {
  for (const [i, call] of calls.entries()) {
    requireNumber(number, call)
    const next = calls[i + 1]
    if (next) requireLater(number, call, next)
  }
  if (orders.length > 1)
    throw new Finding('placed_twice', `Sale ${number} was placed twice.`, [
      { what: 'orders of the sale', expected: 'one', found: orders.join(' and ') },
    ])
}

function requireNumber(expected: string, { number }: Call) {
  if (number === expected) return
  throw new Finding('placed_twice', `Sale ${expected} was sent under another number.`, [
    { what: 'order number of a call', expected, found: number ?? 'none' },
  ])
}

function requireLater(sale: string, { answeredAt = 0, retryAfter, status }: Call, next: Call) {
  const pause = next.at - answeredAt
  if (retryAfter === 0 || pause >= retryAfter - TOLERANCE) return
  throw new Finding('called_early', `Sale ${sale}: the call came again too early.`, [
    {
      what: `pause after ${status} with Retry-After`,
      expected: `${retryAfter} ms or more`,
      found: `${pause} ms`,
    },
  ])
}

type Explanation = { problem: Problem; sentence: string; difference: Difference }

/** Says what the shop must do after its last call; undefined if that has got a final answer. */
export function explainBroken(last: Call): Explanation | undefined {
  const { isBroken, answeredAt, status } = last
  // After these, a person has to correct the token.
  if (!isBroken || status === 401 || status === 403) return undefined
  if (answeredAt === undefined)
    return {
      problem: 'no_timeout',
      sentence: 'a call without an answer was not given up.',
      difference: { what: 'the call', expected: 'given up within 30 s', found: 'still open' },
    }
  return {
    problem: 'not_repeated',
    sentence: 'the call was not sent again.',
    difference: {
      what: 'what follows the call',
      expected: 'the same call',
      found: `nothing after ${status ?? 'its connection was cut'}`,
    },
  }
}
