import { beforeEach, expect, it, vi } from 'vitest'
import type { WebhookEndpoint } from '../../src/db/schema/webhooks.ts'
import type { OutgoingMessage } from '../../src/events/sending/batch.ts'
import { judgeBatch } from '../../src/events/sending/judge.ts'
import type { Attempt } from '../../src/events/sending/send.ts'

const NOW = new Date('2026-03-02T09:00:00.000Z')
const fromNow = (seconds: number) => new Date(NOW.getTime() + seconds * 1000).toISOString()

beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))

/** An endpoint that has got event 10, and has not failed. */
const endpoint: WebhookEndpoint = {
  id: 'e',
  userId: 3,
  role: 'user',
  url: 'https://shop.example.com/',
  events: ['order.created'],
  sources: null,
  namespace: null,
  secretId: 's',
  previousSecretId: null,
  previousSecretUntil: null,
  verifiedAt: '2026-01-01T00:00:00.000Z',
  position: 10,
  logFrom: 0,
  dueAt: fromNow(0),
  wakeAt: null,
  leaseUntil: fromNow(60),
  penalty: 0,
  pausedUntil: null,
  failingSince: null,
  warnedAt: null,
  disabledAt: null,
  disabledReason: null,
  deletedAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

const message = (id: number, values: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  id,
  type: 'order.created',
  body: '{}',
  tries: 0,
  dueAt: null,
  ...values,
})

type Answer = Partial<Pick<Attempt, 'status' | 'error' | 'retryAfter' | 'isChallenge'>>

const accepted: Answer = {}
const rejected: Answer = { status: 500, error: 'it answered 500' }
const silent: Answer = { status: null, error: 'the connection failed' }

const attempt = (sent: OutgoingMessage, answer: Answer): Attempt => ({
  message: sent,
  at: NOW,
  duration: 0,
  status: 200,
  error: null,
  retryAfter: null,
  isChallenge: false,
  ...answer,
})

/** Judges a batch of events 11, 12, … of which the first were answered. */
function judged(
  values: Partial<WebhookEndpoint>,
  answers: readonly Answer[],
  size = answers.length,
) {
  const messages = Array.from({ length: size }, (_, i) => message(11 + i))
  const attempts = answers.map((answer, i) => attempt(messages[i] ?? message(0), answer))
  return judgeBatch(
    { ...endpoint, ...values },
    { batch: { messages, end: 99 }, attempts, now: NOW },
  )
}

it.each<[string, Partial<WebhookEndpoint>, Answer[], penalty: number, pause: number | null]>([
  ['one accepted', {}, [accepted], 0, null],
  ['ten rejected, of which five were on their way', {}, Array(10).fill(rejected), 5, 5],
  ['one of six accepted, before five rejected', {}, [accepted, ...Array(5).fill(rejected)], 5, 5],
  ['four rejected, then one accepted', {}, [...Array(4).fill(rejected), accepted], 0, null],
  ['one rejected after four', { penalty: 4 }, [rejected], 5, 5],
  ['one accepted and one rejected after four', { penalty: 4 }, [accepted, rejected], 1, null],
  ['one accepted after the first pause', { penalty: 5 }, [accepted], 4, null],
  ['one that was not answered', {}, [silent], 7, 10],
  ['one accepted, one not answered', {}, [accepted, silent], 7, 10],
  ['six that were not answered', {}, Array(6).fill(silent), 7, 10],
  ['one not answered after many', { penalty: 16 }, [silent], 17, 300],
])('%s: penalty and pause', (_, values, answers, penalty, pause) => {
  const { health } = judged(values, answers)
  expect(health).toMatchObject({ penalty, pausedUntil: pause && fromNow(pause) })
})

it('moves over a batch that was sent, and over what was not for the endpoint', () => {
  expect(judged({}, [accepted, rejected]).position).toBe(99)
  expect(judged({}, []).position).toBe(99)
})

it('moves over the first messages if the others have to wait', () => {
  expect(judged({}, [accepted, silent], 5).position).toBe(12)
})

it('does not move for messages that are sent again', () => {
  const batch = { messages: [message(7, { dueAt: fromNow(0), tries: 1 }), message(11)], end: 11 }
  const attempts = batch.messages.slice(0, 1).map((sent) => attempt(sent, rejected))
  expect(judgeBatch(endpoint, { batch, attempts, now: NOW }).position).toBe(10)
})

it('says nothing of an endpoint to which nothing was sent', () => {
  expect(judged({}, [])).toEqual({ position: 99, health: null, records: [] })
})
