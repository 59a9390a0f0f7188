/** What only the operator knows: whom alarms reach, and what pages and mails say of the marketplace. */
import { settingsSchema } from '../../../src/env.ts'
import { ask } from '../../shell/ask.ts'
import { CommandError } from '../../shell/command.ts'
import { PLACEHOLDER } from '../deploy/checks.ts'
import type { Setup } from './report.ts'

/** A question, by its variable; `LEGAL_LINKS.terms` is a part of one. */
const questions: Record<string, string> = {
  ALARM_EMAIL: 'E-mail address for alarms (empty: that of the administrators): ',
  INSTANCE_NAME: 'Name of the marketplace (empty: Marketplace): ',
  OPERATOR_NAME: 'Who operates it, as in "Example Ltd" (empty: not said): ',
  SUPPORT_EMAIL: 'E-mail address for questions of buyers (empty: none): ',
  'LEGAL_LINKS.imprint': 'URL of the legal notice (empty: none): ',
  'LEGAL_LINKS.terms': 'URL of the terms (empty: none): ',
  'LEGAL_LINKS.privacy': 'URL of the privacy policy (empty: none): ',
}

/**
 * Asks once, before there is a database, for what is not set. Returns the values for wrangler.toml, by
 * variable. Throws a `CommandError` for an answer that the Worker would refuse.
 */
export async function askOperator({ environment, isDryRun }: Setup, given: string[]) {
  const values: Record<string, string> = {}
  if (!PLACEHOLDER.test(environment.database.id) || isDryRun || !process.stdin.isTTY) return values
  const links: Record<string, string> = {}
  for (const [variable, question] of Object.entries(questions)) {
    const [name = '', part] = variable.split('.')
    if ([...environment.variables, ...given].includes(name)) continue
    const answer = await ask(question)
    if (!answer) continue
    const { success } = settingsSchema
      .pick({ [name]: true } as { ALARM_EMAIL: true })
      .safeParse({ [name]: part ? { [part]: answer } : answer })
    if (!success)
      throw new CommandError(`"${answer}" is not possible for ${variable}. Nothing was changed.`)
    if (part) links[part] = `${part} = ${JSON.stringify(answer)}`
    else values[name] = JSON.stringify(answer)
  }
  if (Object.keys(links).length > 0) values.LEGAL_LINKS = `{ ${Object.values(links).join(', ')} }`
  return values
}
