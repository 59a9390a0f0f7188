/**
 * The Worker of `npm run dev`: that of `src/worker.ts`, whose clock can be moved, with a test wallet. It is
 * never deployed: `main` in wrangler.toml is `src/worker.ts`.
 */
import type { WakeUp } from '../../src/delivery/wake.ts'
import type { WebhookWakeUp } from '../../src/events/wake.ts'
import worker, { CachedReads as Reads } from '../../src/worker.ts'
import { moveSql } from './moved-sql.ts'
import { withTestWallet } from './test-wallet.ts'

/** Milliseconds by which the clock is ahead. A new isolate learns it with its first event. */
let offset = 0

const machineNow = Date.now
const now = () => machineNow() + offset

globalThis.Date = new Proxy(Date, {
  construct: (target, parts, newTarget) =>
    Reflect.construct(target, parts.length > 0 ? parts : [now()], newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

/** Asks `npm run dev` how far the clock is ahead. Keeps what it knows if there is no answer. */
async function readClock({ PUBLIC_URL }: Env): Promise<void> {
  const response = await fetch(`${PUBLIC_URL}/dev/clock`).catch(() => undefined)
  if (response?.ok) ({ offset } = await response.json<{ offset: number }>())
}

const environments = new WeakMap<Env, Env>()

/** The bindings, with a database that has the same clock. Always the same object for each `env`. */
function movedEnv(env: Env): Env {
  const moved = environments.get(env) ?? { ...env, DB: moveSql(env.DB, () => offset) }
  environments.set(env, moved)
  return moved
}

/** Reads the clock before a handler runs. */
const onClock =
  <Event, Context, Result>(
    handler: (event: Event, env: Env, context: Context) => Result | Promise<Result>,
  ) =>
  async (event: Event, env: Env, context: Context): Promise<Result> => {
    await readClock(env)
    return handler(event, movedEnv(env), context)
  }

/** The handler that calls it has read the clock. */
export class CachedReads extends Reads {
  constructor(context: ExecutionContext, env: Env) {
    super(context, movedEnv(env))
  }
}

export default {
  fetch: onClock(
    (request: Parameters<typeof worker.fetch>[0], env: Env, context: ExecutionContext) =>
      withTestWallet(request, () => worker.fetch(request, env, context)),
  ),
  queue: onClock(worker.queue),
  scheduled: onClock(worker.scheduled),
} satisfies ExportedHandler<Env, WakeUp | WebhookWakeUp>
