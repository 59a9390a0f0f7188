/** The queue's consumer: each message is a hint to look at a transfer. */
import { connect } from '../db/client.ts'
import { settingsOf } from '../env.ts'
import { advance } from './advance.ts'
import { alarm } from './log.ts'
import { announceLater, type Look, type TransferMessage } from './message.ts'

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
  const ids = [...new Set(batch.messages.map(({ body }) => body.transferId))]
  try {
    const settings = settingsOf(env)
    const looks = await advance({ db: connect(env.DB), settings }, ids, now)
    batch.ackAll()
    await lookAgain(env, looks)
  } catch (error) {
    alarm({ event: 'batch_failed', transfers: ids.length, error: String(error) })
    for (const message of batch.messages)
      message.retry({ delaySeconds: retryDelay(message.attempts) })
  }
}

/** Nothing is lost when the queue refuses: the rows are due, so the sweep finds them. */
async function lookAgain(env: Env, looks: readonly Look[]): Promise<void> {
  try {
    await announceLater(env.TRANSFERS, looks)
  } catch (error) {
    alarm({ event: 'announce_failed', transfers: looks.length, error: String(error) })
  }
}

/** Seconds: 5, 10, 20 … 300. */
const retryDelay = (attempts: number) => Math.min(300, 5 * 2 ** (attempts - 1))
