/** An instance whose cron trigger a test runs by hand, minutes after it was started. */
import { env } from 'cloudflare:workers'
import { alarms } from '../../src/db/schema/operations.ts'
import { webhookEndpoints, webhookMessages } from '../../src/db/schema/webhooks.ts'
import { runCron } from '../../src/operations/cron.ts'
import { callWith } from '../support/api.ts'
import type { Chain } from '../support/chain/chain.ts'
import { type NetworkSettings, networksOf } from '../support/delivery/engine.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import { aMasterToken, anAdministrator, db } from '../support/makers.ts'

/** Its queues deliver nothing. Without a chain, no network is configured. */
export function anInstance(
  chain?: Chain,
  { bindings = {}, network }: { bindings?: Partial<Env>; network?: NetworkSettings } = {},
) {
  const NETWORKS = chain ? networksOf([chain], network) : {}
  const own = { ...env, NETWORKS, ...queues(), ...bindings } as Env
  const start = Date.now()
  const at = (minutes: number) => new Date(start + minutes * 60_000)
  return {
    at,
    /** Runs the cron trigger. Returns the names of the alarms that last then. */
    async cron(minutes = 0, changes: object = {}): Promise<string[]> {
      await runCron({ ...own, ...changes } as Env, at(minutes))
      return (await db.select({ key: alarms.key }).from(alarms)).map(({ key }) => key).sort()
    },
    get: (path: string, token?: string, changes: Partial<Env> = {}) =>
      callWith({ ...own, ...changes }, 'GET', path, token ? { token } : {}),
    /** Returns the components of `GET /health`. */
    async health() {
      const response = await callWith(own, 'GET', '/health', { token: await aMasterToken() })
      const { components } = await response.json<{ components: Components }>()
      return components
    },
  }
}

const queues = () => {
  const { queue } = aRecordingQueue()
  return { DELIVERIES: queue, WEBHOOKS: queue as unknown as Env['WEBHOOKS'] }
}

type Components = Record<string, unknown> & {
  alarms: Record<string, unknown>[]
  networks: Record<string, unknown>[]
}

/** Subscribes an administrator to alarms. Returns a function that sends all messages, and returns those of ever. */
export async function aSubscriber() {
  const { id: userId } = await anAdministrator()
  const id = crypto.randomUUID()
  const time = new Date().toISOString()
  await db.insert(webhookEndpoints).values({
    id,
    userId,
    role: 'master',
    url: 'https://receiver.example.com/',
    events: ['alarm.raised', 'alarm.cleared'],
    secretId: '07'.repeat(16),
    createdAt: time,
    updatedAt: time,
  })
  return async () => {
    const rows = await db.select().from(webhookMessages).orderBy(webhookMessages.createdAt)
    await db.update(webhookMessages).set({ state: 'delivered', dueAt: null })
    return rows
      .filter(({ endpointId }) => endpointId === id)
      .map(({ payload }) => JSON.parse(payload))
  }
}

/** A binding whose method rejects. */
export const broken = <T extends object>(binding: T, method: string): T =>
  new Proxy(binding, {
    get(target, name) {
      if (name === method) return () => Promise.reject(new Error('the binding is unavailable'))
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
