/** Deploys to an environment. */
import { readFile } from 'node:fs/promises'
import { CommandError } from '../../shell/command.ts'
import { readEnvironment } from '../cloudflare/environment.ts'
import { openRemoteDatabase } from '../database/remote.ts'
import { findNetworkProblems, findPlaceholders, readSigners } from './checks.ts'
import { readUsedContracts } from './lineage.ts'
import { release, show } from './release.ts'
import { findAccountProblems } from './resources.ts'

/** Only builds. */
export const tryDeployment = (environment: string): Promise<void> =>
  show(['deploy', '--dry-run', '--env', environment])

export async function deploy(environment: string, isConfirmed: boolean): Promise<void> {
  const { signers, problems: keyProblems } = readSigners(
    environment,
    process.env.TRANSFER_SIGNER_KEYS,
  )
  const accountProblems = await findAccountProblems(readEnvironment(environment))
  const hasDatabase = accountProblems.length === 0
  const used = hasDatabase ? await readUsedContracts(openRemoteDatabase(environment)) : new Map()
  const problems = [
    ...findPlaceholders(environment, await readFile('wrangler.toml', 'utf8')),
    ...accountProblems,
    ...keyProblems,
    ...(await findNetworkProblems({ environment, signers, used })),
  ]
  if (problems.length > 0) throw new CommandError(problems.join('\n'))
  await release(environment, { isConfirmed })
}
