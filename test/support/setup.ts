/** Runs before each test file. Files share a worker, so it removes what earlier files have left. */
import { emptyBuckets, emptyDatabase } from './database.ts'
import { resetClock } from './delivery/clock.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether `npm run test:long` runs, which has more cases. */
    isLong: boolean
  }
}

await emptyDatabase()
await emptyBuckets()
resetClock()
