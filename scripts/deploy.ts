/** `npm run deploy -- --env production`: migrates the instance's database, then replaces its Worker. */
import { readFile } from 'node:fs/promises'
import { command, Failure, optionsOf } from './shell/command.ts'
import { startWrangler } from './wrangler/run.ts'

const USAGE = 'usage: npm run deploy -- --env production|staging [--dry-run]'

await command(async () => {
  const { env, 'dry-run': dryRun } = optionsOf(
    { env: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
    USAGE,
  )
  if (!env) throw new Failure(USAGE)
  if (dryRun) return run(['deploy', '--dry-run', '--env', env])
  await checkFilledIn(env)
  // First the database: a migration only adds what the Worker that is still running ignores.
  await run(['d1', 'migrations', 'apply', 'DB', '--remote', '--env', env])
  await run(['deploy', '--env', env])
})

async function run(args: string[]): Promise<void> {
  const status = await startWrangler(args, 'shown').ended
  if (status !== 0) throw new Failure(`wrangler ${args.join(' ')} ended with ${status}.`)
}

/** Throws a failure that quotes the lines of the environment that still hold an example. */
async function checkFilledIn(environment: string): Promise<void> {
  const lines = (await readFile('wrangler.toml', 'utf8')).split('\n')
  let section = ''
  const open = lines.flatMap((line, i) => {
    section = /^\[+([^\]]+)\]/.exec(line)?.[1] ?? section
    const isOurs = section === `env.${environment}` || section.startsWith(`env.${environment}.`)
    return isOurs && /example\.com|"<from/.test(line) ? [`  ${i + 1}: ${line}`] : []
  })
  if (open.length > 0)
    throw new Failure(`Fill these lines of wrangler.toml in first:\n${open.join('\n')}`)
}
