/** Bundles the Worker as it is deployed, and fails when it has grown beyond what it may weigh. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

/** KiB of gzip. A larger script takes longer to reach and start a cold machine. */
const LIMIT = 170

const outdir = 'dist/bundle'
execFileSync('wrangler', ['deploy', '--dry-run', '--env', 'production', '--outdir', outdir], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
const size = gzipSync(readFileSync(`${outdir}/worker.js`)).length / 1024
console.log(`The bundle is ${size.toFixed(1)} KiB gzip; at most ${LIMIT} are allowed.`)
if (size > LIMIT) process.exit(1)
