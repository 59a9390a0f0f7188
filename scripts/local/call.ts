/** Calls the control API of the `npm run dev` that is running in this folder. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { CommandError } from '../shell/command.ts'
import { DURATION, parseDuration } from './duration.ts'
import { requireRunning } from './lock.ts'

/** Moves the clock of the running instance forward, and prints its time. */
export async function callAdvance(by: string): Promise<void> {
  if (parseDuration(by) === undefined) throw new CommandError(`--advance ${DURATION}, not "${by}".`)
  const [url = ''] = /http:\S+$/.exec(await requireRunning()) ?? []
  const { now } = await call<{ now: string }>(`${url}/dev/advance`, { by })
  console.log(`It is ${now} now.`)
}

/** Unlike `fetch`, it waits for as long as the call takes. */
async function call<Result>(url: string, input: object): Promise<Result> {
  const outgoing = request(url, { method: 'POST' }).end(JSON.stringify(input))
  try {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    const result = (await json(response)) as Result & { error?: string }
    if (response.statusCode === 200) return result
    throw new CommandError(`${url}: ${result.error}`)
  } catch (error) {
    if (error instanceof CommandError) throw error
    const reason = error instanceof Error ? error.message : error
    throw new CommandError(
      `${url} does not respond (${reason}). Is \`npm run dev\` still starting?`,
    )
  }
}
