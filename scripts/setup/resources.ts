/** Creates what the Worker stores its data in. */
import { listDatabases, readConsumers, readLifecycle } from '../cloudflare/account.ts'
import { PLACEHOLDER } from '../deploy/checks.ts'
import { CommandError } from '../shell/command.ts'
import { runWrangler } from '../shell/wrangler.ts'
import { ensure, type Setup } from './report.ts'

/** Returns the id of the database. */
export async function ensureDatabase(setup: Setup): Promise<string> {
  const { name, id } = setup.environment.database
  let existing: string | undefined
  const find = async () => {
    const databases = await listDatabases()
    if (id && !PLACEHOLDER.test(id) && !databases.has(id))
      throw new CommandError(
        `wrangler.toml names the database ${id}, which this account does not have. Log in to the account that has it, or replace the id by "<new>".`,
      )
    existing = databases.has(id) ? id : findId(name, databases)
    return existing !== undefined
  }
  await ensure(setup, 'database', name, find, () => runWrangler(['d1', 'create', name]))
  if (existing) return existing
  if (setup.isDryRun) return 'the id of the new database'
  const created = findId(name, await listDatabases())
  if (created) return created
  throw new CommandError(`The new database ${name} is not listed yet. Run this again.`)
}

const findId = (name: string, databases: Map<string, string>): string | undefined =>
  [...databases].find(([, other]) => other === name)?.[0]

/** Days after which the parts of an upload that never ended are deleted. */
const ABORT_DAYS = '7'

export async function ensureBuckets(setup: Setup): Promise<void> {
  for (const bucket of setup.environment.buckets) {
    const isThere = await ensure(
      setup,
      'bucket',
      bucket,
      async () => (await readLifecycle(bucket)) !== undefined,
      () => runWrangler(['r2', 'bucket', 'create', bucket]),
    )
    if (!isThere) continue
    const isAborting = async () =>
      /Abort incomplete multipart uploads/.test((await readLifecycle(bucket)) ?? '')
    await ensure(setup, 'lifecycle', `${bucket} aborts incomplete uploads`, isAborting, () =>
      runWrangler([
        ...['r2', 'bucket', 'lifecycle', 'add', bucket, 'abort-incomplete-uploads'],
        ...['--abort-multipart-days', ABORT_DAYS, '--force'],
      ]),
    )
  }
}

export async function ensureQueues(setup: Setup): Promise<void> {
  const { queues, consumed } = setup.environment
  for (const queue of new Set([...queues, ...consumed])) {
    const isThere = async () => (await readConsumers(queue)) !== undefined
    await ensure(setup, 'queue', queue, isThere, () => runWrangler(['queues', 'create', queue]))
  }
}
