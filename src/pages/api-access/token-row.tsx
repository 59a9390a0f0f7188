import { type readOwnTokens, tokenEnd } from '../../identity/api-tokens.ts'
import { Confirm } from '../components/confirm.tsx'
import { usePage } from '../components/request.ts'
import { LastUsed, When } from '../components/time.tsx'

export type Token = Awaited<ReturnType<typeof readOwnTokens>>['tokens'][number]

/** What the tab for all tokens shows: the tokens of an owner, those after a token. */
export type Filter = { owner?: string | undefined; after?: string | undefined }

type TokenRowProps = {
  token: Token
  owner?: string
  /** The filter of the tab for all tokens, to return to it after a revocation. */
  filter?: Filter
  children?: unknown
}

/** A token in a list, with the button that revokes it. */
export const TokenRow = ({ token, owner, filter, children }: TokenRowProps) => (
  <li class="row line">
    <div>
      <div class="row-head">
        <h4>{displayName(token)}</h4>
        <TokenBadges token={token} />
      </div>
      {owner && <p class="meta">{owner}</p>}
    </div>
    <p class="meta">
      <TokenTimes token={token} />
    </p>
    <div class="actions">
      {children}
      <Revoke token={token} filter={filter} />
    </div>
  </li>
)

const displayName = ({ kind, name }: Token) => (kind === 'session' ? 'Browser session' : name)

/** The state and the scopes of a token. */
export const TokenBadges = ({ token }: { token: Token }) => (
  <>
    {token.role === 'master' && <span class="badge strong">Master</span>}
    {token.scope === 'read' && <span class="badge">Read-only</span>}
    {token.scope === 'metrics' && <span class="badge">Metrics</span>}
    {token.rolledAt && <span class="badge">Replaced</span>}
    {isExpired(token) && <span class="badge">Expired</span>}
  </>
)

/** Returns whether the token has expired. */
export const isExpired = (token: Token) => tokenEnd(token) <= usePage().now.toISOString()

/** When a token was made and used, and when it ends. */
export const TokenTimes = ({ token }: { token: Token }) => (
  <>
    <When what="Created" at={token.createdAt} />
    <span>
      {token.lastUsedAt ? (
        <>
          Used <LastUsed at={token.lastUsedAt} />
        </>
      ) : (
        'Never used'
      )}
    </span>
    <When what={isExpired(token) ? 'Expired' : 'Expires'} at={tokenEnd(token)} />
  </>
)

const Revoke = ({ token, filter }: { token: Token; filter?: Filter | undefined }) => (
  <Confirm
    id={`revoke-${token.id}`}
    label="Revoke"
    subject={displayName(token)}
    title={`Revoke “${displayName(token)}”?`}
    action={`/settings/api-access/tokens/${token.id}/revoke`}
    submit="Revoke token"
    values={filter ? { back: 'everyone', ...filter } : {}}
  >
    <p>
      {token.kind === 'session'
        ? 'The browser is signed out at once.'
        : 'Programs that use it stop working at once. This cannot be undone.'}
    </p>
  </Confirm>
)
