/** The messages of the run: reads the log of events, and sends them to the shop as an instance does. */

import { endOfLog, followLog, type Position } from '../../client/src/cli/log.ts'
import {
  type LoggedEvent,
  type Message,
  type Reply,
  signedHeaders,
  toMessage,
} from '../../client/src/cli/message.ts'
import type { components, MarketplaceClient } from '../../client/src/index.ts'
import { wait } from '../../client/src/retry.ts'
import { Finding } from './finding.ts'
import type { Sale } from './sale.ts'
import type { Shop } from './shop.ts'

/** Milliseconds between two reads of the log, and between two attempts to send a message. */
const INTERVAL = 250
const REPEAT = 500

export type OrderEvent = LoggedEvent & { data: components['schemas']['OrderEventData'] }

const isOfOrder = (event: LoggedEvent): event is OrderEvent => 'orderId' in event.data

type Options = { client: MarketplaceClient; shop: Shop; secret: string; signal: AbortSignal }

export class Feed {
  readonly #options: Options
  readonly #sent = new Set<string>()
  readonly #held = new Set<string>()
  readonly #refusals = new Map<string, string>()
  /** The ids of the events that the shop has accepted. */
  readonly #accepted = new Set<string>()
  /** The events of each sale, and the end of what is sent to the shop about it. */
  #events = new Map<string, OrderEvent[]>()
  readonly #queues = new Map<string, Promise<void>>()
  #start: Position = {}
  #restart = new AbortController()
  #failure: unknown

  constructor(options: Options) {
    this.#options = options
  }

  /** Reads what happens from now on, until the run ends. */
  async open() {
    this.#start = await endOfLog(this.#options.client, this.#options.signal)
    this.#read().catch((error: unknown) => {
      this.#failure = error
    })
  }

  /** Throws why the log cannot be read any more. */
  requireReading() {
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Reads the log from its start again: it was set back. */
  reread() {
    this.#events = new Map()
    this.#restart.abort()
  }

  /** Sends nothing about a sale from now on, until it is released. */
  hold({ number }: Sale) {
    this.#held.add(number)
  }

  /** Sends what was held, and what follows. */
  release({ number }: Sale) {
    this.#held.delete(number)
  }

  events({ number }: Sale): readonly OrderEvent[] {
    return this.#events.get(number) ?? []
  }

  /** Why the shop has not accepted the last message about a sale; undefined if it has. */
  refusal({ number }: Sale): string | undefined {
    return this.#refusals.get(number)
  }

  hasAccepted({ id }: OrderEvent): boolean {
    return this.#accepted.has(id)
  }

  /** The headers of a true message. */
  sign(message: Message, at = new Date()): Record<string, string> {
    return signedHeaders(message, this.#options.secret, at)
  }

  /** Sends a true message once. */
  send(message: Message, at = new Date()): Promise<Reply> {
    return this.#options.shop.receive(this.sign(message, at), message.body)
  }

  /** Sends a true message once. Throws a `Finding` unless the shop accepts it. */
  async sendAccepted(message: Message) {
    const { error } = await this.send(message)
    if (error === null) return
    const { type } = JSON.parse(message.body)
    throw new Finding('message_refused', `A message with ${type} was not accepted.`, [
      { what: 'answer of POST /webhooks', expected: '2xx', found: error },
    ])
  }

  async #read() {
    const { client, signal } = this.#options
    while (!signal.aborted) {
      this.#restart = new AbortController()
      const both = AbortSignal.any([signal, this.#restart.signal])
      const options = { position: this.#start, interval: INTERVAL, signal: both }
      try {
        for await (const event of followLog(client, { ...options, onProblem: () => {} }))
          if (isOfOrder(event)) this.#take(event)
      } catch (error) {
        if (!both.aborted) throw error
      }
    }
  }

  #take(event: OrderEvent) {
    const number = event.data.providerId ?? ''
    this.#events.set(number, [...(this.#events.get(number) ?? []), event])
    if (this.#sent.has(event.id)) return
    this.#sent.add(event.id)
    if (!number.startsWith('check-')) return
    const before = this.#queues.get(number) ?? Promise.resolve()
    this.#queues.set(
      number,
      before.then(() => this.#deliver(number, event)).catch(() => {}),
    )
  }

  /** Sends an event until the shop accepts it. */
  async #deliver(number: string, event: OrderEvent) {
    const { signal } = this.#options
    for (; !signal.aborted; await wait(REPEAT, signal)) {
      if (this.#held.has(number)) continue
      const { error } = await this.send(toMessage(event))
      if (error === null) {
        this.#accepted.add(event.id)
        this.#refusals.delete(number)
        return
      }
      this.#refusals.set(number, `POST /webhooks with ${event.type}: ${error}`)
    }
  }
}
