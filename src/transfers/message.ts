/** A hint that a transfer may have something to do. The table `transfers` is the truth. */
export type TransferMessage = { transferId: number }

/** When to look at a transfer again. */
export type Look = { transferId: number; delaySeconds: number }

/** At most this many messages go into one `sendBatch` (platform limit). */
const MESSAGES_A_BATCH = 100

/**
 * Tells the consumer about transfers. A message that is lost costs time, not a transfer: the
 * sweep finds the row when it is due.
 */
export const announce = (
  queue: Queue<TransferMessage>,
  transferIds: readonly number[],
): Promise<void> =>
  announceLater(
    queue,
    transferIds.map((transferId) => ({ transferId, delaySeconds: 0 })),
  )

/** The same, each after a delay of its own. */
export async function announceLater(
  queue: Queue<TransferMessage>,
  looks: readonly Look[],
): Promise<void> {
  for (let i = 0; i < looks.length; i += MESSAGES_A_BATCH) {
    await queue.sendBatch(
      looks
        .slice(i, i + MESSAGES_A_BATCH)
        .map(({ transferId, delaySeconds }) => ({ body: { transferId }, delaySeconds })),
    )
  }
}
