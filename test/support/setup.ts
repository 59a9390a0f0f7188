/** Runs before each test file. Files share a worker, so it removes what earlier files have left. */
import { env } from 'cloudflare:workers'
import { setTextAssets } from '../../src/texts/texts.ts'
import { emptyBuckets, emptyDatabase } from './database.ts'
import { resetClock } from './delivery/clock.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether `npm run test:long` runs, which has more cases. */
    isLong: boolean
  }
}

setTextAssets(env.ASSETS)
await emptyDatabase()
await emptyBuckets()
resetClock()
