/** Runs before each test file. Files share a worker, so it removes what earlier files have left. */
import { clearCachedResults } from '../../src/marketplace/cached.ts'
import { emptyBucket, emptyDatabase } from './database.ts'
import { resetClock } from './delivery/clock.ts'

await emptyDatabase()
await emptyBucket()
clearCachedResults()
resetClock()
