/** The endpoints that the platform calls — queue, dead letters, cron — called as badly as it may. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { onTestFinished, vi } from 'vitest'
import type { Network } from '../../../src/env.ts'
import { obstacles } from '../../../src/transfers/allot.ts'
import type { TransferMessage } from '../../../src/transfers/message.ts'
import entry from '../../../src/worker.ts'
import { BASE_URL } from '../api.ts'
import type { Chain } from '../chain/chain.ts'
import { watchRequests } from '../chain/fetch.ts'
import { watchedD1 } from './d1.ts'
import { aLife, type Life, type Mishap, type Step, type Turns } from './life.ts'
import { aRecordingQueue, type Pending, type RecordingQueue } from './queue.ts'

const worker: ExportedHandler<Env, TransferMessage> = entry

const QUEUE = 'marketplace-transfers'
/** Seconds after which the messages of a killed consumer come again. */
const REDELIVERY = 30
/** Seconds that pass between two rounds of `settle`, and rounds between two cron runs. */
const ROUND = 10
const ROUNDS_A_CRON_RUN = 6

/** `isHit`: the mishap came. `error`: what the endpoint threw. */
export type Run = { died: boolean; isHit: boolean; error: unknown; steps: readonly Step[] }

/** What happens to messages on their way. */
export type How = 'once' | 'twice' | 'late' | 'reordered' | 'lost'

type Options = { network?: Partial<Network>; turns?: Turns }

type Delivery = { mishap?: Mishap; how?: How }

export type Marketplace = ReturnType<typeof aMarketplace>

/**
 * A marketplace that sells on one chain, with a queue of its own. The clock stands still, but for
 * `pass`.
 */
export function aMarketplace(chain: Chain, { network = {}, turns }: Options = {}) {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const queue = aRecordingQueue()

  /** One call of an endpoint, in an environment of its own. */
  async function run(
    open: (env: Env, ctx: ExecutionContext, life: Life) => unknown,
    mishap?: Mishap,
  ): Promise<Run> {
    const life = aLife(mishap, turns)
    const rpcUrl = `${chain.proxyUrl}/${crypto.randomUUID()}`
    const unwatch = watchRequests(rpcUrl, (body, send) =>
      life.step({ kind: 'rpc', what: methodsIn(body) }, send),
    )
    const own = {
      ...env,
      DB: watchedD1(env.DB, life),
      TRANSFERS: watchedQueue(queue, life),
      NETWORKS: { [chain.name]: { chainId: chain.chainId, confirmations: 1, ...network, rpcUrl } },
    }
    const ctx = createExecutionContext()
    const work = async () => {
      await open(own, ctx, life)
      await waitOnExecutionContext(ctx)
    }
    const outcome = await Promise.race([work().catch((error) => ({ error })), life.death])
    unwatch()
    life.end()
    const error = typeof outcome === 'object' ? outcome.error : undefined
    return { died: !life.isAlive(), isHit: life.isHit(), error, steps: life.steps }
  }

  /** Hands the messages to the consumer; what it does not acknowledge goes back to the queue. */
  async function consume(messages: readonly Pending[], mishap?: Mishap, name = QUEUE) {
    const fates = new Map<Pending, 'acked' | number>()
    const settle = (fate: 'acked' | number, which: readonly Pending[]) => {
      for (const message of which) if (!fates.has(message)) fates.set(message, fate)
    }
    const result = await run((own, ctx, life) => {
      const ack = (which: readonly Pending[]) =>
        life.mark({ kind: 'ack', what: `${which.length} acknowledged` }, () =>
          settle('acked', which),
        )
      const retry = (which: readonly Pending[], delay = 0) =>
        life.mark({ kind: 'ack', what: `${which.length} to retry` }, () => settle(delay, which))
      return worker.queue?.(batchOf(name, messages, ack, retry), own, ctx)
    }, mishap)
    const fallback = result.died ? REDELIVERY : result.error ? 0 : 'acked'
    for (const message of messages) {
      const fate = result.error ? fallback : (fates.get(message) ?? fallback)
      if (fate !== 'acked') (name === QUEUE ? queue.giveBack : queue.bury)(message, fate)
    }
    return result
  }

  /** One call of the API. */
  async function request(
    method: string,
    path: string,
    token: string,
    json: unknown,
    mishap?: Mishap,
  ) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = { method, headers, body: JSON.stringify(json) }
    let response: Response | undefined
    const result = await run(async (own, ctx) => {
      response = await worker.fetch?.(new Request(BASE_URL + path, init), own, ctx)
    }, mishap)
    return { ...result, response }
  }

  const runCron = (mishap?: Mishap) =>
    run((own, ctx) => worker.scheduled?.(aTick(), own, ctx), mishap)

  /** Delivers what is due now, in batches, until nothing is; each message as often as told. */
  async function deliver({ mishap, how = 'once' }: Delivery = {}): Promise<Run[]> {
    const runs: Run[] = []
    for (let due = queue.take(); due.length > 0; due = queue.take()) {
      if (how === 'reordered') due.reverse()
      const copies = how === 'twice' ? [due, due.map((message) => ({ ...message }))] : [due]
      runs.push(...(await Promise.all(copies.map((messages) => consume(messages, mishap)))))
    }
    return runs
  }

  /**
   * Lets time pass, blocks come, messages arrive and cron run, all without a fault, until no
   * transfer is on its way any more. Throws when that does not come to pass.
   */
  async function settle({ rounds = 300, how = 'once' }: { rounds?: number; how?: How } = {}) {
    if (how === 'lost') queue.lose()
    if (how === 'late') pass(3600)
    for (let round = 1; round <= rounds; round++) {
      // A message that comes twice leads to two more, so not for ever.
      await deliver({ how: how === 'twice' && round > 2 ? 'once' : how })
      await consumeDeadLetters()
      if ((await onTheirWay(chain)).length === 0) return
      if (round % ROUNDS_A_CRON_RUN === 0) await runCron()
      await chain.mine()
      pass(ROUND)
    }
    const stuck = await onTheirWay(chain)
    throw new Error(`${stuck.length} are stuck: ${stuck.slice(0, 5).join(', ')}`)
  }

  /** Hands out the dead letters that are due, at most one batch of them. */
  async function consumeDeadLetters(mishap?: Mishap): Promise<Run | undefined> {
    const letters = queue.takeDead()
    return letters.length > 0 ? consume(letters, mishap, `${QUEUE}-dead`) : undefined
  }

  return { queue, consume, request, runCron, deliver, settle, consumeDeadLetters }
}

/** What hangs is given up after one second, not after ten. */
export function impatience() {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 10))
  onTestFinished(() => spy.mockRestore())
}

/** Moves the clock. */
export const pass = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000)

/** The chain's transfers that are on their way, and not held up until the operator acts. */
async function onTheirWay({ name }: Chain): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `WITH here AS (
       SELECT t.* FROM transfers t JOIN orderItems i ON i.id = t.id JOIN nfts n ON n.id = i.nftId
       WHERE n.contractNetwork = ?
     )
     SELECT id || ' ' || status || ' (' || coalesce(reason, '') || ')' AS words FROM here
     WHERE status IN ('queued', 'signed', 'sent', 'mined') AND deadLetteredAt IS NULL
       AND NOT (reason IS ? AND EXISTS (SELECT 1 FROM here WHERE status = 'review'))`,
  )
    .bind(name, obstacles.stopped)
    .all<{ words: string }>()
  return results.map(({ words }) => words)
}

const methodsIn = (body: string): string =>
  [...new Set(body.match(/(?<="method":")\w+/g))].join(' ')

function watchedQueue({ queue }: RecordingQueue, life: Life): Queue<TransferMessage> {
  return {
    ...queue,
    send: (body, options) =>
      life.step({ kind: 'send', what: '1 message' }, () => queue.send(body, options)),
    sendBatch: (messages, options) =>
      life.step({ kind: 'send', what: `${[...messages].length} messages` }, () =>
        queue.sendBatch(messages, options),
      ),
  }
}

type Mark = (which: readonly Pending[], delaySeconds?: number) => void

function batchOf(
  queue: string,
  messages: readonly Pending[],
  ack: Mark,
  retry: Mark,
): MessageBatch<TransferMessage> {
  return {
    queue,
    messages: messages.map((message, i) => ({
      id: `message-${i}`,
      timestamp: new Date(),
      body: { transferIds: [message.transferId] },
      attempts: message.attempt,
      ack: () => ack([message]),
      retry: (options) => retry([message], options?.delaySeconds),
    })),
    metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } },
    ackAll: () => ack(messages),
    retryAll: (options) => retry(messages, options?.delaySeconds),
  }
}

const aTick = (): ScheduledController => ({
  scheduledTime: Date.now(),
  cron: '* * * * *',
  noRetry: () => {},
})
