/** Bundles the Worker as it is deployed, and fails if it is too large, or has code of `npm run dev`. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { CommandError, defineCommand, start } from '../shell/command.ts'

/** KiB of gzip. A larger script takes longer to load on a cold start. */
const LIMIT = 400

/** What only `npm run dev` calls or answers. */
const LOCAL_PATH = /\/dev\/\w/

export const command = defineCommand(
  {
    name: 'npx node scripts/build/bundle.ts',
    purpose: `Bundles the Worker for each environment of wrangler.toml, and fails if it exceeds ${LIMIT} KiB of gzip or has code of \`npm run dev\`. Part of \`npm run check\`.`,
    example: 'npx node scripts/build/bundle.ts',
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

/** Returns the size of the bundle in KiB, after a look at its code. Wrangler checks the configuration of the environment. */
async function bundleSize(environment: string): Promise<number> {
  const outdir = `dist/bundle/${environment}`
  rmSync(outdir, { recursive: true, force: true })
  const args = ['deploy', '--dry-run', '--env', environment, '--outdir', outdir]
  const { stderr } = await promisify(execFile)('wrangler', args)
  process.stderr.write(stderr)
  const [file = ''] = readdirSync(outdir).filter((name) => name.endsWith('.js'))
  const code = readFileSync(join(outdir, file))
  if (LOCAL_PATH.test(code.toString()))
    throw new CommandError(
      `The bundle of ${environment} has the control API of the local instance (${LOCAL_PATH}). \`main\` in wrangler.toml must be src/worker.ts.`,
    )
  return gzipSync(code).length / 1024
}

if (import.meta.main) await start(command)
