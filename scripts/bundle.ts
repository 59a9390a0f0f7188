/** Bundles the Worker as it is deployed, and fails if it is too large. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { CommandError, defineCommand, start } from './shell/command.ts'

/** KiB of gzip. A larger script takes longer to load on a cold start. */
const LIMIT = 256

export const command = defineCommand(
  {
    name: 'npx node scripts/bundle.ts',
    purpose: `Bundles the Worker for each environment of wrangler.toml, and fails if it exceeds ${LIMIT} KiB of gzip. Part of \`npm run check\`.`,
    example: 'npx node scripts/bundle.ts',
  },
  async () => {
    const toml = readFileSync('wrangler.toml', 'utf8')
    const environments = [...toml.matchAll(/^\[env\.(\w+)\]/gm)].map(([, name = '']) => name)
    const size = Math.max(...(await Promise.all(environments.map(bundleSize))))
    const result = `The bundle has ${size.toFixed(1)} KiB gzip (${environments.join(', ')}). The limit is ${LIMIT} KiB.`
    if (size > LIMIT) throw new CommandError(result)
    console.log(result)
  },
)

/** Returns the size of the bundle in KiB. Wrangler checks the configuration of the environment. */
async function bundleSize(environment: string): Promise<number> {
  const outdir = `dist/bundle/${environment}`
  const args = ['deploy', '--dry-run', '--env', environment, '--outdir', outdir]
  const { stderr } = await promisify(execFile)('wrangler', args)
  process.stderr.write(stderr)
  return gzipSync(readFileSync(`${outdir}/worker.js`)).length / 1024
}

if (import.meta.main) await start(command)
