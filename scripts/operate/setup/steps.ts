/** The steps of the setup, in order. */
import { readEnvironment } from '../cloudflare/environment.ts'
import { openRemoteDatabase } from '../database/remote.ts'
import {
  findNetworkProblems,
  findPlaceholders,
  PLACEHOLDER,
  readSigners,
} from '../deploy/checks.ts'
import { readUsedContracts } from '../deploy/lineage.ts'
import { parseIssuer } from '../tokens/issue.ts'
import { ensureAdministrator } from './administrator.ts'
import { ensureTestAlarm } from './alarms.ts'
import { ensureConfiguration } from './configuration.ts'
import { checkMail } from './mail.ts'
import type { Place } from './place.ts'
import { askOperator } from './questions.ts'
import { ensureReplication } from './replication.ts'
import { report, type Setup } from './report.ts'
import { ensureBuckets, ensureDatabase, ensureQueues } from './resources.ts'
import { ensureSecrets, readSecrets } from './secrets.ts'
import { checkStandby } from './standby.ts'
import { placeTestOrder } from './test-order.ts'
import { ensureWorker, findAnswerProblem } from './worker.ts'
import { checkZone } from './zone.ts'

export type Options = Place & {
  domain?: string
  'email-from'?: string
  'alarm-email'?: string
  administrator?: string
  'test-order': boolean
}

const noSigners = { signers: [], problems: [] }

/** Creates everything that the Worker needs. Returns whether it needs its secrets with its code. */
export async function prepare(setup: Setup, options: Options): Promise<boolean> {
  const { environment, isLoggedIn, demand } = setup
  report(
    'plan',
    'no command tells it. Workers Paid is needed: the free plan allows 10 ms of processor time and 50 database queries for a request',
  )
  const { publicUrl } = environment
  const isKnown = !PLACEHOLDER.test(publicUrl)
  const host = options.domain ?? (isKnown ? new URL(publicUrl).hostname : undefined)
  const isLive = isKnown && !(await findAnswerProblem(environment))
  if (host && !isLive) await checkZone(setup, host)
  const alarmEmail = options['alarm-email']
  const asked = await askOperator(setup, alarmEmail ? ['ALARM_EMAIL'] : [])
  const databaseId = await ensureDatabase(setup, options)
  const isPlaced = await ensureBuckets(setup, options)
  const { domain, 'email-from': emailFrom } = options
  const jurisdiction = isPlaced ? options.jurisdiction : undefined
  await ensureQueues(setup, jurisdiction)
  const toml = await ensureConfiguration(setup, {
    databaseId,
    domain,
    emailFrom,
    variables: { ...(alarmEmail && { ALARM_EMAIL: JSON.stringify(alarmEmail) }), ...asked },
    jurisdiction,
  })
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
  const { advise } = setup
  const state = await ensureWorker(setup, isUploadNeeded)
  if (state === 'missing') return
  // With what was written into wrangler.toml.
  const environment = readEnvironment(setup.environment.name)
  const { name, publicUrl } = environment
  await ensureReplication({ ...setup, environment })

  const db = openRemoteDatabase(name)
  const now = new Date()
  await ensureAdministrator(setup, db, options.administrator, now)
  if (state === 'live') await ensureTestAlarm({ ...setup, environment }, db, now)
  if (!options['test-order']) return
  if (state !== 'live') return advise('Run this again with --test-order once the address answers.')
  const JWT_KEYS = process.env.JWT_KEYS || (await readSecrets(name)).JWT_KEYS
  const issuer = parseIssuer({ PUBLIC_URL: publicUrl, JWT_KEYS })
  await placeTestOrder({ ...setup, environment }, db, issuer, now)
}
