/** Bundles the Worker as it is deployed, and fails if it is too large or has texts it does not use. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { CommandError, defineCommand, start } from './shell/command.ts'

/** KiB of gzip. A larger script takes longer to load on a cold start. */
const LIMIT = 215

/** Files for the OpenAPI document, and what they use of zod. The Worker may import their types. */
const DOCUMENTATION = /(?:^|\/)(?:answer|openapi)\.ts$|\/zod\/v4\/classic\//

export const command = defineCommand(
  {
    name: 'npx node scripts/bundle.ts',
    purpose: `Bundles the Worker for each environment of wrangler.toml, and fails if it exceeds ${LIMIT} KiB of gzip, or contains \`answer.ts\` or \`openapi.ts\` of a folder, or \`zod\` instead of \`zod/mini\`. Part of \`npm run check\`.`,
    example: 'npx node scripts/bundle.ts',
  },
  async () => {
    const toml = readFileSync('wrangler.toml', 'utf8')
    const environments = [...toml.matchAll(/^\[env\.(\w+)\]/gm)].map(([, name = '']) => name)
    const bundles = await Promise.all(environments.map(bundle))
    const texts = bundles.flatMap(({ files }) => files.filter((file) => DOCUMENTATION.test(file)))
    if (texts.length > 0)
      throw new CommandError(`The Worker imports more than types from ${texts.join(', ')}.`)
    const size = Math.max(...bundles.map(({ size }) => size))
    const result = `The bundle has ${size.toFixed(1)} KiB gzip (${environments.join(', ')}). The limit is ${LIMIT} KiB.`
    if (size > LIMIT) throw new CommandError(result)
    console.log(result)
  },
)

/**
 * Returns the size of the bundle in KiB, and the files in it. Wrangler checks the configuration of
 * the environment.
 */
async function bundle(environment: string): Promise<{ size: number; files: string[] }> {
  const outdir = `dist/bundle/${environment}`
  const metafile = `${outdir}/meta.json`
  const args = ['--env', environment, '--outdir', outdir, '--metafile', metafile]
  const { stderr } = await promisify(execFile)('wrangler', ['deploy', '--dry-run', ...args])
  process.stderr.write(stderr)
  const { inputs } = JSON.parse(readFileSync(metafile, 'utf8'))
  return {
    size: gzipSync(readFileSync(`${outdir}/worker.js`)).length / 1024,
    files: Object.keys(inputs),
  }
}

if (import.meta.main) await start(command)
