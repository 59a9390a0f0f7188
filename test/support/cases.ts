/** Cases of tables. */
import { inject } from 'vitest'

/** Returns the first cases in `npm test`, and all in `npm run test:long`. */
export const firstCases = <T>(count: number, cases: readonly T[]): readonly T[] =>
  inject('isLong') ? cases : cases.slice(0, count)
