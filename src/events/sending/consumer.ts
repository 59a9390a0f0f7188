/**
 * The consumer of the queues of webhooks. A message may be sent twice: receivers recognize it by its
 * id.
 */
import { connect, type Database } from '../../db/client.ts'
import { readSettings, type Settings } from '../../env.ts'
import { log } from '../../log.ts'
import { type DueEndpoint, type WebhookWakeUp, wakeEndpoints } from '../wake.ts'
import { type RunCtx, runEndpoint } from './run.ts'

/**
 * Sends to the endpoints that the queue names. A queue message is only a hint, so it is never
 * repeated: if a run fails, the cron run wakes its endpoint again.
 */
export async function sendWebhooks(batch: MessageBatch<WebhookWakeUp>, env: Env): Promise<void> {
  batch.ackAll()
  const endpointIds = new Set(batch.messages.map(({ body }) => body.endpointId))
  const ctx = {
    db: connect(env.DB),
    settings: readSettings(env),
    queues: env,
    email: env.EMAIL,
    clock: () => new Date(),
    endpoints: endpointIds.size,
  }
  await Promise.all([...endpointIds].map((endpointId) => tryRun(ctx, endpointId)))
}

/**
 * Sends the message of an endpoint that became due last, such as a test, unless another run sends to
 * the endpoint. The consumer does the rest. A failure is only logged.
 */
export async function sendFirst(
  { db, settings, env }: { db: Database; settings: Settings; env: Env },
  { id, role }: DueEndpoint,
): Promise<void> {
  const clock = () => new Date()
  const shared = { queues: env, email: env.EMAIL, clock, endpoints: 1, isSingle: true }
  await tryRun({ db, settings, ...shared }, id)
  await wakeEndpoints(env, [{ id, role }])
}

const tryRun = (ctx: RunCtx, endpointId: string): Promise<void> =>
  runEndpoint(ctx, endpointId).catch((error) =>
    log.error('webhook_run_failed', { endpointId, error }),
  )
