/** A queue that a test delivers by hand: it remembers what was sent, and hands it out as told, each
 * transfer by itself. */
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
  let dead: Pending[] = []
  const put = (transferId: number, delaySeconds = 0, attempt = 1) => {
    pending.push({ transferId, deliverAt: Date.now() + delaySeconds * 1000, attempt })
  }
  const metadata = { metrics: { backlogCount: 0, backlogBytes: 0 } }
  const queue: Queue<TransferMessage> = {
    async send({ transferIds }, options) {
      for (const id of transferIds) put(id, options?.delaySeconds)
      return { metadata }
    },
    async sendBatch(messages, options) {
      const listed = [...messages]
      if (listed.length === 0 || listed.length > 100) throw new Error('1 to 100 messages a batch')
      for (const { body, delaySeconds } of listed) {
        for (const id of body.transferIds) put(id, delaySeconds ?? options?.delaySeconds)
      }
      return { metadata }
    },
    async metrics() {
      return { backlogCount: pending.length, backlogBytes: 0 }
    },
  }
  const bury = ({ transferId, attempt }: Pending, delaySeconds = 0) => {
    dead.push({ transferId, deliverAt: Date.now() + delaySeconds * 1000, attempt: attempt + 1 })
  }
  return {
    queue,
    pending: () => pending,
    /** Takes out what is due now, the oldest first, at most as much as one batch may have. */
    take(limit = 100): Pending[] {
      const due = pending.filter(({ deliverAt }) => deliverAt <= Date.now()).slice(0, limit)
      pending = pending.filter((message) => !due.includes(message))
      return due
    },
    /** The same, of the dead letters. */
    takeDead(): Pending[] {
      const due = dead.filter(({ deliverAt }) => deliverAt <= Date.now()).slice(0, 100)
      dead = dead.filter((message) => !due.includes(message))
      return due
    },
    /** Puts a message back that the consumer did not acknowledge. */
    giveBack(message: Pending, delaySeconds = 0) {
      if (message.attempt >= MAX_DELIVERIES) bury({ ...message, attempt: 0 })
      else put(message.transferId, delaySeconds, message.attempt + 1)
    },
    /** Makes it a dead letter. */
    bury,
    /** Loses every message. */
    lose() {
      pending = []
    },
    put,
  }
}

export type RecordingQueue = ReturnType<typeof aRecordingQueue>
