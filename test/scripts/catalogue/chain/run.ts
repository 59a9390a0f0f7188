/** Reads a collection in a process of its own, for tests that kill it. The options are JSON. */
import { readCollection } from '../../../../scripts/catalogue/chain/read.ts'

await readCollection(JSON.parse(process.argv[2] ?? ''))
