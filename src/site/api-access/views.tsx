import { ADMINISTRATOR } from '../../db/schema.ts'
import type { readAllTokens, readOwnTokens, readToken } from '../../identity/api-tokens.ts'
import { displayName, Time } from '../page.tsx'
import { ApiAccess, type Notice } from '../settings.tsx'

type Token = Awaited<ReturnType<typeof readOwnTokens>>['tokens'][number]

type OwnTokensProps = Awaited<ReturnType<typeof readOwnTokens>> & {
  notice: Notice | undefined
  now: Date
}

export const OwnTokens = ({ account, tokens, now, notice }: OwnTokensProps) => (
  <ApiAccess account={account} tab="marketplace-api" notice={notice}>
    <p>
      A token lets a program use the <a href="/docs">Marketplace API</a> as you. Anyone who has it
      can do the same, so keep it secret like a password. Give each shop a token with a name of its
      own: order numbers are unique under a name.
    </p>
    <GenerateForm isAdministrator={account.roleId === ADMINISTRATOR} />
    <h3 id="tokens">Your tokens</h3>
    {tokens.length === 0 ? (
      <p class="empty">You have no tokens yet. Generate one to call the API.</p>
    ) : (
      <ul class="tokens" aria-labelledby="tokens">
        {tokens.map((token) => (
          <TokenItem token={token} isExpired={token.expiresAt <= now.toISOString()}>
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
        placeholder="The program that uses it, such as: shop"
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
    <button class="button primary" type="submit">
      Generate token
    </button>
  </form>
)

type TokenItemProps = {
  token: Token
  isExpired?: boolean
  owner?: string
  back?: string
  children?: unknown
}

const TokenItem = ({ token, isExpired = false, owner, back, children }: TokenItemProps) => (
  <li class="token">
    <div class="token-head">
      <h4>{token.name}</h4>
      {token.role === 'master' && <span class="badge strong">Master</span>}
      {token.kind === 'session' && <span class="badge">Session</span>}
      {isExpired && <span class="badge">Expired</span>}
    </div>
    {owner && <p class="owner">{owner}</p>}
    <TokenDates token={token} />
    <div class="actions">
      {children}
      <RevokeForm token={token} back={back} />
    </div>
  </li>
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
        <Time at={token.expiresAt} />
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

type TokenDetailsProps = Awaited<ReturnType<typeof readToken>> & { url: string }

export const TokenDetails = ({ account, token, jwt, url }: TokenDetailsProps) => (
  <ApiAccess account={account} tab="marketplace-api" notice={undefined}>
    <h3>{token.name}</h3>
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
  </ApiAccess>
)

type AllTokensProps = Awaited<ReturnType<typeof readAllTokens>> & {
  notice: Notice | undefined
  owner: string | undefined
  after: string | undefined
}

export const AllTokens = ({ account, tokens, next, owner, after, notice }: AllTokensProps) => (
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
