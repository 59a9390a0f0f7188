/** Bundles the Worker as it is deployed, and fails if it is too large or has texts it does not use. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { CommandError, runCommand } from './shell/command.ts'

/** KiB of gzip. A larger script takes longer to load on a cold start. */
const LIMIT = 200

/** Files for the OpenAPI document. The Worker may import their types. */
const DOCUMENTATION = /(?:^|\/)(?:answer|openapi)\.ts$/

await runCommand(
  {
    name: 'npx node scripts/bundle.ts',
    purpose: `Bundles the Worker as it is deployed and fails if it exceeds ${LIMIT} KiB of gzip, or contains \`answer.ts\` or \`openapi.ts\` of a folder. Part of \`npm run check\`.`,
    example: 'npx node scripts/bundle.ts',
  },
  () => {
    const outdir = 'dist/bundle'
    const metafile = `${outdir}/meta.json`
    const options = ['--env', 'production', '--outdir', outdir, '--metafile', metafile]
    execFileSync('wrangler', ['deploy', '--dry-run', ...options], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const { inputs } = JSON.parse(readFileSync(metafile, 'utf8'))
    const texts = Object.keys(inputs).filter((file) => DOCUMENTATION.test(file))
    if (texts.length > 0)
      throw new CommandError(`The Worker imports more than types from ${texts.join(', ')}.`)
    const size = gzipSync(readFileSync(`${outdir}/worker.js`)).length / 1024
    const result = `The bundle has ${size.toFixed(1)} KiB gzip. The limit is ${LIMIT} KiB.`
    if (size > LIMIT) throw new CommandError(result)
    console.log(result)
  },
)
