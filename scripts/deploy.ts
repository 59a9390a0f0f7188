/** `npm run deploy -- --env production`: migrates the database, then replaces the Worker. */
import { findNetworkProblems, findPlaceholders } from './deploy/checks.ts'
import { CommandError, runCommand } from './shell/command.ts'
import { startWrangler } from './shell/wrangler.ts'

await runCommand(
  {
    name: 'npm run deploy',
    purpose: 'Checks the configuration, migrates the database, then replaces the Worker.',
    options: {
      env: { type: 'string', value: 'NAME', required: true, help: 'production or staging.' },
      'dry-run': { type: 'boolean', default: false, help: 'Only build.' },
    },
    variables: {
      TRANSFER_SIGNER_KEYS: 'The secret of this name, to check that its accounts are relayers.',
    },
    example: 'npm run deploy -- --env production',
  },
  async ({ env, 'dry-run': isDryRun }) => {
    if (isDryRun) return run(['deploy', '--dry-run', '--env', env])
    const problems = [...(await findPlaceholders(env)), ...(await findNetworkProblems(env))]
    if (problems.length > 0) throw new CommandError(problems.join('\n'))
    // The database first: migrations only add what the running Worker ignores.
    await run(['d1', 'migrations', 'apply', 'DB', '--remote', '--env', env])
    await run(['deploy', '--env', env])
  },
)

async function run(args: string[]): Promise<void> {
  const status = await startWrangler(args, 'shown').ended
  if (status !== 0) throw new CommandError(`wrangler ${args.join(' ')} exited with ${status}.`)
}
