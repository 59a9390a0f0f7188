import { ADMINISTRATOR } from '../../db/schema.ts'
import type { readOwnTokens, readToken } from '../../identity/api-tokens.ts'
import type { readEveryonesTokens } from '../../identity/everyones-tokens.ts'
import { nameOf, Time } from '../page.tsx'
import { ApiAccess, type Notice } from '../settings.tsx'

type Noticed = { notice: Notice | undefined }
type Own = Awaited<ReturnType<typeof readOwnTokens>>
type One = Awaited<ReturnType<typeof readToken>>
type Everyones = Awaited<ReturnType<typeof readEveryonesTokens>>
type Token = Own['tokens'][number]

export const OwnTokens = ({ account, tokens, now, notice }: Own & Noticed & { now: Date }) => (
  <ApiAccess account={account} tab="marketplace-api" notice={notice}>
    <p>
      A token lets a program use the <a href="/docs">Marketplace API</a> as you. Whoever holds it
      can do what you can do there: keep it as you keep a password.
    </p>
    <Generate mayBeMaster={account.roleId === ADMINISTRATOR} />
    <h3 id="tokens">Your tokens</h3>
    {tokens.length === 0 ? (
      <p class="empty">You have no tokens yet. Generate one to call the API.</p>
    ) : (
      <ul class="tokens" aria-labelledby="tokens">
        {tokens.map((token) => (
          <Item token={token} expired={token.expiresAt <= now.toISOString()}>
            <a class="button" href={`/settings/api-access/tokens/${token.id}`}>
              Show<span class="unseen"> token {token.name}</span>
            </a>
          </Item>
        ))}
      </ul>
    )}
  </ApiAccess>
)

const Generate = ({ mayBeMaster }: { mayBeMaster: boolean }) => (
  <form method="post" action="/settings/api-access/tokens" class="panel generate">
    <div class="field">
      <label for="name">Name of the new token</label>
      <input
        id="name"
        name="name"
        required
        maxlength={100}
        autocomplete="off"
        placeholder="What will use it, such as: shop"
      />
    </div>
    {mayBeMaster && (
      <div class="field">
        <label for="role">Acts for</label>
        <select id="role" name="role">
          <option value="user">Me (user token)</option>
          <option value="master">Every user (master token)</option>
        </select>
      </div>
    )}
    <button class="button primary" type="submit">
      Generate token
    </button>
  </form>
)

type Item = { token: Token; expired?: boolean; owner?: string; back?: string; children?: unknown }

const Item = ({ token, expired = false, owner, back, children }: Item) => (
  <li class="token">
    <div class="token-head">
      <h4>{token.name}</h4>
      {token.role === 'master' && <span class="badge strong">Master</span>}
      {token.kind === 'session' && <span class="badge">Session</span>}
      {expired && <span class="badge">Expired</span>}
    </div>
    {owner && <p class="owner">{owner}</p>}
    <Facts token={token} />
    <div class="actions">
      {children}
      <Revoke token={token} back={back} />
    </div>
  </li>
)

const Facts = ({ token }: { token: Token }) => (
  <dl class="facts">
    <div>
      <dt>Created</dt>
      <dd>
        <Time at={token.createdAt} />
      </dd>
    </div>
    <div>
      <dt>Expires</dt>
      <dd>
        <Time at={token.expiresAt} />
      </dd>
    </div>
    <div>
      <dt>Last used</dt>
      <dd>{token.lastUsedAt ? <Time at={token.lastUsedAt} /> : 'Never'}</dd>
    </div>
  </dl>
)

/** Two steps, without a script: there is no way back from a revocation. */
const Revoke = ({ token, back }: { token: Token; back?: string | undefined }) => (
  <details class="revoke">
    <summary class="button">
      Revoke<span class="unseen"> {token.name}</span>
    </summary>
    <form method="post" action={`/settings/api-access/tokens/${token.id}/revoke`}>
      {back && <input type="hidden" name="back" value={back} />}
      <p>What uses “{token.name}” stops working at once. This cannot be undone.</p>
      <button class="button danger" type="submit">
        Revoke for good
      </button>
    </form>
  </details>
)

export const OneToken = ({ account, token, text, url }: One & { url: string }) => (
  <ApiAccess account={account} tab="marketplace-api" notice={undefined}>
    <h3>{token.name}</h3>
    <div class="field">
      <label for="text">Token</label>
      <textarea id="text" class="code" readonly rows={6} spellcheck={false}>
        {text}
      </textarea>
    </div>
    <p class="actions">
      <button class="button primary" type="button" data-copy="text" hidden>
        Copy
      </button>
      <a class="button" href="/settings/api-access">
        Back to your tokens
      </a>
      <span class="status" role="status" />
    </p>
    <p class="hint">You can come back and read it again until you revoke it.</p>
    <Facts token={token} />
    <h4>Try it</h4>
    <pre class="code" tabindex={0}>
      {`curl -H "Authorization: Bearer $TOKEN" \\\n  ${url}/api/public/user/me/deliveryAddresses`}
    </pre>
  </ApiAccess>
)

type All = Everyones & Noticed & { owner: string | undefined; after: string | undefined }

export const EveryonesTokens = ({ account, tokens, next, owner, after, notice }: All) => (
  <ApiAccess account={account} tab="everyone" notice={notice}>
    <p>What works right now, sessions of browsers among it, newest first.</p>
    <search>
      <form method="get" action="/settings/api-access/everyone" class="panel generate">
        <div class="field">
          <label for="owner">Of one user</label>
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
      <p class="empty">{owner ? `No live token of “${owner}”.` : 'There are no more tokens.'}</p>
    ) : (
      <ul class="tokens" aria-labelledby="tokens">
        {tokens.map((token) => (
          <Item
            token={token}
            owner={`User ${token.userId} · ${nameOf(token.owner)}`}
            back="everyone"
          />
        ))}
      </ul>
    )}
    <p class="actions">
      {after && (
        <a class="button" href={everyonesPath(owner)}>
          First page
        </a>
      )}
      {next && (
        <a class="button" href={everyonesPath(owner, `${next.createdAt},${next.id}`)}>
          Older tokens
        </a>
      )}
    </p>
  </ApiAccess>
)

function everyonesPath(owner: string | undefined, after?: string): string {
  const query = new URLSearchParams({ ...(owner && { owner }), ...(after && { after }) })
  return `/settings/api-access/everyone?${query}`
}
