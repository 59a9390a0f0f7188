/** `npm run setup -- --env production`: from an empty Cloudflare account to a live marketplace. */
import { readLogin, readVersion } from './cloudflare/account.ts'
import { type Environment, readEnvironment } from './cloudflare/environment.ts'
import { openRemoteDatabase } from './database/remote.ts'
import { findNetworkProblems, findPlaceholders, PLACEHOLDER, readSigners } from './deploy/checks.ts'
import { release } from './deploy/release.ts'
import { ensureAdministrator } from './setup/administrator.ts'
import { ensureConfiguration } from './setup/configuration.ts'
import { checkMail } from './setup/mail.ts'
import { report, type Setup } from './setup/report.ts'
import { ensureBuckets, ensureDatabase, ensureQueues } from './setup/resources.ts'
import { ensureSecrets, readSecrets, secretsFile } from './setup/secrets.ts'
import { placeTestOrder } from './setup/test-order.ts'
import { runCommand } from './shell/command.ts'
import { parseIssuer } from './tokens/issue.ts'

type Options = {
  domain?: string
  'email-from'?: string
  administrator?: string
  'test-order': boolean
}

await runCommand(
  {
    name: 'npm run setup',
    purpose:
      'Makes an environment live in your Cloudflare account: creates what is missing, and prints what is left to do by hand. Run it again after that: what is done stays as it is.',
    options: {
      env: { type: 'string', value: 'NAME', required: true, help: 'production or staging.' },
      domain: {
        type: 'string',
        value: 'HOST',
        help: 'Where the marketplace is: a host in a zone of the account.',
      },
      'email-from': { type: 'string', value: 'ADDRESS', help: 'The sender of sign-in mails.' },
      administrator: {
        type: 'string',
        value: 'ADDRESS',
        help: 'E-mail address of the first administrator.',
      },
      'test-order': { type: 'boolean', default: false, help: 'Place an order on a testnet.' },
      'dry-run': {
        type: 'boolean',
        default: false,
        help: 'Only look, and print what would be done.',
      },
    },
    variables: {
      CLOUDFLARE_ACCOUNT_ID: 'Which account, if you have several.',
      TRANSFER_SIGNER_KEYS: 'Private keys of the relayers. Without it, a new relayer is made.',
    },
    example:
      'npm run setup -- --env staging --domain staging.example.com --email-from marketplace@example.com --administrator you@example.com --dry-run',
  },
  async ({ env, 'dry-run': isDryRun, ...options }) => {
    const demands = new Set<string>()
    const advice = new Set<string>()
    const setup: Setup = {
      environment: readEnvironment(env),
      isDryRun,
      report,
      demand: (sentence) => demands.add(sentence),
      advise: (sentence) => advice.add(sentence),
    }
    const isUploadNeeded = await prepare(setup, options)
    if (demands.size === 0) await goLive(setup, options, isUploadNeeded)
    if (demands.size > 0) {
      printList(
        'Before the Worker can be deployed, do this and run the same command again:',
        demands,
      )
      if (!isDryRun) process.exitCode = 1
    }
    printList('Left to do by hand:', advice)
  },
)

const noSigners = { signers: [], problems: [] }

/** Makes everything that the Worker needs. Returns whether it needs its secrets with its code. */
async function prepare(setup: Setup, options: Options): Promise<boolean> {
  const { environment, demand } = setup
  report('login', await readLogin(environment.accountId))
  report(
    'plan',
    'no command tells it. Workers Paid is needed: the free plan allows 10 ms of processor time and 50 database queries for a request',
  )
  const databaseId = await ensureDatabase(setup)
  await ensureBuckets(setup)
  await ensureQueues(setup)
  const { domain, 'email-from': emailFrom } = options
  const toml = await ensureConfiguration(setup, { databaseId, domain, emailFrom })
  for (const problem of findPlaceholders(environment.name, toml)) demand(problem)

  const { database } = readEnvironment(environment.name)
  const { secrets, isUploadNeeded } = await ensureSecrets(setup, !PLACEHOLDER.test(database.id))
  const keys = secrets.TRANSFER_SIGNER_KEYS
  const { signers, problems } = keys ? readSigners(environment.name, keys) : noSigners
  for (const problem of [...problems, ...(await findNetworkProblems(environment.name, signers))])
    demand(problem)
  await checkMail(setup, emailFrom ?? environment.emailFrom)
  return isUploadNeeded
}

/** Deploys the Worker, and prepares it for people. */
async function goLive(setup: Setup, options: Options, isUploadNeeded: boolean): Promise<void> {
  const { isDryRun, advise } = setup
  // With what was written into wrangler.toml.
  const environment = readEnvironment(setup.environment.name)
  const { name, worker, publicUrl } = environment
  const isDeployed = !isUploadNeeded && (await readVersion(name))
  if (isDeployed)
    report('worker', `${worker}: already there. To replace it: npm run deploy -- --env ${name}`)
  else if (isDryRun) return report('worker', `${worker}: would be deployed`)
  else {
    await release(name, isUploadNeeded ? ['--secrets-file', secretsFile(name)] : [])
    report('worker', `${worker}: deployed`)
  }
  const problem = await findAnswerProblem(environment)
  if (problem) advise(problem)
  else report('address', `${publicUrl} answers`)

  const db = openRemoteDatabase(name)
  const now = new Date()
  await ensureAdministrator(setup, db, options.administrator, now)
  if (!options['test-order']) return
  if (problem) return advise('Run this again with --test-order once the address answers.')
  const JWT_KEYS = process.env.JWT_KEYS || (await readSecrets(name)).JWT_KEYS
  const issuer = parseIssuer({ PUBLIC_URL: publicUrl, JWT_KEYS })
  await placeTestOrder({ ...setup, environment }, db, issuer, now)
}

async function findAnswerProblem({ name, publicUrl }: Environment): Promise<string | undefined> {
  const url = `${publicUrl}/api/public/stats`
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch((e: Error) => e)
  if (answer instanceof Response && answer.ok) return undefined
  const reason = answer instanceof Response ? `status ${answer.status}` : answer.message
  return `${url} does not answer as it should (${reason}). A new domain takes some minutes for DNS and certificate; after that, look into the log: npx wrangler tail --env ${name}`
}

function printList(title: string, sentences: Set<string>): void {
  if (sentences.size === 0) return
  console.log(`\n${title}`)
  let number = 0
  for (const sentence of sentences)
    console.log(`${++number}. ${sentence.replaceAll('\n', '\n   ')}`)
}
