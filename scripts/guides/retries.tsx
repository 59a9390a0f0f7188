import { NextGuide } from './next-guide.tsx'
import { type Programs, Sample } from './samples.tsx'

export const Retries = ({ retry }: { retry: Programs }) => (
  <>
    <h1>Retrying safely</h1>
    <p class="lead">
      A connection breaks, and you do not know whether the order was placed. Send the same call
      again: with a key of your own it places nothing twice.
    </p>
    <h2>Two keys, two purposes</h2>
    <div class="table" tabindex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Stands for</th>
            <th scope="col">When it is used again</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>
              Header <code class="code">Idempotency-Key</code>
            </td>
            <td>One call, for 24 hours</td>
            <td>
              The first answer again, with <code class="code">Idempotent-Replayed: true</code>. With
              another body: 422{' '}
              <a href="/docs/errors#idempotency_key_reused">idempotency_key_reused</a>
            </td>
          </tr>
          <tr>
            <td>
              Field <code class="code">providerId</code>
            </td>
            <td>One order of your shop, for ever</td>
            <td>
              409 <a href="/docs/errors#provider_id_used">provider_id_used</a>, which names the
              order that has it
            </td>
          </tr>
        </tbody>
      </table>
    </div>
    <p>
      Send both. <code class="code">providerId</code> is your own order number; it also keeps an
      item from being delivered twice if the marketplace has to restore its database. Both are
      unique under the name of your token, so give each shop a token with a name of its own.
    </p>
    <h2>What to send again</h2>
    <ul class="list">
      <li>
        No answer, 429 and 5xx: wait, then send the same call with the same key. Wait as long as{' '}
        <code class="code">Retry-After</code> says, or else twice as long each time.
      </li>
      <li>
        409 <a href="/docs/errors#request_in_progress">request_in_progress</a>: the same.
      </li>
      <li>Any other 4xx: do not. The same call fails the same way. Correct it first.</li>
    </ul>
    <h2>A call that may be repeated</h2>
    <p>
      The number <code class="code">4711</code> and the ids are examples. Run a program again within
      24 hours: it prints the same order. (curl repeats broken connections, 429 and 5xx itself, but
      not a 409.)
    </p>
    <Sample id="retry" label="Place an order, with retries" programs={retry} />
    <NextGuide path="/docs/delivery" />
  </>
)
