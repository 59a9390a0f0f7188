/** `npm run deploy -- --env production`: migrates the database, then replaces the Worker. */
import { readFile } from 'node:fs/promises'
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
  await checkPlaceholders(env)
  // The database first: migrations only add what the running Worker ignores.
  await run(['d1', 'migrations', 'apply', 'DB', '--remote', '--env', env])
  await run(['deploy', '--env', env])
})

async function run(args: string[]): Promise<void> {
  const status = await startWrangler(args, 'shown').ended
  if (status !== 0) throw new CommandError(`wrangler ${args.join(' ')} exited with ${status}.`)
}

/** Throws a `CommandError` with the lines of the environment that still hold a placeholder. */
async function checkPlaceholders(environment: string): Promise<void> {
  const lines = (await readFile('wrangler.toml', 'utf8')).split('\n')
  let section = ''
  const found = lines.flatMap((line, i) => {
    section = /^\[+([^\]]+)\]/.exec(line)?.[1] ?? section
    const isInEnvironment =
      section === `env.${environment}` || section.startsWith(`env.${environment}.`)
    return isInEnvironment && /example\.com|"<from/.test(line) ? [`  ${i + 1}: ${line}`] : []
  })
  if (found.length > 0)
    throw new CommandError(
      `Replace the placeholders in these lines of wrangler.toml first:\n${found.join('\n')}`,
    )
}
