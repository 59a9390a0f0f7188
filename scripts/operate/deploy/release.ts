/** Migrates the database and replaces the Worker. */
import { readOutput } from '../../shell/child.ts'
import { CommandError } from '../../shell/command.ts'
import { startWrangler } from '../../shell/wrangler.ts'
import { readBookmark, readVersion } from '../cloudflare/account.ts'
import { applyMigrations } from './apply-migrations.ts'

/**
 * Prints how to go back before it changes anything. `isConfirmed`: migrations of large tables were answered
 * for. `args` are passed to `wrangler deploy`.
 */
export async function release(
  environment: string,
  { isConfirmed = false, args = [] }: { isConfirmed?: boolean; args?: readonly string[] },
): Promise<void> {
  const version = await readVersion(environment)
  if (version) console.log(wayBack(environment, version, await readBookmark(environment)))
  // The database first: migrations only add what the running Worker ignores.
  for (const file of await applyMigrations(environment, isConfirmed))
    console.log(`Applied ${file}.`)
  await show(['deploy', '--env', environment, ...args])
}

const wayBack = (environment: string, version: string, bookmark: string) =>
  `To go back to the version before this deployment:
  npx wrangler rollback ${version} --env ${environment}
It works with the migrated database, and has the secrets of then: set again those that were replaced since
(TRANSFER_SIGNER_KEYS, JWT_KEYS, NETWORKS). Only if the data must go back too (what is written from now on
is lost, and shops must repeat their orders):
  npx wrangler d1 time-travel restore DB --env ${environment} --bookmark ${bookmark}
`

/** Runs a command with its output in this terminal. The cause of the error is what it printed as errors. */
export async function show(args: readonly string[]): Promise<void> {
  const child = startWrangler(args, 'shown')
  child.process.stderr?.pipe(process.stderr)
  const { errors: cause, code } = await readOutput(child)
  if (code !== 0)
    throw new CommandError(`wrangler ${args.join(' ')} exited with ${code}.`, { cause })
}
