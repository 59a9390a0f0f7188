/** Lies of one of two nodes, drawn from seeds. `npm run chaos -- --lies 2000` draws more. */
import { expect, inject, it } from 'vitest'
import { describeCase, drawCase } from '../support/delivery/lies/cases.ts'
import { play } from '../support/delivery/lies/play.ts'
import { aLiarsStage } from '../support/delivery/lies/world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    lies: { seed: number; cases: number }
  }
}

const { seed, cases } = inject('lies')
const seeds = Array.from({ length: cases }, (_, i) => seed + i)
const begin = aLiarsStage()

it.each(seeds)('seed %s', { timeout: 300_000 }, async (seed) => {
  const one = drawCase(seed)
  try {
    const { told } = await play(begin, one)
    console.log(`told ${seed} ${told}`)
  } catch (error) {
    console.log(`seed ${seed}: ${error instanceof Error ? error.message : error}`)
    throw error
  }
  void expect
  void describeCase
})
