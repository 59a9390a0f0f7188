/** The Worker of the story: the real one with another clock, and with the variables in `STORY`. */
import type { WakeUp } from '../../../src/delivery/wake.ts'
import worker from '../../../src/worker.ts'
import { atTime } from './clock.ts'

/** The header with the time of the request. */
const TIME = 'x-story-time'

type StoryEnv = Env & { STORY: string }

const withVariables = (env: StoryEnv): Env => ({ ...env, ...JSON.parse(env.STORY) })

export default {
  fetch: (request, env, context) =>
    atTime(Date.parse(request.headers.get(TIME) ?? ''), () =>
      worker.fetch(request, withVariables(env), context),
    ),
  queue: (batch, env) => worker.queue(batch, withVariables(env)),
  scheduled: (controller, env) => worker.scheduled(controller, withVariables(env)),
} satisfies ExportedHandler<StoryEnv, WakeUp>
