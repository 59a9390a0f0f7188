/** Runs wrangler's command line. */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { type Child, readOutput, start } from './child.ts'
import { CommandError } from './command.ts'

/**
 * Returns the script of the project in the working directory. The executable that npm links would
 * add a process around it.
 */
const findWrangler = () => createRequire(resolve('package.json')).resolve('wrangler')

const DEFAULTS = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_WRITE_LOGS: 'false',
  // `wrangler dev` would ask Cloudflare for an example of `Request.cf`.
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

/**
 * `shown`: output goes to this terminal, and the caller passes errors on. `piped`: the caller reads
 * both; own process group.
 */
export function startWrangler(args: readonly string[], output: 'shown' | 'piped'): Child {
  return start(process.execPath, ['--no-warnings', findWrangler(), ...args], {
    stdio: output === 'shown' ? ['inherit', 'inherit', 'pipe'] : ['ignore', 'pipe', 'pipe'],
    detached: output === 'piped',
    env: { ...DEFAULTS, ...process.env, WRANGLER_LOG: 'log' },
  })
}

/** Runs a command and returns its output. Throws a `CommandError` with the output if it fails. */
export async function runWrangler(args: readonly string[]): Promise<string> {
  const { out, errors, code } = await readOutput(startWrangler(args, 'piped'))
  if (code === 0) return out
  const name = args.slice(0, 3).join(' ')
  throw new CommandError(`wrangler ${name} failed:\n${(errors || out).trim()}`)
}

/** Returns the options of `wrangler d1` that name the database of an environment, or the local one. */
export const databaseOptions = (environment: string | undefined): string[] =>
  environment ? ['--remote', '--env', environment] : ['--local']
