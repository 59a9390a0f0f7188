/** An instance whose cron trigger a test runs by hand, minutes after it was started. */
import { env } from 'cloudflare:workers'
import { asc, eq, gt } from 'drizzle-orm'
import { runCron } from '../../src/cron.ts'
import { burns, deliveries, networks, signers, transactions } from '../../src/db/schema/delivery.ts'
import {
  acknowledgements,
  alarms,
  disagreements,
  findings,
  networkChecks,
} from '../../src/db/schema/operations.ts'
import { events, webhookEndpoints } from '../../src/db/schema/webhooks.ts'
import { selectEvents, takes, toBody } from '../../src/events/event.ts'
import { callWith } from '../support/api.ts'
import type { Chain } from '../support/chain/chain.ts'
import { type NetworkSettings, networksOf } from '../support/delivery/engine.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import { aMasterToken, anAdministrator, aWebhook, db } from '../support/makers.ts'

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
  const webhooks = queue as unknown as Env['WEBHOOKS']
  return { DELIVERIES: queue, WEBHOOKS: webhooks, MASTER_WEBHOOKS: webhooks }
}

type Components = Record<string, unknown> & {
  alarms: Record<string, unknown>[]
  networks: Record<string, unknown>[]
}

/** Subscribes an administrator to alarms. Returns a function that sends all events, and returns those of ever. */
export async function aSubscriber() {
  const endpoint = await aWebhook(await anAdministrator(), {
    role: 'master',
    events: ['alarm.raised', 'alarm.cleared'],
  })
  return async () => {
    const rows = await selectEvents(db)
      .where(gt(events.id, endpoint.position))
      .orderBy(asc(events.id))
    await db.update(webhookEndpoints).set({ dueAt: null })
    return rows.filter((event) => takes(endpoint, event)).map(toBody)
  }
}

/** Removes what is known of deliveries, chains and alarms. */
export async function forgetAll() {
  await db.delete(deliveries)
  for (const table of [transactions, networks, signers, burns]) await db.delete(table)
  for (const table of [alarms, acknowledgements, findings, disagreements, networkChecks])
    await db.delete(table)
}

/** The sentence of an alarm that lasts. */
export async function detailOf(key: string) {
  const [alarm] = await db.select().from(alarms).where(eq(alarms.key, key))
  return alarm?.detail
}

/** A binding whose method rejects. */
export const broken = <T extends object>(binding: T, method: string): T =>
  withMethod(binding, method, () => Promise.reject(new Error('the binding is unavailable')))

/** A binding whose method never returns anything. */
export const hanging = <T extends object>(binding: T, method: string): T =>
  withMethod(binding, method, () => new Promise(() => {}))

const withMethod = <T extends object>(binding: T, method: string, does: () => unknown): T =>
  new Proxy(binding, {
    get(target, name) {
      if (name === method) return does
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
