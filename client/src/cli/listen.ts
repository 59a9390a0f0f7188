/** `marketplace listen`: forwards the events of an instance to a receiver. */
import { isIP } from 'node:net'
import type { MarketplaceClient } from '../client.ts'
import { ApiError } from '../errors.ts'
import { wait } from '../retry.ts'
import { defineCommand, UsageError } from './command.ts'
import { instanceOptions, openInstance } from './instance.ts'
import { untilInterrupted } from './interrupt.ts'
import { endOfLog, followLog, type Position } from './log.ts'
import {
  type LoggedEvent,
  newSecret,
  parseSecret,
  post,
  signedHeaders,
  toMessage,
} from './message.ts'

/** Milliseconds between the attempts to forward an event. */
const DELAYS = [1_000, 2_000, 4_000]

/** Milliseconds between two reads of the log. */
const INTERVAL = 1_000

export const command = defineCommand({
  name: 'listen',
  summary: 'Forwards the events of an instance to a receiver, as signed webhooks.',
  options: {
    'forward-to': {
      ...{ type: 'string', value: 'URL', required: true },
      help: 'The receiver, such as localhost:3000/webhooks.',
    },
    secret: {
      ...{ type: 'string', value: 'SECRET' },
      help: 'What signs, as in whsec_…. Default: a new one, which is printed.',
    },
    since: {
      ...{ type: 'string', value: 'TIME' },
      help: 'Begin with the events since a time, in ISO 8601. Default: now.',
    },
    ...instanceOptions,
  },
  run: async (options) => {
    const client = openInstance(options)
    const receiver = parseReceiver(options['forward-to'])
    const secret = parseSecret(options.secret) ?? newSecret()
    const since = options.since && parseTime(options.since)
    const listen = async (signal: AbortSignal) => {
      const position = since ? { since } : await endOfLog(client, signal)
      if (!options.secret) console.log(`WEBHOOK_SECRET=${secret}`)
      console.log(`Forwarding ${since ? `events since ${since}` : 'new events'} to ${receiver}`)
      for await (const event of readOn(client, position, signal))
        await forward(event, { receiver, secret, signal })
      return undefined
    }
    return untilInterrupted(listen, { status: 0 })
  },
})

/** Accepts `localhost:3000/webhooks`, too: http on this machine, otherwise https. */
function parseReceiver(text: string): string {
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text)
  const guess = hasScheme ? text : `http://${text}`
  const url = URL.canParse(guess) ? new URL(guess) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new UsageError(
      '--forward-to must be an http or https URL, such as localhost:3000/webhooks.',
    )
  const { hostname } = url
  const isHere = hostname === 'localhost' || hostname.startsWith('[') || isIP(hostname)
  return hasScheme || isHere ? url.href : new URL(`https://${text}`).href
}

function parseTime(text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.getTime()))
    throw new UsageError('--since must be a time, such as 2026-03-02T09:00:00Z.')
  return time.toISOString()
}

/** Yields the events after a position, and those after the end of a log that was set back. */
async function* readOn(client: MarketplaceClient, start: Position, signal: AbortSignal) {
  const onProblem = (problem: string) =>
    console.error(`The instance does not answer: ${problem}. Trying again.`)
  for (let position = start; ; position = await endOfLog(client, signal))
    try {
      yield* followLog(client, { position, signal, interval: INTERVAL, onProblem })
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'events_removed')) throw error
      console.error('The log was set back, or has lost events. Going on from its end.')
    }
}

type Forwarding = { receiver: string; secret: string; signal: AbortSignal }

/** Sends an event until the receiver accepts it, a few times at most. Prints a line per attempt. */
async function forward(event: LoggedEvent, { receiver, secret, signal }: Forwarding) {
  const message = toMessage(event)
  for (let attempt = 0; ; attempt++) {
    const headers = signedHeaders(message, secret)
    const { status, error } = await post(receiver, { headers, body: message.body }, signal)
    const delay = error === null ? undefined : DELAYS[attempt]
    const next = delay === undefined ? '' : `, again in ${delay / 1000} s`
    console.log(`${event.timestamp}  ${describe(event)}  ${error ?? status}${next}`)
    if (delay === undefined) return
    await wait(delay, signal)
  }
}

function describe({ id, type, data }: LoggedEvent): string {
  return [type, 'orderId' in data ? `order ${data.orderId}` : '', id].filter(Boolean).join('  ')
}
