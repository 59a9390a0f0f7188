/** `npm run setup -- --env production`: from an empty Cloudflare account to a live marketplace. */
import * as z from 'zod'
import { EmailAddress } from '../../src/http/inputs.ts'
import { CommandError, defineCommand, returnCommandError, start } from '../shell/command.ts'
import { readLogin } from './cloudflare/account.ts'
import { type Environment, readEnvironment } from './cloudflare/environment.ts'
import { networkVariables } from './contract/networks.ts'
import { report, type Setup } from './setup/report.ts'
import { jurisdictions, locations } from './setup/resources.ts'
import { goLive, type Options, prepare } from './setup/steps.ts'

export const command = defineCommand(
  {
    name: 'npm run setup',
    purpose:
      'Makes an environment live in your Cloudflare account: creates what is missing, and prints what is left to do by hand. Run it again after that: what is done stays as it is.',
    options: {
      env: { value: 'NAME', required: true, help: 'production or staging.' },
      domain: { value: 'HOST', help: 'Where the marketplace is: a host in a zone of the account.' },
      'email-from': { value: 'ADDRESS', help: 'The sender of sign-in mails.' },
      administrator: { value: 'ADDRESS', help: 'E-mail address of the first administrator.' },
      location: {
        value: 'REGION',
        help: `Where a new database is: ${Object.keys(locations).join(', ')}.`,
      },
      jurisdiction: {
        value: 'NAME',
        help: `Instead of it, where its data must stay: ${Object.keys(jurisdictions).join(', ')}.`,
      },
      'test-order': { help: 'Place an order on a testnet.' },
      'dry-run': { help: 'Only look, and print what would be done.' },
    },
    variables: {
      CLOUDFLARE_ACCOUNT_ID: 'Which account, if you have several.',
      CLOUDFLARE_API_TOKEN:
        'Instead of a login: a token that may edit Workers, D1, Queues and R2. Only with one, read replication is turned on.',
      TRANSFER_SIGNER_KEYS: 'Private keys of the relayers. Without it, a new relayer is made.',
      NETWORKS: networkVariables.NETWORKS,
    },
    example:
      'npm run setup -- --env staging --location weur --domain staging.example.com --email-from marketplace@example.com --administrator you@example.com --dry-run',
  },
  async ({ env, 'dry-run': isDryRun, ...options }) => {
    checkOptions(options)
    const demands = new Set<string>()
    const advice = new Set<string>()
    const environment = readEnvironment(env)
    const setup: Setup = {
      environment,
      isDryRun,
      isLoggedIn: await checkLogin(environment, isDryRun),
      demand: (sentence) => demands.add(sentence),
      advise: (sentence) => advice.add(sentence),
    }
    const isUploadNeeded = await prepare(setup, options)
    if (demands.size === 0) await goLive(setup, options, isUploadNeeded)
    printList('Before the Worker can be deployed, do this and run the same command again:', demands)
    printList('Left to do by hand:', advice)
    if (demands.size > 0 && !isDryRun) throw new CommandError('\nThe Worker was not deployed.')
  },
)

/** Returns whether there is a login. Throws a `CommandError` without one, except in a dry run. */
async function checkLogin({ accountId }: Environment, isDryRun: boolean): Promise<boolean> {
  const login = await readLogin(accountId).catch(returnCommandError)
  const isLoggedIn = !(login instanceof CommandError)
  if (!isLoggedIn && !isDryRun) throw login
  report('login', isLoggedIn ? login.text : `${login.message}\nWhat the account has is not known.`)
  return isLoggedIn
}

/** Throws a `CommandError`: what is written and deployed stays. */
function checkOptions({ domain, 'email-from': sender, administrator, ...place }: Options): void {
  const { location, jurisdiction } = place
  if (location !== undefined && jurisdiction !== undefined)
    throw new CommandError('Only one of --location and --jurisdiction can be given.')
  if (location !== undefined && !Object.hasOwn(locations, location))
    throw new CommandError(`--location must be one of ${Object.keys(locations).join(', ')}.`)
  if (jurisdiction === 'us')
    throw new CommandError(
      '--jurisdiction us is refused: D1 has it, but the list of jurisdictions of R2 has only eu and fedramp, and pictures would be stored elsewhere. Use --location wnam or enam, if no law says where the data must stay.',
    )
  if (jurisdiction !== undefined && !Object.hasOwn(jurisdictions, jurisdiction))
    throw new CommandError(
      `--jurisdiction must be one of ${Object.keys(jurisdictions).join(', ')}.`,
    )
  if (domain !== undefined && !z.hostname().regex(/\./).safeParse(domain).success)
    throw new CommandError(
      `--domain must be a host such as marketplace.example.com, not "${domain}".`,
    )
  for (const [name, address, schema] of [
    ['email-from', sender, z.email()],
    ['administrator', administrator, EmailAddress],
  ] as const)
    if (address !== undefined && !schema.safeParse(address.trim()).success)
      throw new CommandError(`--${name} must be an e-mail address, not "${address}".`)
}

function printList(title: string, sentences: Set<string>): void {
  if (sentences.size === 0) return
  console.log(`\n${title}`)
  let number = 0
  for (const sentence of sentences)
    console.log(`${++number}. ${sentence.replaceAll('\n', '\n   ')}`)
}

if (import.meta.main) await start(command)
