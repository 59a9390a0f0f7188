/**
 * Replaces the clock of the Worker, so that every run of the story has the same times. Import it
 * before the Worker. A request has the time that it names; what happens between two requests, such
 * as a delivery, gets times in the minute after the last one.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

const SystemDate = Date
const requestTime = new AsyncLocalStorage<number>()
/** Milliseconds. */
const BEGIN = 5_000
const END = 55_000

let last = { at: 0, since: SystemDate.now() }

/** Handles a request at this time, in milliseconds. */
export function atTime<T>(at: number, handle: () => T): T {
  if (at !== last.at) last = { at, since: SystemDate.now() }
  return requestTime.run(at, handle)
}

const now = (): number =>
  requestTime.getStore() ?? last.at + Math.min(BEGIN + SystemDate.now() - last.since, END)

globalThis.Date = new Proxy(SystemDate, {
  construct: (target, values, type) =>
    Reflect.construct(target, values.length > 0 ? values : [now()], type),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
})
