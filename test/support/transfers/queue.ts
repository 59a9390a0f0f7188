/** A queue that a test delivers by hand: it remembers what was sent, and hands it out as told. */
import type { TransferMessage } from '../../../src/transfers/message.ts'

/** Deliveries after which a message goes to the dead letters, as wrangler.toml has it. */
const MAX_DELIVERIES = 11

export type Pending = {
  transferId: number
  /** Milliseconds since the epoch. */
  deliverAt: number
  /** Counts from 1. */
  attempt: number
}

export function aRecordingQueue() {
  let pending: Pending[] = []
  const dead: Pending[] = []
  const put = (transferId: number, delaySeconds = 0, attempt = 1) => {
    pending.push({ transferId, deliverAt: Date.now() + delaySeconds * 1000, attempt })
  }
  const metadata = { metrics: { backlogCount: 0, backlogBytes: 0 } }
  const queue: Queue<TransferMessage> = {
    async send({ transferId }, options) {
      put(transferId, options?.delaySeconds)
      return { metadata }
    },
    async sendBatch(messages, options) {
      const listed = [...messages]
      if (listed.length === 0 || listed.length > 100) throw new Error('1 to 100 messages a batch')
      for (const { body, delaySeconds } of listed) {
        put(body.transferId, delaySeconds ?? options?.delaySeconds)
      }
      return { metadata }
    },
    async metrics() {
      return { backlogCount: pending.length, backlogBytes: 0 }
    },
  }
  return {
    queue,
    dead,
    pending: () => pending,
    /** Takes out what is due now, at most 100, the oldest first. */
    take(limit = 100): Pending[] {
      const due = pending.filter(({ deliverAt }) => deliverAt <= Date.now()).slice(0, limit)
      pending = pending.filter((message) => !due.includes(message))
      return due
    },
    /** Puts a message back that the consumer did not acknowledge. */
    giveBack({ transferId, attempt }: Pending, delaySeconds = 0) {
      if (attempt < MAX_DELIVERIES) put(transferId, delaySeconds, attempt + 1)
      else dead.push({ transferId, deliverAt: Date.now(), attempt: 1 })
    },
    /** Loses every message. */
    lose() {
      pending = []
    },
    put,
  }
}

export type RecordingQueue = ReturnType<typeof aRecordingQueue>
