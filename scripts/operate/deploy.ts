/** `npm run deploy -- --env production`: migrates the database, then replaces the Worker. */
import { readFile } from 'node:fs/promises'
import { CommandError, defineCommand, start } from '../shell/command.ts'
import { readEnvironment } from './cloudflare/environment.ts'
import { networkVariables } from './contract/networks.ts'
import { openRemoteDatabase } from './database/remote.ts'
import { findNetworkProblems, findPlaceholders, readSigners } from './deploy/checks.ts'
import { readUsedContracts } from './deploy/lineage.ts'
import { release, show } from './deploy/release.ts'
import { findAccountProblems } from './deploy/resources.ts'

export const command = defineCommand(
  {
    name: 'npm run deploy',
    purpose:
      'Checks configuration, account and contracts, migrates the database, then replaces the Worker.',
    options: {
      env: { value: 'NAME', required: true, help: 'production or staging.' },
      'dry-run': { help: 'Only build.' },
    },
    variables: {
      TRANSFER_SIGNER_KEYS: 'The secret of this name, to check that its accounts are relayers.',
      NETWORKS: networkVariables.NETWORKS,
    },
    example: 'npm run deploy -- --env production',
  },
  async ({ env, 'dry-run': isDryRun }) => {
    if (isDryRun) return show(['deploy', '--dry-run', '--env', env])
    const { signers, problems: keyProblems } = readSigners(env, process.env.TRANSFER_SIGNER_KEYS)
    const accountProblems = await findAccountProblems(readEnvironment(env))
    const hasDatabase = accountProblems.length === 0
    const used = hasDatabase ? await readUsedContracts(openRemoteDatabase(env)) : new Map()
    const problems = [
      ...findPlaceholders(env, await readFile('wrangler.toml', 'utf8')),
      ...accountProblems,
      ...keyProblems,
      ...(await findNetworkProblems({ environment: env, signers, used })),
    ]
    if (problems.length > 0) throw new CommandError(problems.join('\n'))
    await release(env)
  },
)

if (import.meta.main) await start(command)
