/** Whether the domain of the sender may send mails through Cloudflare. */

import { CommandError, returnCommandError } from '../../shell/command.ts'
import { runWrangler } from '../../shell/wrangler.ts'
import { oneLineReason } from '../cloudflare/account.ts'
import { PLACEHOLDER } from '../deploy/checks.ts'
import { report, type Setup } from './report.ts'

export async function checkMail({ advise }: Setup, emailFrom: string): Promise<void> {
  if (PLACEHOLDER.test(emailFrom)) return
  const domain = emailFrom.replace(/^.*@/, '')
  const state = await readState(domain)
  if (state === true) return report('e-mail', `${domain}: sending is enabled`)
  report('e-mail', `${domain}: ${state === false ? 'sending is not enabled' : state}`)
  advise(
    `Let ${domain} send mails: npx wrangler email sending enable ${domain}, then add the DNS records that npx wrangler email sending dns get ${domain} prints. Until then only addresses that are verified in the Cloudflare dashboard (Email Routing) receive sign-in links.`,
  )
}

/** Returns why it is not known, if that is the case. */
async function readState(domain: string): Promise<boolean | string> {
  const output = await runWrangler(['email', 'sending', 'list', domain]).catch(returnCommandError)
  if (output instanceof CommandError) return oneLineReason(output)
  const row = output.split('\n').find((line) => splitCells(line).includes(domain))
  return row !== undefined && splitCells(row).includes('yes')
}

const splitCells = (row: string) => row.split('│').map((cell) => cell.trim())
