import { NextGuide } from './next-guide.tsx'
import { Code, type Programs, Sample } from './samples.tsx'
import { Text } from './text.tsx'

const events: [type: string, meaning: string][] = [
  ['order.created', 'An order was placed.'],
  ['order.awaiting_wallet', 'The buyer has no wallet. The transfer starts when one is linked.'],
  ['order.delivered', 'The buyer has the NFT. `txId` is the transaction.'],
  ['order.failed', 'Not delivered. `failReason` says why.'],
  ['webhook.test', 'You asked for a test. Is always sent.'],
  ['alarm.raised', 'The marketplace needs its operator. Only for administrators.'],
  ['alarm.cleared', 'The alarm is over. Only for administrators.'],
]

const message = `webhook-id: msg_1c1d5b0c7f0e4d2a9b3f6a7e8d9c0b1a
webhook-timestamp: 1772442120
webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=

{
  "type": "order.delivered",
  "timestamp": "2026-03-02T09:02:00.000Z",
  "data": {
    "orderId": 1,
    "orderItemId": 1,
    "providerId": "A-1001",
    "nftId": 1,
    "listingId": 1,
    "quantity": 1,
    "buyerId": 3,
    "sellerId": 2,
    "status": "transferred",
    "txId": "0x3f0c…",
    "failReason": null,
    "sequence": 3
  }
}`

const rules: string[] = [
  'Answer with 2xx within 15 seconds, and do what takes longer afterwards. Nothing of the answer is read but its status and `Retry-After`.',
  'A message may arrive more than once, with the same `webhook-id`. Remember the ids that you have processed.',
  'Messages may arrive in any order. `sequence` grows with each event of an order: ignore an event whose `sequence` is lower than that of one you have processed.',
  'Reject a message whose `webhook-timestamp` differs from your clock by more than 5 minutes. Each attempt has its own.',
  'A message has ids only, no personal data. Read the order for the rest.',
]

/** After which attempt a message waits how long. */
const delays: [attempt: number, delay: string][] = [
  [1, '5 seconds'],
  [2, '5 minutes'],
  [3, '30 minutes'],
  [4, '2 hours'],
  [5, '5 hours'],
  [6, '10 hours'],
  [7, '14 hours'],
  [8, '20 hours'],
  [9, '24 hours'],
]

type WebhooksProps = { create: Programs; receive: Programs }

export const Webhooks = ({ create, receive }: WebhooksProps) => (
  <>
    <h1>Webhooks</h1>
    <p class="lead">
      Instead of asking again and again, let the marketplace tell your program. Messages follow{' '}
      <a href="https://www.standardwebhooks.com/">Standard Webhooks</a>, for which there are
      libraries in many languages.
    </p>
    <h2>Create an endpoint</h2>
    <p>
      Do it in <a href="/settings/webhooks">Settings → Webhooks</a>, or by program. The URL needs
      https. The answer has the secret that signs; the settings show it again. With a user token the
      endpoint gets the events of orders that you bought or sold, with a master token those of all
      orders.
    </p>
    <Sample id="webhook" label="Create a webhook" programs={create} />
    <h2>Events</h2>
    <dl class="rows">
      {events.map(([type, meaning]) => (
        <div class="row">
          <dt>
            <code class="code">{type}</code>
          </dt>
          <dd>
            <Text>{meaning}</Text>
          </dd>
        </div>
      ))}
    </dl>
    <p>This is a request, with its headers before the body:</p>
    <Code>{message}</Code>
    <h2>Receive them</h2>
    <p>
      Anyone can send requests to your URL, so verify the signature of each, over the bytes of the
      body as they arrived. Run a program with the secret in{' '}
      <code class="code">WEBHOOK_SECRET</code>, then send a test in the settings.
    </p>
    <Sample id="receive" label="Receive events" programs={receive} />
    <ul class="list">
      {rules.map((rule) => (
        <li>
          <Text>{rule}</Text>
        </li>
      ))}
    </ul>
    <h2>When it fails</h2>
    <p>
      Every other answer, also a redirect, is a failure. A message is sent up to ten times, with a
      little more time between two attempts than the table says. A later{' '}
      <code class="code">Retry-After</code> is respected, up to 24 hours.
    </p>
    <div class="table" tabindex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">After attempt</th>
            <th scope="col">The next one follows in</th>
          </tr>
        </thead>
        <tbody>
          {delays.map(([attempt, delay]) => (
            <tr>
              <td>{attempt}</td>
              <td>{delay}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <ul class="list">
      <li>
        An endpoint that has accepted nothing for 5 days is disabled. We tell you by mail a day
        before, and when it happens.
      </li>
      <li>
        An endpoint that answers 410 is disabled at once. Nothing is sent to a disabled endpoint
        until you enable it.
      </li>
      <li>
        You have missed messages? <a href="/docs#/Webhooks/replayWebhookMessages">Replay</a> all
        since a time, or send single ones again from the log. It keeps 30 days.
      </li>
    </ul>
    <h2>Change the secret</h2>
    <p>
      Rotate it in the settings. For 24 hours messages have two signatures, one of each secret, and
      a message is authentic if one of them is right. So you can change your program in between.
    </p>
    <NextGuide path="/docs/errors" />
  </>
)
