/** Uploads the Worker, and publishes its address, queues and cron. */
import { isZoneProtection, ZONE_MESSAGE } from '../../../client/src/errors.ts'
import { CommandError, returnCommandError } from '../../shell/command.ts'
import { oneLineReason, readVersion } from '../cloudflare/account.ts'
import { type Environment, readEnvironment } from '../cloudflare/environment.ts'
import { release, show } from '../deploy/release.ts'
import { report, type Setup } from './report.ts'
import { secretsFile } from './secrets.ts'

/** `live`: its address answers. `uploaded`: the database is there, but nobody can reach it yet. */
type WorkerState = 'live' | 'uploaded' | 'missing'

/** What no command can do or see. Given until the address answers. */
const FIRST_ADVICE = [
  'Watch the marketplace from outside: a monitor of yours reads /health each minute, and the metrics marketplace_cron_last_run_timestamp_seconds and marketplace_alarm. No mail tells that mail or the cron run does not work. docs/operations.md, "Alarms", says how.',
  'Let the servers of shops through: in the dashboard of the zone, under Security, switch off Bot Fight Mode, and Browser Integrity Check for this host. docs/deploying.md, "Let servers through", says how.',
  'Give each shop a token of its own with the permission “Only the orders of one shop”: sign in as the administrator, Settings, API Access.',
]

/**
 * Uploads the Worker if it is missing, with its secrets if it needs them. One whose address does not answer
 * gets its triggers again: `wrangler deploy` may fail after the upload.
 */
export async function ensureWorker(setup: Setup, isUploadNeeded: boolean): Promise<WorkerState> {
  // With what was written into wrangler.toml.
  const environment = readEnvironment(setup.environment.name)
  const { name, worker, publicUrl } = environment
  const isUploaded = !isUploadNeeded && (await readVersion(name)) !== undefined
  if (isUploaded && !(await findAnswerProblem(environment))) {
    report('worker', `${worker}: already there. To replace it: npm run deploy -- --env ${name}`)
    report('address', `${publicUrl} answers`)
    return 'live'
  }
  for (const sentence of FIRST_ADVICE) setup.advise(sentence)
  if (setup.isDryRun) {
    report('worker', `${worker}: would be ${isUploaded ? 'published again' : 'deployed'}`)
    return isUploaded ? 'uploaded' : 'missing'
  }
  if (!(await publish(setup, isUploaded, isUploadNeeded))) return 'missing'
  report('worker', `${worker}: ${isUploaded ? 'published again' : 'deployed'}`)
  const problem = await findAnswerProblem(environment)
  report('address', `${publicUrl} ${problem ? 'does not answer yet' : 'answers'}`)
  if (problem) setup.advise(problem)
  return problem ? 'uploaded' : 'live'
}

/** Demands what Cloudflare wants first. Returns whether the Worker has its triggers. */
async function publish(
  { environment, demand }: Setup,
  isUploaded: boolean,
  withSecrets: boolean,
): Promise<boolean> {
  const { name } = environment
  const running = isUploaded
    ? show(['triggers', 'deploy', '--env', name])
    : release(name, { args: withSecrets ? ['--secrets-file', secretsFile(name)] : [] })
  const error = await running.catch(returnCommandError)
  if (!error) return true
  // Only what `show` has run has one.
  if (error.cause === undefined) throw error
  const cause = new CommandError(String(error.cause))
  if (/\[code: 10063\]/.test(cause.message))
    demand(
      'Open Workers in the dashboard once: https://dash.cloudflare.com/?to=/:account/workers-and-pages. This registers a workers.dev subdomain, without which Cloudflare takes no Worker, although this one is not reached through it.',
    )
  else if (await readVersion(name))
    demand(
      `${environment.worker} is uploaded, but its address, queues and cron were not published. wrangler says: “${oneLineReason(cause)}” The host has to be in a zone of this account, and have no other DNS record. The next run publishes them.`,
    )
  else throw error
  return false
}

/** Returns a sentence if the address does not answer as the marketplace. */
export async function findAnswerProblem({
  name,
  publicUrl,
}: Environment): Promise<string | undefined> {
  const url = `${publicUrl}/api/public/stats`
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch((e: Error) => e)
  if (answer instanceof Response && answer.ok) return undefined
  if (answer instanceof Response && isZoneProtection(answer)) return `${url}: ${ZONE_MESSAGE}`
  const reason = answer instanceof Response ? `status ${answer.status}` : answer.message
  return `${url} does not answer as it should (${reason}). A new domain takes up to half an hour for DNS and certificate: run the same command again then, which goes on from here. After that, look into the log: npx wrangler tail --env ${name}`
}
