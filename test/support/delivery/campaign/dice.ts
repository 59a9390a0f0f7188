/** Chance, drawn from a seed. */
import { randomFrom } from '../../chain/faults.ts'

export type Dice = ReturnType<typeof aDice>

export function aDice(seed: number) {
  const random = randomFrom(seed)
  const upTo = (limit: number) => Math.floor(random() * limit)
  return {
    random,
    chance: (share: number) => random() < share,
    /** 0 to one less than the limit. */
    upTo,
    pick: <T>(first: T, ...others: T[]): T => [first, ...others][upTo(others.length + 1)] ?? first,
    shuffled: <T>(list: readonly T[]): T[] => {
      const drawn = list.map((value) => ({ value, at: random() }))
      return drawn.sort((a, b) => a.at - b.at).map(({ value }) => value)
    },
  }
}
