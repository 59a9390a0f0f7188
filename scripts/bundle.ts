/** Bundles the Worker as it is deployed and fails if it exceeds its size limit. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { CommandError, runCommand } from './shell/command.ts'

/** KiB of gzip. A larger script takes longer to load on a cold start. */
const LIMIT = 200

await runCommand(
  {
    name: 'npx node scripts/bundle.ts',
    purpose: `Bundles the Worker as it is deployed and fails if it exceeds ${LIMIT} KiB of gzip. Part of \`npm run check\`.`,
    example: 'npx node scripts/bundle.ts',
  },
  () => {
    const outdir = 'dist/bundle'
    execFileSync('wrangler', ['deploy', '--dry-run', '--env', 'production', '--outdir', outdir], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const size = gzipSync(readFileSync(`${outdir}/worker.js`)).length / 1024
    const result = `The bundle has ${size.toFixed(1)} KiB gzip. The limit is ${LIMIT} KiB.`
    if (size > LIMIT) throw new CommandError(result)
    console.log(result)
  },
)
