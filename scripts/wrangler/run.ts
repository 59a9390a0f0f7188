/** Wrangler's commands, run as they are on a command line. */
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Child, start } from '../shell/child.ts'
import { Failure } from '../shell/command.ts'

/** The command line itself: the `bin` that npm links is one more process around it. */
const COMMAND_LINE = fileURLToPath(import.meta.resolve('wrangler'))

/** What is quieter than its default: wrangler is a part here. */
const environment = { WRANGLER_SEND_METRICS: 'false', WRANGLER_WRITE_LOGS: 'false' }

/** `shown`: on this terminal; `piped`: for the caller to read, in a process group of its own. */
export function startWrangler(args: readonly string[], output: 'shown' | 'piped'): Child {
  return start(process.execPath, ['--no-warnings', COMMAND_LINE, ...args], {
    stdio: output === 'shown' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    detached: output === 'piped',
    env: { ...environment, ...process.env, WRANGLER_LOG: 'log' },
  })
}

/** Runs a command to its end, and gives what it printed. Throws a failure with that otherwise. */
export async function runWrangler(args: readonly string[]): Promise<string> {
  const { process: child, ended } = startWrangler(args, 'piped')
  const read = (stream: typeof child.stdout) => (stream ? text(stream) : '')
  const [out, errors, code] = await Promise.all([read(child.stdout), read(child.stderr), ended])
  if (code !== 0)
    throw new Failure(`wrangler ${args.slice(0, 3).join(' ')} failed:\n${(errors || out).trim()}`)
  return out
}
