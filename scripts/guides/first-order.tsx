import { NextGuide } from './next-guide.tsx'
import { Code, type Programs, Sample } from './samples.tsx'

type FirstOrderProps = { place: Programs; read: Programs }

export const FirstOrder = ({ place, read }: FirstOrderProps) => (
  <>
    <h1>First order in five minutes</h1>
    <p class="lead">
      Your shop has been paid for an NFT. Tell the marketplace, and it sends the NFT to the wallet
      of the buyer.
    </p>
    <h2>1. Get a token</h2>
    <p>
      <a href="/settings/api-access">Sign in and generate a token</a> in Settings → API Access. A
      user token can place orders for the listings of its user; a master token, which only
      administrators can generate, for all. Programs read it from the environment:
    </p>
    <Code>export TOKEN='paste the token here'</Code>
    <p class="hint">
      On your own machine, <code class="code">npm run dev</code> prints a master token.
    </p>
    <h2>2. Place the order</h2>
    <p>
      An order names the NFT, the listing that sells it, the quantity and the buyer. The ids here
      are <strong>examples from the demo catalogue</strong>: listing 2 sells NFT 2, and user 3 is a
      buyer with a wallet and a billing address.
    </p>
    <Sample id="place" label="Place an order" programs={place} />
    <p>The answer has the order with all its fields. The ones to keep:</p>
    <Code>{`{
  "orders": [{
    "id": 1,
    "status": "paid",
    "totalPriceCents": 1000,
    "orderItems": [{ "id": 1, "status": null, "txId": null }]
  }],
  "error": null
}`}</Code>
    <p>
      A call takes 1 to 100 orders and places all of them or none. If something is wrong, the answer
      lists everything that is: see <a href="/docs/errors">Errors</a>.
    </p>
    <h2>3. Read it back</h2>
    <p>
      The order stays <code class="code">paid</code>. The item tells where the NFT is: after some
      seconds it is <code class="code">transferred</code>, and <code class="code">txId</code> is the
      transaction.
    </p>
    <Sample id="read" label="Read an order" programs={read} />
    <h2>Without a token</h2>
    <p>
      <a href="/api/public/stats">/api/public/stats</a> and{' '}
      <a href="/api/public/creators">/api/public/creators</a> answer everybody. Open them in a
      browser to see that the instance is there.
    </p>
    <NextGuide path="/docs/retries" />
  </>
)
