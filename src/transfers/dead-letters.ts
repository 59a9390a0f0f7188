/** The consumer of the dead-letter queue: what the queue gave up on is put on the operator's list. */
import { sql } from 'drizzle-orm'
import { connect } from '../db/client.ts'
import { log } from '../log.ts'
import { type TransferMessage, transfersIn } from './message.ts'

const REASON = 'the queue gave up on it: replay it once the cause is gone'

/**
 * Marks transfers that are on their way, so that the sweep leaves them to the operator; what has
 * come to its end stays as it is. A replay announces the id again, and the next look clears the
 * mark.
 */
export async function buryDeadLetters(
  batch: MessageBatch<TransferMessage>,
  env: Env,
  now: Date,
): Promise<void> {
  const ids = JSON.stringify(transfersIn(batch.messages).flat())
  const at = now.toISOString()
  try {
    const marked = await connect(env.DB).all<{ id: number }>(
      sql`UPDATE transfers SET reason = ${REASON}, deadLetteredAt = ${at}, dueAt = NULL,
              updatedAt = ${at}
          WHERE id IN (SELECT value FROM json_each(${ids}))
            AND status IN ('queued', 'signed', 'sent', 'mined')
          RETURNING id`,
    )
    for (const { id } of marked) log.error('dead_letter', { transferId: id, reason: REASON })
    batch.ackAll()
  } catch (error) {
    log.error('dead_letters_failed', { error: String(error) })
    batch.retryAll({ delaySeconds: 60 })
  }
}
