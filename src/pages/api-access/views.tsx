/** The tokens of a user, one of them, and those of everybody. */
import type { Child } from 'hono/jsx'
import { ADMINISTRATOR } from '../../db/schema/users.ts'
import type { readAllTokens } from '../../identity/all-tokens.ts'
import { type readOwnTokens, type readToken, tokenEnd } from '../../identity/api-tokens.ts'
import {
  Confirm,
  CopyField,
  Field,
  LinkButton,
  PostButton,
  Select,
  Submit,
} from '../components/forms.tsx'
import { Menu, type MenuLink, Pager, Rows } from '../components/lists.tsx'
import { type Found, usePage } from '../components/request.ts'
import { contactName } from '../components/text.ts'
import { LastUsed, When } from '../components/values.tsx'
import { RecentSignIn } from '../settings.tsx'

type Token = Found<typeof readOwnTokens>['tokens'][number]

/** What the tab for all tokens shows: the tokens of one owner, from a cursor on. */
type Filter = { owner?: string | undefined; after?: string | undefined }

const useIsAdministrator = () => usePage().account?.roleId === ADMINISTRATOR

const OWN = '/settings/api-access'
export const EVERYONE = '/settings/api-access/everyone'

const tabs: MenuLink[] = [
  [OWN, 'Marketplace API'],
  [EVERYONE, 'Everyone’s tokens'],
]

/** The heading with the tabs. Only administrators see the tab for all tokens. */
const Head = ({ path }: { path: string }) => (
  <>
    <h2>API Access</h2>
    <Menu
      label="API Access"
      links={useIsAdministrator() ? tabs : tabs.slice(0, 1)}
      current={path}
      isTabs
    />
  </>
)

export const OwnTokens = ({ tokens }: { tokens: readonly Token[] }) => (
  <>
    <Head path={OWN} />
    <p class="lead">
      A token lets a program use the <a href="/docs">Marketplace API</a> as you. Anyone who has it
      can do the same, so keep it secret like a password. Give each shop a token with a name of its
      own: two shops may use the same order numbers only under different names.
    </p>
    <RecentSignIn toDo="generate, show or roll a token" path="/settings/api-access">
      <GenerateForm />
    </RecentSignIn>
    <h3 id="tokens">Your tokens</h3>
    <Rows
      items={tokens}
      empty="You have no tokens yet. Generate one to call the API."
      labelledby="tokens"
      row={(token) => (
        <TokenRow token={token}>
          <LinkButton href={`/settings/api-access/tokens/${token.id}`} kind="small">
            Show<span class="visually-hidden"> token {token.name}</span>
          </LinkButton>
        </TokenRow>
      )}
    />
  </>
)

const lifetimes = { 7: '7 days', 30: '30 days', 90: '90 days', 365: '365 days' }

const GenerateForm = () => {
  const isAdministrator = useIsAdministrator()
  const roles = { user: 'Me', master: 'Every user (master token)' }
  const scopes = {
    write: 'Read and change',
    read: 'Only read',
    ...(isAdministrator && {
      orders: 'Only the orders of one shop (master token)',
      metrics: 'Only the metrics (master token)',
    }),
  }
  return (
    <form method="post" action="/settings/api-access/tokens" class="panel">
      <h3>New token</h3>
      <div class="fields short">
        <Field
          name="name"
          label="Name"
          required
          maxlength={100}
          autocomplete="off"
          placeholder="Such as: shop"
        />
        {isAdministrator && <Select name="role" label="On behalf of" options={roles} />}
        <Select name="scope" label="Permission" options={scopes} />
        <Select name="days" label="Expires after" options={lifetimes} selected="365" />
      </div>
      <p class="actions">
        <Submit kind="primary">Generate token</Submit>
      </p>
    </form>
  )
}

/** What each kind of token may read. */
const samplePaths = {
  write: '/api/public/user/me/deliveryAddresses',
  read: '/api/public/user/me/deliveryAddresses',
  orders: '/api/externalOrders',
  metrics: '/metrics',
}

export const TokenDetails = ({ token, jwt }: Found<typeof readToken>) => (
  <>
    <Head path={OWN} />
    <div class="row-head">
      <h3>{token.name}</h3>
      <Badges token={token} />
    </div>
    <p class="meta">
      <Times token={token} />
    </p>
    <CopyField id="token" label="Token" text={jwt} />
    <CopyField
      id="curl"
      label="Try it in a terminal"
      text={`curl -H "Authorization: Bearer ${jwt}" \\\n  ${usePage().settings.PUBLIC_URL}${samplePaths[token.scope]}`}
    />
    <p class="hint">You can read the token here again until you revoke it.</p>
    {!token.rolledAt && !isExpired(token) && (
      <section class="panel">
        <h4>Roll this token</h4>
        <p>
          Makes a new token with the same name, which stands for the same shop. This one works for
          24 hours more, so that programs can change over.
        </p>
        <PostButton action={`/settings/api-access/tokens/${token.id}/roll`} kind="normal">
          Roll token
        </PostButton>
      </section>
    )}
    <p class="actions">
      <LinkButton href="/settings/api-access">Back to your tokens</LinkButton>
    </p>
  </>
)

type AllTokensProps = Filter & Found<typeof readAllTokens>

export const AllTokens = ({ tokens, next, owner, after }: AllTokensProps) => (
  <>
    <Head path={EVERYONE} />
    <p>All live tokens, including browser sessions, newest first.</p>
    <search>
      <form method="get" action={EVERYONE} class="panel inline-form">
        <Field
          name="owner"
          label="Owner"
          value={owner}
          maxlength={254}
          autocomplete="off"
          placeholder="User id, e-mail address or wallet"
        />
        <Submit>Search</Submit>
      </form>
    </search>
    <h3 id="tokens">Live tokens</h3>
    <Rows
      items={tokens}
      empty={owner ? `“${owner}” has no live token.` : 'There are no more tokens.'}
      labelledby="tokens"
      row={(token) => (
        <TokenRow
          token={token}
          owner={`User ${token.userId} · ${contactName(token.owner)}`}
          filter={{ owner, after }}
        />
      )}
    />
    <Pager
      noun="tokens"
      path={EVERYONE}
      query={{ owner }}
      next={{ after: next && `${next.createdAt},${next.id}` }}
    />
  </>
)

type TokenRowProps = {
  token: Token
  owner?: string
  /** The filter of the tab for all tokens, to return to it after a revocation. */
  filter?: Filter
  children?: Child
}

const TokenRow = ({ token, owner, filter, children }: TokenRowProps) => {
  const name = token.kind === 'session' ? 'Browser session' : token.name
  return (
    <li class="row line">
      <div>
        <div class="row-head">
          <h4>{name}</h4>
          <Badges token={token} />
        </div>
        {owner && <p class="meta">{owner}</p>}
      </div>
      <p class="meta">
        <Times token={token} />
      </p>
      <div class="actions">
        {children}
        <Confirm
          id={`revoke-${token.id}`}
          label="Revoke"
          subject={name}
          title={`Revoke “${name}”?`}
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
      </div>
    </li>
  )
}

const Badges = ({ token }: { token: Token }) => (
  <>
    {token.role === 'master' && <span class="badge strong">Master</span>}
    {token.scope === 'read' && <span class="badge">Read-only</span>}
    {token.scope === 'orders' && <span class="badge">Orders of one shop</span>}
    {token.scope === 'metrics' && <span class="badge">Metrics</span>}
    {token.rolledAt && <span class="badge">Replaced</span>}
    {isExpired(token) && <span class="badge">Expired</span>}
  </>
)

const isExpired = (token: Token) => tokenEnd(token) <= usePage().now.toISOString()

const Times = ({ token }: { token: Token }) => (
  <>
    <When what="Created" at={token.createdAt} />
    {token.lastUsedAt ? <LastUsed at={token.lastUsedAt} /> : <span>Never used</span>}
    <When what={isExpired(token) ? 'Expired' : 'Expires'} at={tokenEnd(token)} />
  </>
)
