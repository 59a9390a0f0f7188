/** A hint that a transfer may have something to do. The table `transfers` is the truth. */
export type TransferMessage = { transferId: number }

/** At most this many messages go into one `sendBatch` (platform limit). */
const MESSAGES_A_BATCH = 100

/**
 * Tells the consumer about transfers. A message that is lost costs time, not a transfer: the
 * sweep finds the row when it is due.
 */
export async function announce(
  queue: Queue<TransferMessage>,
  transferIds: readonly number[],
  delaySeconds = 0,
): Promise<void> {
  for (let i = 0; i < transferIds.length; i += MESSAGES_A_BATCH) {
    const ids = transferIds.slice(i, i + MESSAGES_A_BATCH)
    await queue.sendBatch(ids.map((transferId) => ({ body: { transferId }, delaySeconds })))
  }
}
