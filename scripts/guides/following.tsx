import { NextGuide } from './next-guide.tsx'
import { type Programs, Sample } from './samples.tsx'
import { Text } from './text.tsx'

/** By status of an order item: what it means, and what a shop does. */
const statuses: [status: string, meaning: string, action: string][] = [
  ['null', 'Waits for its transaction.', 'Ask again in some seconds.'],
  [
    'awaiting_wallet',
    'The buyer has no wallet. The transfer starts when one is linked.',
    'Ask the buyer to sign in and link a wallet. Ask again in hours, not in seconds.',
  ],
  ['transferring', 'A transaction was sent, and is not final yet.', 'Ask again in some seconds.'],
  ['transferred', 'The NFT is in the wallet. `txId` is the transaction.', 'Nothing: it has ended.'],
  [
    'failed',
    'Not delivered. `failReason` of the order says why.',
    'Ask the operator to retry it, or to cancel it before you refund.',
  ],
]

export const Following = ({ follow }: { follow: Programs }) => (
  <>
    <h1>Following a delivery</h1>
    <p class="lead">
      An order is <code class="code">paid</code> and stays so. Its item tells the delivery: each is
      delivered once, never twice.
    </p>
    <h2>Status of an order item</h2>
    <dl class="rows">
      {statuses.map(([status, meaning, action]) => (
        <div class="row">
          <dt>
            <code class="code">{status}</code>
          </dt>
          <dd>
            <Text>{meaning}</Text>
          </dd>
          <dd class="hint">{action}</dd>
        </div>
      ))}
    </dl>
    <p>
      Most items are delivered within a minute. An item may wait longer, when the holder of the NFT
      must first approve the transfer; it fails after 24 hours at the latest. A failed item may
      still be retried, so <strong>have it cancelled before you refund the buyer</strong>.
    </p>
    <h2>Wait for the end</h2>
    <p>
      Order 1 is an example: use the id that placing the order has answered. Each program ends when
      the NFT has arrived, and when waiting does not help.
    </p>
    <Sample id="follow" label="Wait for a delivery" programs={follow} />
    <h2>Many orders</h2>
    <ul class="list">
      <li>
        Let the marketplace tell you: <a href="/docs/webhooks">Webhooks</a>.
      </li>
      <li>
        One call reads up to 100 orders: <code class="code">GET /api/externalOrders/1,2,3</code>.
      </li>
      <li>
        To compare with your own books, go through{' '}
        <a href="/docs#/Orders/listOrders">all your orders</a>, newest first, or only those with one
        delivery status or with one of your order numbers.
      </li>
      <li>
        To read what you have just written, send the <code class="code">x-d1-bookmark</code> of the
        last answer with the next request.
      </li>
    </ul>
    <NextGuide path="/docs/webhooks" />
  </>
)
