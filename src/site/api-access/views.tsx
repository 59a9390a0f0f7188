import { ADMINISTRATOR } from '../../db/schema.ts'
import type { readAllTokens } from '../../identity/all-tokens.ts'
import { endOf, type readOwnTokens, type readToken } from '../../identity/api-tokens.ts'
import { displayName, Time } from '../page.tsx'
import { ApiAccess, type Notice, SignInAgain } from '../settings.tsx'

type Token = Awaited<ReturnType<typeof readOwnTokens>>['tokens'][number]

type OwnTokensProps = Awaited<ReturnType<typeof readOwnTokens>> & {
  notice: Notice | undefined
  /** Whether the user has signed in a short time ago. */
  canChange: boolean
  now: Date
}

export const OwnTokens = ({ account, tokens, canChange, now, notice }: OwnTokensProps) => (
  <ApiAccess account={account} tab="marketplace-api" notice={notice}>
    <p>
      A token lets a program use the <a href="/docs">Marketplace API</a> as you. Anyone who has it
      can do the same, so keep it secret like a password. Give each shop a token with a name of its
      own: order numbers are unique under a name.
    </p>
    {canChange ? (
      <GenerateForm isAdministrator={account.roleId === ADMINISTRATOR} />
    ) : (
      <section class="panel">
        <SignInAgain toDo="generate, show or roll a token" path="/settings/api-access" />
      </section>
    )}
    <h3 id="tokens">Your tokens</h3>
    {tokens.length === 0 ? (
      <p class="empty">You have no tokens yet. Generate one to call the API.</p>
    ) : (
      <ul class="tokens" aria-labelledby="tokens">
        {tokens.map((token) => (
          <TokenItem token={token} now={now}>
            <a class="button" href={`/settings/api-access/tokens/${token.id}`}>
              Show<span class="visually-hidden"> token {token.name}</span>
            </a>
          </TokenItem>
        ))}
      </ul>
    )}
  </ApiAccess>
)

const GenerateForm = ({ isAdministrator }: { isAdministrator: boolean }) => (
  <form method="post" action="/settings/api-access/tokens" class="panel inline-form">
    <div class="field">
      <label for="name">Name of the new token</label>
      <input
        id="name"
        name="name"
        required
        maxlength={100}
        autocomplete="off"
        placeholder="Such as: shop"
      />
    </div>
    {isAdministrator && (
      <div class="field">
        <label for="role">Acts for</label>
        <select id="role" name="role">
          <option value="user">Me (user token)</option>
          <option value="master">Every user (master token)</option>
        </select>
      </div>
    )}
    <div class="field">
      <label for="scope">May</label>
      <select id="scope" name="scope">
        <option value="write">Read and change</option>
        <option value="read">Only read</option>
      </select>
    </div>
    <div class="field">
      <label for="days">Expires after</label>
      <select id="days" name="days">
        <option value="7">7 days</option>
        <option value="30">30 days</option>
        <option value="90">90 days</option>
        <option value="365" selected>
          365 days
        </option>
      </select>
    </div>
    <button class="button primary" type="submit">
      Generate token
    </button>
  </form>
)

type TokenItemProps = {
  token: Token
  now: Date
  owner?: string
  back?: string
  children?: unknown
}

const TokenItem = ({ token, now, owner, back, children }: TokenItemProps) => (
  <li class="token">
    <div class="token-head">
      <h4>{token.name}</h4>
      <TokenBadges token={token} now={now} />
    </div>
    {owner && <p class="owner">{owner}</p>}
    <TokenDates token={token} />
    <div class="actions">
      {children}
      <RevokeForm token={token} back={back} />
    </div>
  </li>
)

const TokenBadges = ({ token, now }: { token: Token; now: Date }) => (
  <>
    {token.role === 'master' && <span class="badge strong">Master</span>}
    {token.scope === 'read' && <span class="badge">Read-only</span>}
    {token.kind === 'session' && <span class="badge">Session</span>}
    {token.rolledAt && <span class="badge">Replaced</span>}
    {endOf(token) <= now.toISOString() && <span class="badge">Expired</span>}
  </>
)

const TokenDates = ({ token }: { token: Token }) => (
  <dl class="dates">
    <div>
      <dt>Created</dt>
      <dd>
        <Time at={token.createdAt} />
      </dd>
    </div>
    <div>
      <dt>Expires</dt>
      <dd>
        <Time at={endOf(token)} />
      </dd>
    </div>
    <div>
      <dt>Last used</dt>
      <dd>{token.lastUsedAt ? <Time at={token.lastUsedAt} /> : 'Never'}</dd>
    </div>
  </dl>
)

/** Asks for confirmation without a script, because a revocation cannot be undone. */
const RevokeForm = ({ token, back }: { token: Token; back?: string | undefined }) => (
  <details class="revoke">
    <summary class="button">
      Revoke<span class="visually-hidden"> {token.name}</span>
    </summary>
    <form method="post" action={`/settings/api-access/tokens/${token.id}/revoke`}>
      {back && <input type="hidden" name="back" value={back} />}
      <p>Programs that use “{token.name}” stop working at once. This cannot be undone.</p>
      <button class="button danger" type="submit">
        Revoke token
      </button>
    </form>
  </details>
)

type TokenDetailsProps = Awaited<ReturnType<typeof readToken>> & {
  url: string
  now: Date
  notice: Notice | undefined
}

export const TokenDetails = ({ account, token, jwt, url, now, notice }: TokenDetailsProps) => (
  <ApiAccess account={account} tab="marketplace-api" notice={notice}>
    <div class="token-head">
      <h3>{token.name}</h3>
      <TokenBadges token={token} now={now} />
    </div>
    <div class="field">
      <label for="token">Token</label>
      <textarea id="token" class="code" readonly rows={6} spellcheck={false}>
        {jwt}
      </textarea>
    </div>
    <p class="actions">
      <button class="button primary" type="button" data-copy="token" hidden>
        Copy
      </button>
      <a class="button" href="/settings/api-access">
        Back to your tokens
      </a>
      <span class="status" role="status" />
    </p>
    <p class="hint">You can read the token here again until you revoke it.</p>
    <TokenDates token={token} />
    <h4>Try it</h4>
    <pre class="code" tabindex={0}>
      {`curl -H "Authorization: Bearer $TOKEN" \\\n  ${url}/api/public/user/me/deliveryAddresses`}
    </pre>
    {!token.rolledAt && endOf(token) > now.toISOString() && <RollForm token={token} />}
  </ApiAccess>
)

const RollForm = ({ token }: { token: Token }) => (
  <section class="panel">
    <h4>Roll this token</h4>
    <p>
      Makes a new token with the same name, which stands for the same shop. This one works for 24
      hours more, so that programs can change over.
    </p>
    <form method="post" action={`/settings/api-access/tokens/${token.id}/roll`} class="actions">
      <button class="button" type="submit">
        Roll token
      </button>
    </form>
  </section>
)

type AllTokensProps = Awaited<ReturnType<typeof readAllTokens>> & {
  notice: Notice | undefined
  owner: string | undefined
  after: string | undefined
  now: Date
}

export const AllTokens = ({ account, tokens, next, owner, after, now, notice }: AllTokensProps) => (
  <ApiAccess account={account} tab="everyone" notice={notice}>
    <p>All live tokens, including browser sessions, newest first.</p>
    <search>
      <form method="get" action="/settings/api-access/everyone" class="panel inline-form">
        <div class="field">
          <label for="owner">Owner</label>
          <input
            id="owner"
            name="owner"
            value={owner}
            maxlength={254}
            autocomplete="off"
            placeholder="User id, e-mail address or wallet"
          />
        </div>
        <button class="button" type="submit">
          Search
        </button>
      </form>
    </search>
    <h3 id="tokens">Live tokens</h3>
    {tokens.length === 0 ? (
      <p class="empty">{owner ? `“${owner}” has no live token.` : 'There are no more tokens.'}</p>
    ) : (
      <ul class="tokens" aria-labelledby="tokens">
        {tokens.map((token) => (
          <TokenItem
            token={token}
            now={now}
            owner={`User ${token.userId} · ${displayName(token.owner)}`}
            back="everyone"
          />
        ))}
      </ul>
    )}
    <p class="actions">
      {after && (
        <a class="button" href={pagePath(owner)}>
          First page
        </a>
      )}
      {next && (
        <a class="button" href={pagePath(owner, `${next.createdAt},${next.id}`)}>
          Older tokens
        </a>
      )}
    </p>
  </ApiAccess>
)

function pagePath(owner: string | undefined, after?: string): string {
  const query = new URLSearchParams({ ...(owner && { owner }), ...(after && { after }) })
  return `/settings/api-access/everyone?${query}`
}
