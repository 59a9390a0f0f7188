/** Turns on the read replicas of the database. Wrangler has no command for it. */

import { returnCommandError } from '../../shell/command.ts'
import { runWrangler } from '../../shell/wrangler.ts'
import { readLogin } from '../cloudflare/account.ts'
import { report, type Setup } from './report.ts'

const BODY = '{"read_replication":{"mode":"auto"}}'

/**
 * To be called after migrations: imports of files are reported to fail for a time after a change of
 * this setting (https://github.com/cloudflare/workers-sdk/issues/13690).
 */
export async function ensureReplication({ environment, isDryRun, advise }: Setup) {
  const { name, id } = environment.database
  const tell = (state: string) => report('replication', `${name}: ${state}`)
  if (await isReplicated(name)) return tell('already on')
  if (isDryRun) return tell('would be turned on')
  const { accountId } = await readLogin(environment.accountId)
  // Wrangler reads the same variable.
  const api = process.env.CLOUDFLARE_API_BASE_URL || 'https://api.cloudflare.com/client/v4'
  const url = `${api}/accounts/${accountId}/d1/database/${id}`
  const problem = await turnOn(url)
  if (!problem) return tell('turned on')
  tell(`off. ${problem}`)
  advise(`Turn on read replication; without it, every read goes to the region of the database. In the Cloudflare dashboard: Storage & databases, D1, ${name}, Settings, Enable Read Replication. Or with an API token that may edit D1:
curl -X PUT "${url}" -H "Authorization: Bearer $CLOUDFLARE_API_TOKEN" -H "Content-Type: application/json" --data '${BODY}'`)
}

/** Returns false also if the login may not read it. */
async function isReplicated(database: string): Promise<boolean> {
  const info = await runWrangler(['d1', 'info', database, '--json']).catch(returnCommandError)
  return typeof info === 'string' && JSON.parse(info).read_replication?.mode === 'auto'
}

/** Returns why it did not work. https://developers.cloudflare.com/api/resources/d1/subresources/database/methods/update */
async function turnOn(url: string): Promise<string | undefined> {
  const { CLOUDFLARE_API_TOKEN: token } = process.env
  if (!token) return 'The login of wrangler cannot change it, and CLOUDFLARE_API_TOKEN is not set.'
  const answer = await fetch(url, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: BODY,
    signal: AbortSignal.timeout(30_000),
  }).catch((error: Error) => error)
  if (answer instanceof Error) return `${url} cannot be reached: ${answer.message}.`
  return answer.ok ? undefined : `Cloudflare answered ${answer.status}: ${await answer.text()}`
}
