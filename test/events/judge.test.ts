import { beforeEach, expect, it, vi } from 'vitest'
import { type Attempt, judge } from '../../src/events/sending/judge.ts'
import type { Leased } from '../../src/events/sending/lease.ts'
import type { Message } from '../../src/events/sending/message.ts'

const NOW = new Date('2026-03-02T09:00:00.000Z')
const fromNow = (seconds: number) => new Date(NOW.getTime() + seconds * 1000).toISOString()

beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))

/** An endpoint that has got event 10, and has not failed. */
const endpoint: Leased = {
  id: 'e',
  userId: 3,
  role: 'user',
  url: 'https://shop.example.com/',
  events: ['order.created'],
  sources: null,
  secretId: 's',
  previousSecretId: null,
  previousSecretUntil: null,
  verifiedAt: '2026-01-01T00:00:00.000Z',
  position: 10,
  failures: 0,
  pausedUntil: null,
  failingSince: null,
  disabledAt: null,
  disabledReason: null,
  updatedAt: '2026-01-01T00:00:00.000Z',
  wakeAt: null,
  leaseUntil: fromNow(60),
}

const message = (id: number, values: Partial<Message> = {}): Message => ({
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
const gone: Answer = { status: 410, error: 'it answered 410' }

const attempt = (sent: Message, answer: Answer): Attempt => ({
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
function judged(values: Partial<Leased>, answers: readonly Answer[], size = answers.length) {
  const messages = Array.from({ length: size }, (_, i) => message(11 + i))
  const attempts = answers.map((answer, i) => attempt(messages[i] ?? message(0), answer))
  return judge({ ...endpoint, ...values }, { batch: { messages, end: 99 }, attempts, now: NOW })
}

it.each<[string, Partial<Leased>, Answer[], failures: number, pause: number | null]>([
  ['one accepted', {}, [accepted], 0, null],
  ['one accepted after failures', { failures: 4 }, [accepted], 3, null],
  ['one rejected', {}, [rejected], 0, null],
  ['four rejected', {}, Array(4).fill(rejected), 0, null],
  ['five rejected', {}, Array(5).fill(rejected), 2, 5],
  ['one rejected after failures', { failures: 2 }, [rejected], 4, 10],
  ['one of six accepted', {}, [accepted, ...Array(5).fill(rejected)], 0, null],
  ['one that was not answered', {}, [silent], 4, 10],
  ['one accepted, one not answered', {}, [accepted, silent], 4, 10],
  ['one not answered after many', { failures: 13 }, [silent], 14, 300],
])('%s: failures and pause', (_, values, answers, failures, pause) => {
  const { health } = judged(values, answers)
  expect(health).toMatchObject({ failures, pausedUntil: pause && fromNow(pause) })
})

it.each<[string, Partial<Leased>, Answer[], string | null]>([
  ['begins with the first failure', {}, [rejected], fromNow(0)],
  ['goes on with the next', { failingSince: fromNow(-60) }, [rejected], fromNow(-60)],
  ['ends with a success', { failingSince: fromNow(-60) }, [rejected, accepted], null],
])('the time of failure %s', (_, values, answers, failingSince) => {
  expect(judged(values, answers).health).toMatchObject({ failingSince })
})

it.each<[string, Partial<Leased>, Answer[], { verifiedAt: string | null; isGone: boolean }]>([
  [
    'a challenge',
    { verifiedAt: null },
    [{ isChallenge: true }],
    { verifiedAt: fromNow(0), isGone: false },
  ],
  ['no challenge', { verifiedAt: null }, [rejected], { verifiedAt: null, isGone: false }],
  [
    'a later challenge',
    { verifiedAt: fromNow(-9) },
    [{ isChallenge: true }],
    { verifiedAt: fromNow(-9), isGone: false },
  ],
  ['410', { verifiedAt: fromNow(-9) }, [accepted, gone], { verifiedAt: fromNow(-9), isGone: true }],
])('%s', (_, values, answers, health) => {
  expect(judged(values, answers).health).toMatchObject(health)
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
  expect(judge(endpoint, { batch, attempts, now: NOW }).position).toBe(10)
})

it('says nothing of an endpoint to which nothing was sent', () => {
  expect(judged({}, [])).toEqual({ position: 99, health: null, records: [] })
})

it.each<[string, Partial<Message>, Answer, { state: string; tries: number; dueAt: string | null }]>(
  [
    ['accepted', {}, accepted, { state: 'delivered', tries: 1, dueAt: null }],
    ['rejected', {}, rejected, { state: 'pending', tries: 1, dueAt: fromNow(5) }],
    [
      'rejected again',
      { tries: 1, dueAt: fromNow(0) },
      rejected,
      { state: 'pending', tries: 2, dueAt: fromNow(300) },
    ],
    [
      'rejected with Retry-After',
      {},
      { ...rejected, retryAfter: '60' },
      { state: 'pending', tries: 1, dueAt: fromNow(60) },
    ],
    [
      'rejected the tenth time',
      { tries: 9, dueAt: fromNow(0) },
      rejected,
      { state: 'failed', tries: 10, dueAt: null },
    ],
  ],
)('a message that was %s', (_, values, answer, record) => {
  const sent = message(11, values)
  const batch = { messages: [sent], end: 11 }
  const { records } = judge(endpoint, { batch, attempts: [attempt(sent, answer)], now: NOW })
  expect(records).toMatchObject([{ id: 11, claimedDueAt: sent.dueAt, ...record }])
})
