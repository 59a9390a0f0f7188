/** The Worker as the platform runs it, in the worst ways in which it may. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { WakeUp } from '../../../src/delivery/wake.ts'
import entry from '../../../src/worker.ts'
import { BASE_URL } from '../api.ts'
import type { Chain } from '../chain/chain.ts'
import { watchRequests } from '../chain/fetch.ts'
import { pass, startClock } from './clock.ts'
import { watchedD1 } from './d1.ts'
import { type NetworkSettings, networksOf } from './engine.ts'
import { aLife, type Life, type Mishap, type Step, type Turns } from './life.ts'
import { unfinished } from './oracle.ts'
import { aRecordingQueue, type Pending, type RecordingQueue } from './queue.ts'

const worker: ExportedHandler<Env, WakeUp> = entry

/** Seconds after which the messages of a killed consumer come again. */
const REDELIVERY = 30
/** Rounds of `settle` between two cron runs. */
const ROUNDS_PER_CRON_RUN = 6

/** `isHit`: the mishap came. `error`: what the endpoint threw. */
export type Run = { died: boolean; isHit: boolean; error: unknown; steps: readonly Step[] }

/** What happens to messages on their way. */
export type How = 'once' | 'twice' | 'late' | 'lost'

type Settings = {
  network: NetworkSettings
  /** TRANSFER_SIGNER_KEYS. */
  keys: string
  /** Number of URLs of the node. Faults tell them apart by `node`: '0', '1' and so on. */
  nodes: number
}

type Options = Partial<Settings> & {
  turns?: Turns
  /** Called each time that a run waits for a time. */
  onWait?: () => Promise<unknown>
  /** More chains whose networks are configured. Nothing is sold on them. */
  beside?: readonly Chain[]
}

type Delivery = { mishap?: Mishap; how?: How }

type Call = { method: string; path: string; token: string; json?: unknown; idempotencyKey?: string }

export type Marketplace = ReturnType<typeof aMarketplace>

/** A marketplace that sells on one chain, with a queue of its own. Only `pass` moves the clock. */
export function aMarketplace(
  chain: Chain,
  { turns, onWait, beside = [], ...options }: Options = {},
) {
  startClock(onWait)
  const queue = aRecordingQueue()
  let settings: Settings = { network: {}, keys: env.TRANSFER_SIGNER_KEYS, nodes: 1, ...options }

  /** One call of an endpoint, in an environment of its own. */
  async function run(
    open: (env: Env, ctx: ExecutionContext, life: Life) => unknown,
    mishap?: Mishap,
  ): Promise<Run> {
    const life = aLife(mishap, turns)
    const url = `${chain.proxyUrl}/${crypto.randomUUID()}`
    const unwatch = watchRequests(url, (body, send) =>
      life.step({ kind: 'rpc', what: methodsIn(body) }, send),
    )
    const rpcUrls = Array.from({ length: settings.nodes }, (_, i) => `${url}/${i}`)
    const own = {
      ...env,
      DB: watchedD1(env.DB, life),
      DELIVERIES: watchedQueue(queue, life),
      NETWORKS: {
        ...networksOf([chain], { rpcUrls, ...settings.network }),
        ...networksOf(beside),
      },
      TRANSFER_SIGNER_KEYS: settings.keys,
    }
    const background: Promise<unknown>[] = []
    const ctx = createExecutionContext()
    ctx.waitUntil = (work) => void background.push(work)
    const work = async () => {
      await open(own as never, ctx, life)
      for (const started of background) await started
    }
    const outcome = await Promise.race([work().catch((error) => ({ error })), life.death])
    unwatch()
    life.end()
    const error = typeof outcome === 'object' ? outcome.error : undefined
    return { died: !life.isAlive(), isHit: life.isHit(), error, steps: life.steps }
  }

  /** Hands messages to the consumer. What it does not acknowledge goes back to the queue. */
  async function consume(messages: readonly Pending[], mishap?: Mishap): Promise<Run> {
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
      return worker.queue?.(batchOf(messages, ack, retry), own, ctx)
    }, mishap)
    const fallback = result.died ? REDELIVERY : result.error ? 0 : 'acked'
    for (const message of messages) {
      const fate = fates.get(message) ?? fallback
      if (fate !== 'acked') queue.giveBack(message, fate)
    }
    return result
  }

  /** One call of the API. */
  async function request(
    { method, path, token, json, idempotencyKey }: Call,
    mishap?: Mishap,
  ): Promise<Run & { response: Response | undefined }> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    }
    const body = json === undefined ? null : JSON.stringify(json)
    let response: Response | undefined
    const result = await run(async (own, ctx) => {
      response = await worker.fetch?.(
        new Request(BASE_URL + path, { method, headers, body }),
        own,
        ctx,
      )
    }, mishap)
    // The answer of a killed Worker does not arrive.
    return { ...result, response: result.died ? undefined : response }
  }

  const runCron = (mishap?: Mishap): Promise<Run> =>
    run((own, ctx) => worker.scheduled?.(aTick(), own, ctx), mishap)

  /** Delivers the messages that are due, until none is. */
  async function deliver({ mishap, how = 'once' }: Delivery = {}): Promise<Run[]> {
    const runs: Run[] = []
    for (let due = queue.take(); due.length > 0; due = queue.take()) {
      const copies = how === 'twice' ? [due, due.map((message) => ({ ...message }))] : [due]
      runs.push(...(await Promise.all(copies.map((messages) => consume(messages, mishap)))))
    }
    return runs
  }

  /** Mines a block whose time is the time of the clock. */
  async function mine(): Promise<void> {
    const latest = Number((await latestBlock()).timestamp)
    const timestamp = Math.max(latest + 1, Math.floor(Date.now() / 1000))
    await chain.rpc('evm_setNextBlockTimestamp', timestamp)
    await chain.mine()
  }

  const latestBlock = async () =>
    (await chain.rpc('eth_getBlockByNumber', 'latest', false)) as { timestamp: string }

  /**
   * Lets time pass, mines blocks, delivers messages and runs the cron job, all without faults,
   * until nothing is left to do. Throws if that does not happen.
   */
  async function settle({ rounds = 300, how = 'once' }: { rounds?: number; how?: How } = {}) {
    if (how === 'lost') queue.lose()
    if (how === 'late') pass(3600)
    for (let round = 1; round <= rounds; round++) {
      await deliver({ how })
      if ((await unfinished(chain)).length === 0) return
      const next = Math.min(...queue.pending().map(({ deliverAt }) => deliverAt))
      if (next === Infinity || round % ROUNDS_PER_CRON_RUN === 0) {
        pass(Math.max(60, await secondsUntilDue(chain)))
        await runCron()
      } else pass(Math.max(1, (next - Date.now()) / 1000))
      await mine()
    }
    const stuck = await unfinished(chain)
    throw new Error(`${stuck.length} are stuck: ${stuck.slice(0, 5).join(', ')}`)
  }

  return {
    queue,
    consume,
    request,
    runCron,
    deliver,
    settle,
    mine,
    /** Changes the configuration of the runs that begin later. */
    configure(changes: Partial<Settings>) {
      settings = { ...settings, ...changes }
    },
  }
}

/** Seconds until the first time that is planned for a chain. */
async function secondsUntilDue({ chainId }: Chain): Promise<number> {
  const row = await env.DB.prepare(
    `SELECT min(at) AS at FROM (SELECT wakeAt AS at FROM networks WHERE chainId = ?1
       UNION ALL SELECT leaseUntil FROM networks WHERE chainId = ?1 AND lease IS NOT NULL
       UNION ALL SELECT min(dueAt) FROM deliveries WHERE chainId = ?1)`,
  )
    .bind(chainId)
    .first<{ at: string | null }>()
  return row?.at ? (new Date(row.at).getTime() - Date.now()) / 1000 : 0
}

const methodsIn = (body: string): string =>
  [...new Set(body.match(/(?<="method":")\w+/g))].join(' ')

function watchedQueue({ queue }: RecordingQueue, life: Life): Queue<WakeUp> {
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

function batchOf(messages: readonly Pending[], ack: Mark, retry: Mark): MessageBatch<WakeUp> {
  return {
    queue: 'marketplace-deliveries',
    messages: messages.map((message, i) => ({
      id: `message-${i}`,
      timestamp: new Date(),
      body: { chainId: message.chainId },
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
