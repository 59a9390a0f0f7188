/** Creates what the Worker stores its data in. */

import { CommandError } from '../../shell/command.ts'
import { runWrangler } from '../../shell/wrangler.ts'
import { bucketArgs, listDatabases, readConsumers, readLifecycle } from '../cloudflare/account.ts'
import type { Bucket } from '../cloudflare/environment.ts'
import { PLACEHOLDER } from '../deploy/checks.ts'
import { type Place, placeOptions } from './place.ts'
import { ensure, report, type Setup } from './report.ts'

/** Returns the id of the database. */
export async function ensureDatabase(setup: Setup, place: Place): Promise<string> {
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
  await ensure(setup, 'database', name, find, () =>
    runWrangler(['d1', 'create', ...placeOptions(place), name]),
  )
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

/** Demands what the account lacks. Returns whether the bindings may get the jurisdiction of `place`. */
export async function ensureBuckets(setup: Setup, place: Place): Promise<boolean> {
  const { environment, isLoggedIn, demand } = setup
  const jurisdiction = environment.jurisdiction ?? place.jurisdiction
  try {
    for (const bucket of environment.buckets) {
      const isMoved = jurisdiction && !bucket.jurisdiction && isLoggedIn
      if (isMoved && (await readLifecycle(bucket)) !== undefined) {
        demand(
          `The bucket ${bucket.name} exists outside of the jurisdiction ${jurisdiction}, and cannot be moved. Leave --jurisdiction out, or empty and delete it: npx wrangler r2 bucket delete ${bucket.name}`,
        )
        return false
      }
      await ensureBucket(setup, { ...bucket, jurisdiction: bucket.jurisdiction ?? jurisdiction })
    }
    return true
  } catch (error) {
    if (!(error instanceof CommandError && /\[code: 10042\]/.test(error.message))) throw error
    report('bucket', 'the account does not have R2')
    demand(
      'Enable R2 in your account: https://dash.cloudflare.com/?to=/:account/r2/overview. Every account has to do so once, also with Workers Paid.',
    )
    return true
  }
}

async function ensureBucket(setup: Setup, bucket: Bucket): Promise<void> {
  const { name, jurisdiction } = bucket
  const isThere = await ensure(
    setup,
    'bucket',
    jurisdiction ? `${name} (${jurisdiction})` : name,
    async () => (await readLifecycle(bucket)) !== undefined,
    () => runWrangler(['r2', 'bucket', 'create', ...bucketArgs(bucket)]),
  )
  if (!isThere) return
  const isAborting = async () =>
    /Abort incomplete multipart uploads/.test((await readLifecycle(bucket)) ?? '')
  await ensure(setup, 'lifecycle', `${name} aborts incomplete uploads`, isAborting, () =>
    runWrangler([
      ...['r2', 'bucket', 'lifecycle', 'add', name, 'abort-incomplete-uploads'],
      ...['--abort-multipart-days', ABORT_DAYS, '--force'],
      ...bucketArgs(bucket).slice(1),
    ]),
  )
}

/** `given`: where the queues are kept, if not where the buckets are. */
export async function ensureQueues(setup: Setup, given: string | undefined): Promise<void> {
  const { queues, consumed, jurisdiction = given } = setup.environment
  const options = jurisdiction ? ['--jurisdiction', jurisdiction] : []
  for (const queue of new Set([...queues, ...consumed])) {
    const isThere = async () => (await readConsumers(queue)) !== undefined
    await ensure(setup, 'queue', queue, isThere, () =>
      runWrangler(['queues', 'create', queue, ...options]),
    )
  }
}
