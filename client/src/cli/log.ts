/** The log of events of an instance, as it grows. */
import type { MarketplaceClient } from '../client.ts'
import { ApiError, causeOf } from '../errors.ts'
import { wait } from '../retry.ts'
import type { LoggedEvent } from './message.ts'

/** Milliseconds until the next attempt if an instance does not answer. */
const PAUSE = 2_000

/** Later than every event, and a time that the API accepts. */
const FUTURE = '2200-01-01T00:00:00.000Z'

/** The events after one, or since a time; all if neither is given. */
export type Position = { after?: string; since?: string }

/** Returns the end of the log. */
export async function endOfLog(client: MarketplaceClient, signal: AbortSignal): Promise<Position> {
  const { nextAfter } = await client.listEvents({ since: FUTURE, limit: 1 }, { signal })
  return nextAfter ? { after: nextAfter } : {}
}

type Options = {
  position: Position
  signal: AbortSignal
  /** Milliseconds between two reads of the end of the log. */
  interval: number
  /** Is called when the instance does not answer. The log is read again after a pause. */
  onProblem: (problem: string) => void
}

/** Yields events, the oldest first, for ever. Throws an `ApiError` that repeating does not change. */
export async function* followLog(
  client: MarketplaceClient,
  { position, signal, interval, onProblem }: Options,
): AsyncGenerator<LoggedEvent, void> {
  for (let next = position; ; ) {
    try {
      const page = await client.listEvents(next, { signal })
      yield* page.events
      if (page.nextAfter) next = { after: page.nextAfter }
      if (!page.hasMore) await wait(interval, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error
      onProblem(error instanceof ApiError ? error.message : causeOf(error))
      await wait(PAUSE, signal)
    }
  }
}
