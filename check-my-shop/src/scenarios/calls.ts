/** What the shop's calls meet. */
import type { HttpFault } from '../faults.ts'
import type { Scenario } from '../scenario.ts'

export const errorBody = (code: string, url: string) => ({
  ...{
    orders: null,
    error: 'a simulated fault',
    code,
    issues: [{ path: '', code, message: code }],
  },
  requestId: '00000000-0000-4000-8000-000000000000',
  documentationUrl: `${url}/docs/errors#${code}`,
})

type Broken = HttpFault & {
  times?: number
  /** The error of the marketplace that the answer has. */
  code?: string
}

/** A scenario in which the calls that place an order meet a fault. */
const broken = (name: string, says: string, { times = 1, code, ...fault }: Broken): Scenario => ({
  ...{ name, says },
  run: async (run) => {
    const sale = run.sale()
    const effect = code ? { ...fault, body: errorBody(code, run.marketplace.url) } : fault
    run.proxy.break(sale, effect, { times })
    await run.sellBeforeMessages(sale, 'not_repeated')
    await run.settle('delivered', sale, 'wrong_books')
  },
})

/** A scenario in which the marketplace refuses the order, so that the shop has to refund. */
const refused = (
  name: string,
  says: string,
  terms: (goods: { priceCents: number; available: number | null }) => object,
): Scenario => ({
  ...{ name, says },
  run: (run) => run.sellUntil('refunded', run.sale(terms(run.goods)), 'not_refunded'),
})

export const plain: Scenario = {
  name: 'sale',
  says: 'a sale is placed and delivered',
  run: (run) => run.sellUntil('delivered', run.sale(), 'wrong_books'),
}

export const calls: readonly Scenario[] = [
  broken('cut_before', 'the connection breaks before the call arrives', {
    ...{ http: 'drop', reach: 'none' },
  }),
  broken('cut_after', 'the connection breaks after the order was placed', {
    ...{ http: 'drop', reach: 'all' },
  }),
  broken('cut_answer', 'the answer ends in the middle', { http: 'malformed', reach: 'all' }),
  broken('bad_gateway', 'twice 502 from something in between', {
    ...{ http: 502, reach: 'all', times: 2 },
  }),
  broken('blocked', 'twice 409 without a code, from something in between', {
    ...{ http: 409, reach: 'all', times: 2 },
  }),
  broken('rate_limited', '429 with Retry-After: 3', {
    ...{ http: 429, reach: 'none', retryAfter: 3, code: 'rate_limited' },
  }),
  broken('unavailable', '503 with Retry-After: 2', {
    ...{ http: 503, reach: 'none', retryAfter: 2, code: 'try_later' },
  }),
  broken('in_progress', '409 request_in_progress', {
    ...{ http: 409, reach: 'none', retryAfter: 1, code: 'request_in_progress' },
  }),
  refused('price_changed', 'the price is another one', ({ priceCents }) => ({
    expectedPriceCents: priceCents + 1,
  })),
  refused('sold_out', 'too few pieces are left', ({ available }) => ({
    quantity: (available ?? 1_000_000_000) + 1,
  })),
  { ...broken('hang', 'an answer never comes', { http: 'hang', reach: 'none' }), isAlone: true },
]
