/** Makes an environment live, or says what is left to do by hand. */
import * as z from 'zod'
import { EmailAddress } from '../../../src/http/inputs.ts'
import { CommandError, returnCommandError } from '../../shell/command.ts'
import { readLogin } from '../cloudflare/account.ts'
import { type Environment, readEnvironment } from '../cloudflare/environment.ts'
import { checkPlace } from './place.ts'
import { report, type Setup } from './report.ts'
import { goLive, type Options, prepare } from './steps.ts'

export async function setUp(env: string, isDryRun: boolean, options: Options): Promise<void> {
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
  printList('Before the marketplace is live, do this and run the same command again:', demands)
  printList('Left to do by hand:', advice)
  if (demands.size > 0 && !isDryRun) throw new CommandError('\nThe marketplace is not live yet.')
}

/** Returns whether there is a login. Throws a `CommandError` without one, except in a dry run. */
async function checkLogin({ accountId }: Environment, isDryRun: boolean): Promise<boolean> {
  const login = await readLogin(accountId).catch(returnCommandError)
  const isLoggedIn = !(login instanceof CommandError)
  if (!isLoggedIn && !isDryRun) throw login
  report('login', isLoggedIn ? login.text : `${login.message}\nWhat the account has is not known.`)
  return isLoggedIn
}

/** Throws a `CommandError`: what is written and deployed stays. */
function checkOptions({ domain, administrator, ...options }: Options): void {
  checkPlace(options)
  if (domain !== undefined && !z.hostname().regex(/\./).safeParse(domain).success)
    throw new CommandError(
      `--domain must be a host such as marketplace.example.com, not "${domain}".`,
    )
  for (const [name, address, schema] of [
    ['email-from', options['email-from'], z.email()],
    ['alarm-email', options['alarm-email'], z.email()],
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
