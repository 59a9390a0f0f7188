import { log } from '../log.ts'

/** A hint that transfers may have something to do. The table `transfers` is the truth. */
export type TransferMessage = { transferIds: number[] }

/** When to look at a transfer again. */
export type Look = { transferId: number; delaySeconds: number }

/**
 * So many go into one message: the queue bills messages. A consumer takes as many at a time, too.
 */
const TRANSFERS_A_MESSAGE = 100

/** At most this many messages go into one `sendBatch` (platform limit). */
const MESSAGES_A_BATCH = 100

/**
 * Tells the consumer about transfers. If that fails, the cron run tells it when they are due, so
 * the failure is only logged.
 */
export async function announce(
  queue: Queue<TransferMessage>,
  transferIds: readonly number[],
): Promise<void> {
  const looks = transferIds.map((transferId) => ({ transferId, delaySeconds: 0 }))
  await announceLater(queue, looks).catch((error) =>
    log.error('announce_failed', { transferIds, error: String(error) }),
  )
}

/** The same, each after a delay of its own. */
export async function announceLater(
  queue: Queue<TransferMessage>,
  looks: readonly Look[],
): Promise<void> {
  const byDelay = Map.groupBy(looks, ({ delaySeconds }) => delaySeconds)
  const messages = [...byDelay].flatMap(([delaySeconds, group]) =>
    slices(
      group.map(({ transferId }) => transferId),
      TRANSFERS_A_MESSAGE,
    ).map((transferIds) => ({ body: { transferIds }, delaySeconds })),
  )
  for (const batch of slices(messages, MESSAGES_A_BATCH)) await queue.sendBatch(batch)
}

/** The ids that messages carry, each once, in slices of what a consumer takes at a time. */
export const transfersIn = (messages: readonly { body: TransferMessage }[]): number[][] =>
  slices([...new Set(messages.flatMap(({ body }) => body.transferIds))], TRANSFERS_A_MESSAGE)

const slices = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    list.slice(i * size, (i + 1) * size),
  )
