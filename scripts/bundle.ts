/** Bundles the Worker as it is deployed and fails if it exceeds its size limit. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

/** KiB of gzip. A larger script takes longer to load on a cold start. */
const LIMIT = 200

const outdir = 'dist/bundle'
execFileSync('wrangler', ['deploy', '--dry-run', '--env', 'production', '--outdir', outdir], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
const size = gzipSync(readFileSync(`${outdir}/worker.js`)).length / 1024
console.log(`The bundle has ${size.toFixed(1)} KiB gzip. The limit is ${LIMIT} KiB.`)
if (size > LIMIT) process.exit(1)
