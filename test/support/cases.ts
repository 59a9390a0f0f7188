/** What only `npm run test:long` runs. */
import { inject, it } from 'vitest'

/** A test that only `npm run test:long` runs. */
export const inLong = it.runIf(inject('isLong'))

/** Returns the first cases in `npm test`, and all in `npm run test:long`. */
export const firstCases = <T>(count: number, cases: readonly T[]): readonly T[] =>
  inject('isLong') ? cases : cases.slice(0, count)
