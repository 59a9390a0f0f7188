/** Other programs that use the local database at the same time. */
import { setTimeout } from 'node:timers/promises'
import { isTransient } from '../../../src/db/client.ts'
import { CommandError } from '../../shell/command.ts'

/** Milliseconds after which a command does not wait any longer for others that write. */
const BUSY_TIMEOUT = 5000

/**
 * Runs what may be repeated, again while another program writes to the local database. Throws a
 * `CommandError` after some seconds.
 */
export async function retryWhileBusy<T>(run: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + BUSY_TIMEOUT
  while (true)
    try {
      return await run()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > giveUpAt)
        throw new CommandError(
          'Another program writes to the local database all the time. Run the command again.',
        )
      await setTimeout(100)
    }
}

/** Whether another program uses the database. It says so in several ways. */
const isBusy = (error: unknown): boolean =>
  isTransient(error) ||
  (error instanceof Error && (/internal error; ref/.test(error.message) || isBusy(error.cause)))
