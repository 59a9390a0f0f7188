import { readAs } from '../auth/access.ts'
import type { App, Caller } from '../http/context.ts'
import { readState, type State, stateStatements } from './state.ts'

/** Milliseconds for which a state is used again by this isolate, so that probes cost little. */
export const MAX_AGE = 10_000

const entries = new WeakMap<Env, { state: State; at: number }>()

/** Returns the state, at most ten seconds old. Throws `unauthenticated` if the token is not live. */
export async function cachedState(
  env: Env,
  { settings, db, now }: Pick<App['Variables'], 'settings' | 'db' | 'now'>,
  caller: Caller,
): Promise<State> {
  const entry = entries.get(env)
  if (entry && now.getTime() - entry.at < MAX_AGE) {
    await readAs(db, caller, [])
    return entry.state
  }
  const rows = readAs(db, caller, stateStatements(db, settings, now))
  const state = await readState(env, settings, rows)
  entries.set(env, { state, at: now.getTime() })
  return state
}
