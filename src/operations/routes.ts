/** What monitoring asks, `/health` and `/metrics`, and what operators acknowledge. */
import { sql } from 'drizzle-orm'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { raw } from '../db/client.ts'
import type { App } from '../http/context.ts'
import { Endpoints } from '../http/endpoint.ts'
import { ApiError, errorResponse, TokenRequired } from '../http/errors.ts'
import { mayBeStale } from '../http/nearest.ts'
import { Acknowledgement, AlarmKey, acknowledgeAlarm } from './acknowledge.ts'
import { describeHealth } from './health.ts'
import { cachedState, MAX_AGE, type State } from './instance-state.ts'
import { formatMetrics, METRICS_TYPE } from './metrics.ts'

/** Answers 503 whatever is wrong. The log says what. */
export const answerUnavailable = createMiddleware<App>(async (c, next) => {
  await next()
  if (c.res.status < 500) return
  c.set('errorFields', { status: 'unavailable' })
  c.res = errorResponse(c, new ApiError('not_ready', 'the service is not available'))
})

export const operationsRoutes = new Endpoints()
  .get('/health', { id: 'getHealth', access: 'public', reads: 'nearest' }, async (c) => {
    const { settings, now } = c.var
    const state = await stateForMaster(c)
    if (!state) await checkDatabase(c)
    const components = state && describeHealth(state, settings.PUBLIC_URL, now)
    return c.json({ status: 'ok', ...(components && { components }) })
  })
  .get('/metrics', { id: 'getMetrics', access: 'metrics', reads: 'nearest' }, async (c) => {
    const state = await cachedState(c.env, c.var)
    return c.text(formatMetrics(state, c.var.now), 200, { 'Content-Type': METRICS_TYPE })
  })
  .post(
    '/api/admin/alarms/:key/acknowledge',
    {
      id: 'acknowledgeAlarm',
      access: 'master',
      reads: 'primary',
      isStrict: true,
      input: { param: AlarmKey, json: Acknowledgement },
    },
    async (c, { param, json }) => {
      const seen = { ...param, ...json }
      await acknowledgeAlarm(c.var, seen)
      return c.json({ acknowledged: seen })
    },
  )

/** Returns null without a live master token: a probe must not fail because of its token. */
async function stateForMaster(c: Context<App>): Promise<State | null> {
  const { caller } = c.var
  if (caller?.role !== 'master' || caller.scope === 'metrics') return null
  try {
    return await cachedState(c.env, { ...c.var, caller })
  } catch (error) {
    if (error instanceof TokenRequired && !mayBeStale(error, c.var.db)) return null
    throw error
  }
}

const answeredAt = new WeakMap<Env, number>()

/** Throws if the database does not answer or lacks migrations. */
async function checkDatabase({ env, var: { db, now } }: Context<App>): Promise<void> {
  if (now.getTime() - (answeredAt.get(env) ?? 0) < MAX_AGE) return
  await db.batch([raw(db, sql`SELECT id FROM cronRuns`)])
  answeredAt.set(env, now.getTime())
}
