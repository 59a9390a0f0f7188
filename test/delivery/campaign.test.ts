/** Faults drawn at random over many items: still one transfer or mint each. `npm run chaos` is longer. */
import { expect, inject, it } from 'vitest'
import { campaign } from '../support/delivery/campaign/campaign.ts'

declare module 'vitest' {
  interface ProvidedContext {
    campaigns: { seeds: number[]; items: number }
  }
}

const { seeds, items } = inject('campaigns')

it.each(seeds)(
  'delivers every item exactly once, whatever seed %s brings',
  { timeout: 3_600_000 },
  async (seed) => {
    const { ended, faults } = await campaign(seed, items)
    console.log(`seed ${seed}, ${items} items: ${JSON.stringify({ ended, faults })}`)
    // A quarter can never be delivered, is cancelled or stolen.
    expect(ended.transferred).toBeGreaterThan(items * 0.5)
  },
)
