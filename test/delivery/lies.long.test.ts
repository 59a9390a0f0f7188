/** One of two nodes lies, in ways that seeds draw. `LIES_CASES=2000 npm run chaos:lies` plays more. */
import { expect, inject, it } from 'vitest'
import { targets } from '../support/delivery/lies/calls.ts'
import { drawCase } from '../support/delivery/lies/cases.ts'
import { play } from '../support/delivery/lies/play.ts'
import { aLiarsStage } from '../support/delivery/lies/world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    lies: { seed: number; cases: number }
  }
}

const { seed: first, cases } = inject('lies')
const seeds = Array.from({ length: cases }, (_, i) => first + i)
const stage = aLiarsStage()

it.each(seeds)(
  'delivers all whatever one of two nodes says (seed %s)',
  {
    timeout: 300_000,
  },
  async (seed) => {
    try {
      const { told } = await play(stage, drawCase(seed))
      console.log(`told ${seed} ${told}`)
    } catch (error) {
      const lines = error instanceof Error ? error.message.split('\n') : [error]
      for (const line of lines) console.log(`seed ${seed}: ${line}`)
      throw error
    }
  },
)

/** Asked only if a token refuses, for which few cases have a reason. */
const rare = ['eth_call hasRole', 'eth_call ownerOf']

// A few cases do not ask for everything.
if (cases >= 200)
  it('has lies about all that the Worker asks, and about nothing else', () => {
    expect([...new Set([...stage.asked, ...rare])].sort()).toEqual(Object.keys(targets).sort())
  })
