import type { Account } from '../../auth/session.ts'
import { guidePaths, guides } from './layout.tsx'

type ReferenceProps = {
  url: string
  account: Account | null
  /** Whether the user has signed in a short time ago. */
  canGetToken: boolean
}

export const Reference = ({ url, account, canGetToken }: ReferenceProps) => (
  <>
    <h1>Marketplace API</h1>
    <p class="lead">
      Place the orders that your shop has been paid for, and follow each NFT to the wallet of its
      buyer.
    </p>
    <ul class="guides">
      {guidePaths.map((path) => (
        <li>
          <a class="panel" href={path}>
            <strong>{guides[path].title}</strong>
            <span>{guides[path].summary}</span>
          </a>
        </li>
      ))}
    </ul>
    <h2>Basics</h2>
    <dl class="basics">
      <dt>Base URL</dt>
      <dd>
        <code class="code">{url}</code>
      </dd>
      <dt>Token</dt>
      <dd>
        <code class="code">Authorization: Bearer &lt;token&gt;</code>, from Settings →{' '}
        <a href="/settings/api-access">API Access</a>. A token may be read-only.
      </dd>
      <dt>Bodies</dt>
      <dd>
        JSON in UTF-8, at most 1 MiB. Times are ISO 8601 in UTC, prices whole cents, and amounts of
        ETH decimal text.
      </dd>
      <dt>Limit</dt>
      <dd>
        600 requests in 60 seconds, by all tokens of a user together or by one master token. Then
        429 with <code class="code">Retry-After</code>.
      </dd>
      <dt>Headers</dt>
      <dd>
        Every answer has <code class="code">x-request-id</code>, to quote when you report a problem;
        you may send your own id under this name, which is logged beside it. Send the{' '}
        <code class="code">x-d1-bookmark</code> of an answer with the next request to read what you
        wrote.
      </dd>
      <dt>Description</dt>
      <dd>
        <a href="/openapi.json">/openapi.json</a>, OpenAPI 3.1, to generate clients from.
      </dd>
    </dl>
    <h2 id="reference-title">Reference</h2>
    <noscript>
      <p class="notice warn">
        The reference needs JavaScript. <a href="/openapi.json">/openapi.json</a> says the same.
      </p>
    </noscript>
    <TokenPanel account={account} canGetToken={canGetToken} />
    <div id="reference" />
  </>
)

/** The token that requests of the reference carry. `docs.js` shows the panel. */
const TokenPanel = ({ account, canGetToken }: Omit<ReferenceProps, 'url'>) => (
  <section class="panel token" id="authorization" aria-labelledby="token-title" hidden>
    <h3 id="token-title">Try it with your token</h3>
    <div class="inline-form">
      <div class="field wide">
        <label for="token">Token</label>
        <input
          id="token"
          class="code"
          autocomplete="off"
          spellcheck={false}
          placeholder="Paste a token"
          aria-describedby="token-hint"
        />
      </div>
      {canGetToken && (
        <button class="button" type="button" id="get-token">
          Get a token for one hour
        </button>
      )}
      <button class="button" type="button" id="copy-token" hidden>
        Copy
      </button>
    </div>
    <p class="hint" id="token-hint">
      {account ? (
        <>
          Without a token, requests of this page use your session.
          {!canGetToken && (
            <>
              {' '}
              <a href="/sign-in/again?redirect=/docs">Sign in again</a> to get a token for one hour
              here.
            </>
          )}
        </>
      ) : (
        <>
          <a href="/sign-in?redirect=/docs">Sign in</a> to get one here by a click.
        </>
      )}{' '}
      A token is kept until you leave this page.
    </p>
    <p class="status" role="status" id="token-status" />
  </section>
)
