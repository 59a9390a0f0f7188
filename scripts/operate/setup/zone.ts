/** Whether the host is in a zone of Cloudflare, which the address of a Worker needs. */
import { Resolver } from 'node:dns/promises'
import { confirm } from '../../shell/ask.ts'
import { CommandError } from '../../shell/command.ts'
import { report, type Setup } from './report.ts'

/** What DNS answers if a name has no name servers of its own. */
const NONE = ['ENODATA', 'ENOTFOUND']

/**
 * Warns where DNS tells of no zone, and asks whether to go on. DNS does not tell of a zone that is partial
 * or pending, and not whose account has it: wrangler refuses that of another one.
 */
export async function checkZone({ isDryRun, advise }: Setup, host: string): Promise<void> {
  const problem = await findZoneProblem(host)
  if (!problem) return
  report('zone', problem)
  advise(
    `Add the domain of ${host} as a zone to this account, and set the name servers that Cloudflare names at the registrar: https://dash.cloudflare.com/?to=/:account/add-site. The address of the Worker has to be in a zone of the account.`,
  )
  if (isDryRun || !process.stdin.isTTY) return
  if (
    !(await confirm('Go on, as with a zone that is partial, pending, or has other name servers?'))
  )
    throw new CommandError('Nothing was changed.')
}

/** Returns a sentence if name servers of Cloudflare are not found. */
async function findZoneProblem(host: string): Promise<string | undefined> {
  try {
    const zone = await findZone(host)
    if (!zone) return `DNS has no zone for ${host}`
    const isOfCloudflare = zone.servers.some((server) => /\.ns\.cloudflare\.com$/i.test(server))
    if (!isOfCloudflare)
      return `${zone.name} has the name server ${zone.servers[0]}, not those of Cloudflare`
    report('zone', `${zone.name}: at Cloudflare`)
    return undefined
  } catch (error) {
    report('zone', `not known: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
}

/** Returns the closest domain that has name servers, from the host upward. */
async function findZone(host: string): Promise<{ name: string; servers: string[] } | undefined> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const labels = host.split('.')
  for (let i = 0; i < labels.length - 1; i++) {
    const name = labels.slice(i).join('.')
    const servers = await resolver.resolveNs(name).catch((error: NodeJS.ErrnoException) => {
      if (NONE.includes(error.code ?? '')) return []
      throw error
    })
    if (servers.length > 0) return { name, servers }
  }
  return undefined
}
