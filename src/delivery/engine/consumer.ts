import { connect } from '../../db/client.ts'
import { readSettings } from '../../env.ts'
import { log } from '../../log.ts'
import type { WakeUp } from '../wake.ts'
import { run } from './run.ts'

/**
 * Works on the chains that the messages name. A message is only a hint, so it is never repeated:
 * if a run fails, the cron run wakes its chain again. `onEnd` is called whenever deliveries have ended.
 */
export async function consume(
  batch: MessageBatch<WakeUp>,
  env: Env,
  onEnd: () => Promise<void>,
): Promise<void> {
  batch.ackAll()
  const deps = {
    db: connect(env.DB),
    settings: readSettings(env),
    queue: env.DELIVERIES,
    clock: () => new Date(),
    onEnd,
  }
  const chainIds = new Set(batch.messages.map(({ body }) => body.chainId))
  await Promise.all(
    [...chainIds].map((chainId) =>
      run(deps, chainId).catch((error) => log.error('delivery_run_failed', { chainId, error })),
    ),
  )
}
