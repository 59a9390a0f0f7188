/** The steps of the setup, in order. */
import { isZoneProtection, ZONE_MESSAGE } from '../../../client/src/errors.ts'
import { returnCommandError } from '../../shell/command.ts'
import { readVersion } from '../cloudflare/account.ts'
import { type Environment, readEnvironment } from '../cloudflare/environment.ts'
import { openRemoteDatabase } from '../database/remote.ts'
import {
  findNetworkProblems,
  findPlaceholders,
  PLACEHOLDER,
  readSigners,
} from '../deploy/checks.ts'
import { readUsedContracts } from '../deploy/lineage.ts'
import { release } from '../deploy/release.ts'
import { parseIssuer } from '../tokens/issue.ts'
import { ensureAdministrator } from './administrator.ts'
import { ensureConfiguration } from './configuration.ts'
import { checkMail } from './mail.ts'
import { checkMints } from './mints.ts'
import type { Place } from './place.ts'
import { ensureReplication } from './replication.ts'
import { report, type Setup } from './report.ts'
import { ensureBuckets, ensureDatabase, ensureQueues } from './resources.ts'
import { ensureSecrets, readSecrets, secretsFile } from './secrets.ts'
import { checkStandby } from './standby.ts'
import { placeTestOrder } from './test-order.ts'

export type Options = Place & {
  domain?: string
  'email-from'?: string
  administrator?: string
  'test-order': boolean
}

/** No command can change it without a token for the zone. */
const ZONE_ADVICE =
  'Let the servers of shops through: in the dashboard of the zone, under Security, switch off Bot Fight Mode, and Browser Integrity Check for this host. docs/deploying.md, "Let servers through", says how.'

const SHOP_ADVICE =
  'Give each shop a token of its own with the permission “Only the orders of one shop”: sign in as the administrator, Settings, API Access.'

const noSigners = { signers: [], problems: [] }

/** Creates everything that the Worker needs. Returns whether it needs its secrets with its code. */
export async function prepare(setup: Setup, options: Options): Promise<boolean> {
  const { environment, isLoggedIn, demand } = setup
  report(
    'plan',
    'no command tells it. Workers Paid is needed: the free plan allows 10 ms of processor time and 50 database queries for a request',
  )
  const databaseId = await ensureDatabase(setup, options)
  const isPlaced = await ensureBuckets(setup, options)
  await ensureQueues(setup)
  const { domain, 'email-from': emailFrom } = options
  const jurisdiction = isPlaced ? options.jurisdiction : undefined
  const toml = await ensureConfiguration(setup, { databaseId, domain, emailFrom, jurisdiction })
  for (const problem of findPlaceholders(environment.name, toml)) demand(problem)

  const { name, database } = readEnvironment(environment.name)
  const isDatabaseKnown = isLoggedIn && !PLACEHOLDER.test(database.id)
  const { secrets, isUploadNeeded } = await ensureSecrets(setup, isDatabaseKnown)
  const keys = secrets.TRANSFER_SIGNER_KEYS
  const { signers, problems } = keys ? readSigners(name, keys) : noSigners
  await checkStandby(setup, signers)
  const used = isDatabaseKnown ? await readUsedContracts(openRemoteDatabase(name)) : new Map()
  const expected = { environment: name, signers, used }
  for (const problem of [...problems, ...(await findNetworkProblems(expected))]) demand(problem)
  if (isLoggedIn) await checkMail(setup, emailFrom ?? environment.emailFrom)
  return isUploadNeeded
}

/** Deploys the Worker, and prepares it for people. */
export async function goLive(
  setup: Setup,
  options: Options,
  isUploadNeeded: boolean,
): Promise<void> {
  const { isDryRun, advise } = setup
  // With what was written into wrangler.toml.
  const environment = readEnvironment(setup.environment.name)
  const { name, worker, publicUrl } = environment
  const isDeployed = !isUploadNeeded && (await readVersion(name))
  if (isDeployed)
    report('worker', `${worker}: already there. To replace it: npm run deploy -- --env ${name}`)
  else if (isDryRun) return report('worker', `${worker}: would be deployed`)
  else {
    const isReleased = await releaseFirst(setup, isUploadNeeded)
    if (!isReleased) return
    report('worker', `${worker}: deployed`)
    advise(ZONE_ADVICE)
    advise(SHOP_ADVICE)
  }
  await ensureReplication({ ...setup, environment })
  const problem = await findAnswerProblem(environment)
  if (problem) advise(problem)
  else report('address', `${publicUrl} answers`)

  const db = openRemoteDatabase(name)
  const now = new Date()
  await ensureAdministrator(setup, db, options.administrator, now)
  await checkMints(setup, db, now)
  if (!options['test-order']) return
  if (problem) return advise('Run this again with --test-order once the address answers.')
  const JWT_KEYS = process.env.JWT_KEYS || (await readSecrets(name)).JWT_KEYS
  const issuer = parseIssuer({ PUBLIC_URL: publicUrl, JWT_KEYS })
  await placeTestOrder({ ...setup, environment }, db, issuer, now)
}

/** Deploys, or demands what Cloudflare wants of an account before its first Worker. */
async function releaseFirst({ environment, demand }: Setup, withSecrets: boolean) {
  const { name } = environment
  const args = withSecrets ? ['--secrets-file', secretsFile(name)] : []
  const error = await release(name, args).catch(returnCommandError)
  if (!error) return true
  if (!/\[code: 10063\]/.test(String(error.cause))) throw error
  demand(
    'Open Workers in the dashboard once: https://dash.cloudflare.com/?to=/:account/workers-and-pages. This registers a workers.dev subdomain, without which Cloudflare takes no Worker, although this one is not reached through it.',
  )
  return false
}

async function findAnswerProblem({ name, publicUrl }: Environment): Promise<string | undefined> {
  const url = `${publicUrl}/api/public/stats`
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch((e: Error) => e)
  if (answer instanceof Response && answer.ok) return undefined
  if (answer instanceof Response && isZoneProtection(answer)) return `${url}: ${ZONE_MESSAGE}`
  const reason = answer instanceof Response ? `status ${answer.status}` : answer.message
  return `${url} does not answer as it should (${reason}). A new domain takes some minutes for DNS and certificate; after that, look into the log: npx wrangler tail --env ${name}`
}
