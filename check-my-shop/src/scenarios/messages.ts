/** What the shop's receiver gets. */
import {
  type Message,
  newSecret,
  signedHeaders,
  toMessage,
} from '../../../client/src/cli/message.ts'
import type { OrderEvent } from '../feed.ts'
import { Finding } from '../finding.ts'
import type { Run } from '../run.ts'
import type { Sale } from '../sale.ts'
import type { Scenario } from '../scenario.ts'

const TEN_MINUTES = 600_000

/** What a thief would send: the order is cancelled, so refund it. */
const cancellationOf = ({ data, timestamp }: OrderEvent): Message => ({
  id: `evt_${Date.now()}000`,
  body: JSON.stringify({
    ...{ type: 'order.cancelled', timestamp },
    data: { ...data, status: 'failed', reasonCode: 'cancelled', sequence: data.sequence + 1 },
  }),
})

async function forge(run: Run) {
  const { sale, waiting } = await run.sellWaiting()
  const message = cancellationOf(waiting)
  const secret = newSecret()
  const { 'webhook-signature': _, ...unsigned } = signedHeaders(message, secret)
  const truth = toMessage(waiting)
  const forgeries = {
    'without a signature': unsigned,
    'signed with another secret': signedHeaders(message, secret),
    'with the signature of another message': run.feed.sign({ ...truth, id: message.id }),
  }
  for (const [how, headers] of Object.entries(forgeries)) {
    const { status } = await run.shop.receive(headers, message.body)
    await run.afterwards()
    const book = await run.book(sale)
    const isRefunded = book?.state === 'refunded' || (book?.refunds.length ?? 0) > 0
    if (isRefunded || status === null || status < 300)
      throw new Finding('forged_message', `A message ${how} was sent to your shop.`, [
        { what: 'answer', expected: '400', found: `${status ?? 'none'}` },
        { what: 'the sale', expected: 'open', found: isRefunded ? 'refunded' : 'open' },
      ])
  }
}

async function sendOld(run: Run) {
  const sale = run.sale({ buyer: 'email' })
  run.feed.hold(sale)
  await run.shop.sell(sale)
  const event = await run.event(sale, 'order.awaiting_wallet', 'not_placed')
  for (const [age, milliseconds] of [
    ['before', -TEN_MINUTES],
    ['after', TEN_MINUTES],
  ] as const) {
    const at = new Date(Date.now() + milliseconds)
    const { status } = await run.feed.send(toMessage(event), at)
    if (status === null || status < 300)
      throw new Finding(
        'old_message',
        `A message of 10 minutes ${age} now was sent to your shop.`,
        [{ what: 'answer', expected: '400', found: `${status ?? 'none'}` }],
      )
  }
  await run.feed.sendAccepted(toMessage(event))
}

async function duplicate(run: Run) {
  const { sale } = await run.sellWaiting()
  run.feed.hold(sale)
  await run.shop.cancel(sale)
  const cancelled = await run.event(sale, 'order.cancelled', 'not_refunded')
  const message = toMessage(cancelled)
  await Promise.all([run.feed.sendAccepted(message), run.feed.sendAccepted(message)])
  await run.feed.sendAccepted(message)
  await run.afterwards()
  await run.settle('refunded', sale, 'not_refunded')
}

/** Sends all events of a sale, the newest first. */
async function sendReversed(run: Run, sale: Sale) {
  for (const event of run.feed.events(sale).toReversed())
    await run.feed.sendAccepted(toMessage(event))
  await run.afterwards()
}

async function reorder(run: Run) {
  const [delivered, cancelled] = [run.sale(), run.sale({ buyer: 'email' })]
  for (const sale of [delivered, cancelled]) {
    run.feed.hold(sale)
    await run.shop.sell(sale)
  }
  await run.event(cancelled, 'order.awaiting_wallet', 'not_placed')
  await run.shop.cancel(cancelled)
  await run.event(cancelled, 'order.cancelled', 'not_refunded')
  await sendReversed(run, cancelled)
  await run.settle('refunded', cancelled, 'late_message')
  await run.event(delivered, 'order.delivered', 'not_placed')
  await sendReversed(run, delivered)
  await run.settle('delivered', delivered, 'late_message')
}

async function lose(run: Run) {
  const sale = run.sale()
  run.feed.hold(sale)
  await run.shop.sell(sale)
  await run.event(sale, 'order.delivered', 'not_placed')
  await run.shop.reconcile()
  await run.settle('delivered', sale, 'books_not_compared')
}

/** A test, and a message about an order of another shop. */
async function sendOthers(run: Run) {
  const challenge = 'c0ffee'.repeat(5)
  const timestamp = new Date().toISOString()
  const test = { type: 'webhook.test', timestamp, data: { message: 'This is a test.', challenge } }
  const reply = await run.feed.send({ id: `evt_${Date.now()}001`, body: JSON.stringify(test) })
  if (reply.error || reply.text.trim() !== challenge)
    throw new Finding(
      'message_refused',
      '`webhook.test` was not answered, which verifies your URL.',
      [
        {
          what: 'answer',
          expected: challenge,
          found: reply.error ?? (reply.text.trim() || 'nothing'),
        },
      ],
    )
  const { waiting } = await run.sellWaiting()
  const data = { ...waiting.data, orderId: 999_999_999, providerId: 'of another shop' }
  const body = JSON.stringify({ type: 'order.delivered', timestamp, data })
  await run.feed.sendAccepted({ id: `evt_${Date.now()}002`, body })
}

export const messages: readonly Scenario[] = [
  { name: 'duplicated', says: 'a message comes three times', run: duplicate },
  { name: 'reordered', says: 'messages come in the wrong order', run: reorder },
  { name: 'forged', says: 'a stranger sends messages', run: forge },
  { name: 'old', says: 'messages have another time', run: sendOld },
  {
    ...{ name: 'lost', says: 'messages are lost, and the books compared', run: lose },
    // The comparison calls for other sales, too.
    isAlone: true,
  },
  { name: 'others', says: 'a test, and a message about another order', run: sendOthers },
]
