/** What monitoring asks, `/health` and `/metrics`, and what operators acknowledge. */

import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { actsForAll } from '../auth/access.ts'
import { batch } from '../db/batch.ts'
import { raw } from '../db/statements.ts'
import type { App } from '../http/context.ts'
import { Endpoints } from '../http/endpoint.ts'
import { errorResponse } from '../http/error-response.ts'
import { ApiError, TokenRequired } from '../http/errors.ts'
import { count, model, object, text } from '../http/fields.ts'
import { mayBeStale } from '../http/nearest.ts'
import { Acknowledgement, AlarmKey, acknowledgeAlarm } from './alarms/acknowledge.ts'
import { describeHealth, Health } from './health.ts'
import { formatMetrics, METRICS_TYPE } from './metrics.ts'
import { cachedState, MAX_AGE, type State } from './state.ts'

/** Answers 503 whatever is wrong. The log says what. */
export const answerUnavailable = createMiddleware<App>(async (c, next) => {
  await next()
  if (c.res.status < 500) return
  c.set('errorFields', { status: 'unavailable' })
  c.res = errorResponse(c, new ApiError('not_ready', 'the service is not available'))
})

const AcknowledgedAlarm = model('AcknowledgedAlarm', 'What was acknowledged.', () => ({
  acknowledged: object('The alarm.', {
    key: text('Key of the alarm.'),
    version: count('What was looked at.'),
  }),
}))

export const monitoringRoutes = new Endpoints({ tag: 'Operations' })
  .get(
    '/health',
    {
      id: 'getHealth',
      summary: 'Check whether the instance can serve',
      description:
        'Returns 503 only if it cannot: the configuration is not valid, the database does not ' +
        'answer, or it lacks migrations. With a master token that may do more than read the ' +
        'metrics, the answer has the parts of the instance. Up to 10 seconds old.',
      access: 'public',
      reads: 'nearest',
      answer: Health,
      isUnavailable: true,
    },
    async (c): Promise<z.infer<typeof Health>> => {
      const { settings, now } = c.var
      const state = await stateForMaster(c)
      if (state)
        return { status: 'ok', components: describeHealth(state, settings.PUBLIC_URL, now) }
      await checkDatabase(c)
      return { status: 'ok' }
    },
  )
  .get(
    '/metrics',
    {
      id: 'getMetrics',
      summary: 'Read the metrics of the instance',
      description:
        'Returns gauges and counters in the text format of Prometheus, version 0.0.4. Up to 10 seconds old.',
      access: 'metrics',
      reads: 'nearest',
      answer: z.file().mime('text/plain').describe('The metrics.'),
    },
    async (c) => {
      const state = await cachedState(c.env, c.var)
      return c.text(formatMetrics(state, c.var.now), 200, { 'Content-Type': METRICS_TYPE })
    },
  )
  .post(
    '/api/admin/alarms/:key/acknowledge',
    {
      id: 'acknowledgeAlarm',
      summary: 'Acknowledge an alarm',
      description:
        'Ends an alarm that has a `version` with the next cron run: one that lasts until somebody has ' +
        'looked at it, such as `foreign_transaction`, or one of a failure that is left as it is, such ' +
        'as `deliveries_failed`. What was found or has failed after the `version` raises it again. ' +
        'Repeating the call changes nothing.',
      access: 'master',
      reads: 'primary',
      isStrict: true,
      input: { param: AlarmKey, json: Acknowledgement },
      answer: AcknowledgedAlarm,
      errors: ['not_found'],
    },
    async (c, { param: { key }, json: { version } }) => {
      await acknowledgeAlarm(c.var, { key, version })
      return { acknowledged: { key, version } }
    },
  )

/** Returns null without a live master token: a probe must not fail because of its token. */
async function stateForMaster(c: Context<App>): Promise<State | null> {
  const { caller } = c.var
  if (!caller || !actsForAll(caller) || caller.scope === 'metrics') return null
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
  await batch(db, { cron: raw(db)`SELECT id FROM cronRuns` })
  answeredAt.set(env, now.getTime())
}
