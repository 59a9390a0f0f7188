/** A queue that a test delivers by hand: it keeps the messages that were sent. */
import type { WakeUp } from '../../../src/delivery/wake.ts'

/** Retries of a message, as in wrangler.toml. After the last one the message is gone. */
const MAX_RETRIES = 3

export type Pending = {
  chainId: number
  /** Milliseconds since 1970. */
  deliverAt: number
  /** Counts from 1. */
  attempt: number
}

export type RecordingQueue = ReturnType<typeof aRecordingQueue>

export function aRecordingQueue() {
  let pending: Pending[] = []
  const put = ({ chainId }: WakeUp, delaySeconds = 0, attempt = 1) => {
    pending.push({ chainId, deliverAt: Date.now() + delaySeconds * 1000, attempt })
  }
  const metadata = { metrics: { backlogCount: 0, backlogBytes: 0 } }
  const queue: Queue<WakeUp> = {
    async send(body, options) {
      put(body, options?.delaySeconds)
      return { metadata }
    },
    async sendBatch(messages, options) {
      const listed = [...messages]
      if (listed.length === 0 || listed.length > 100) throw new Error('1 to 100 messages a batch')
      for (const { body, delaySeconds } of listed) put(body, delaySeconds ?? options?.delaySeconds)
      return { metadata }
    },
    async metrics() {
      return { backlogCount: pending.length, backlogBytes: 0 }
    },
  }
  return {
    queue,
    pending: () => pending,
    /** Removes and returns the messages that are due, oldest first, at most as many as given. */
    take(limit = 100): Pending[] {
      const due = pending.filter(({ deliverAt }) => deliverAt <= Date.now()).slice(0, limit)
      pending = pending.filter((message) => !due.includes(message))
      return due
    },
    /** Puts back a message that the consumer did not acknowledge. */
    giveBack({ chainId, attempt }: Pending, delaySeconds: number) {
      if (attempt <= MAX_RETRIES) put({ chainId }, delaySeconds, attempt + 1)
    },
    /** Loses every message. */
    lose() {
      pending = []
    },
    put,
  }
}
