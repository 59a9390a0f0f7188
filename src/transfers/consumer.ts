/** The queue's consumer: each message is a hint to look at a transfer. */
import { connect } from '../db/client.ts'
import { settingsOf } from '../env.ts'
import { log } from '../log.ts'
import { advance } from './advance.ts'
import { announceLater, type Look, type TransferMessage, transfersIn } from './message.ts'

/**
 * Takes each transfer of the batch one step further. What is not at its end is announced again
 * after a delay, which uses up none of the queue's retries; those are for what was not expected,
 * such as a database that is down, and after the last one the message becomes a dead letter.
 */
export async function consume(
  batch: MessageBatch<TransferMessage>,
  env: Env,
  now: Date,
): Promise<void> {
  const slices = transfersIn(batch.messages)
  try {
    const deps = { db: connect(env.DB), settings: settingsOf(env) }
    const looks: Look[] = []
    for (const ids of slices) looks.push(...(await advance(deps, ids, now)))
    batch.ackAll()
    await lookAgain(env, looks)
  } catch (error) {
    log.error('batch_failed', { transfers: slices.flat().length, error: String(error) })
    for (const message of batch.messages)
      message.retry({ delaySeconds: retryDelay(message.attempts) })
  }
}

/** Nothing is lost when the queue refuses: the rows are due, so the sweep finds them. */
async function lookAgain(env: Env, looks: readonly Look[]): Promise<void> {
  try {
    await announceLater(env.TRANSFERS, looks)
  } catch (error) {
    log.error('announce_failed', { transfers: looks.length, error: String(error) })
  }
}

/** Seconds: 5, 10, 20 … 300. */
const retryDelay = (attempts: number) => Math.min(300, 5 * 2 ** (attempts - 1))
