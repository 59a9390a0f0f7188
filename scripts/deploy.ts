/** `npm run deploy -- --env production`: migrates the database, then replaces the Worker. */
import { findNetworkProblems, findPlaceholders } from './deploy/checks.ts'
import { CommandError, parseOptions, runCommand } from './shell/command.ts'
import { startWrangler } from './shell/wrangler.ts'

const USAGE = 'usage: npm run deploy -- --env production|staging [--dry-run]'

await runCommand(async () => {
  const { env, 'dry-run': isDryRun } = parseOptions(
    { env: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
    USAGE,
  )
  if (!env) throw new CommandError(USAGE)
  if (isDryRun) return run(['deploy', '--dry-run', '--env', env])
  const problems = [...(await findPlaceholders(env)), ...(await findNetworkProblems(env))]
  if (problems.length > 0) throw new CommandError(problems.join('\n'))
  // The database first: migrations only add what the running Worker ignores.
  await run(['d1', 'migrations', 'apply', 'DB', '--remote', '--env', env])
  await run(['deploy', '--env', env])
})

async function run(args: string[]): Promise<void> {
  const status = await startWrangler(args, 'shown').ended
  if (status !== 0) throw new CommandError(`wrangler ${args.join(' ')} exited with ${status}.`)
}
