/** Turns on the read replicas of the database. Wrangler has no command for it. */

import { CommandError, returnCommandError } from '../../shell/command.ts'
import { runWrangler } from '../../shell/wrangler.ts'
import { accountUrl, callApi } from '../cloudflare/account.ts'
import { report, type Setup } from './report.ts'

/** https://developers.cloudflare.com/api/resources/d1/subresources/database/methods/update */
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
  const url = `${await accountUrl(environment)}/d1/database/${id}`
  const headers = { 'content-type': 'application/json' }
  const answer = await callApi(url, { method: 'PUT', headers, body: BODY }).catch(
    returnCommandError,
  )
  if (!(answer instanceof CommandError)) return tell('turned on')
  tell(`off. ${answer.message}`)
  advise(`Turn on read replication; without it, every read goes to the region of the database. In the Cloudflare dashboard: Storage & databases, D1, ${name}, Settings, Enable Read Replication. Or with an API token that may edit D1:
curl -X PUT "${url}" -H "Authorization: Bearer $CLOUDFLARE_API_TOKEN" -H "Content-Type: application/json" --data '${BODY}'`)
}

/** Returns false also if the login may not read it. */
async function isReplicated(database: string): Promise<boolean> {
  const info = await runWrangler(['d1', 'info', database, '--json']).catch(returnCommandError)
  return typeof info === 'string' && JSON.parse(info).read_replication?.mode === 'auto'
}
