import { ADMINISTRATOR } from '../../db/schema.ts'
import type { readAllTokens } from '../../identity/all-tokens.ts'
import { endOf, type readOwnTokens, type readToken } from '../../identity/api-tokens.ts'
import { Confirm } from '../components/confirm.tsx'
import { Field } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { identityOf } from '../components/names.ts'
import { LastUsed, Time } from '../components/time.tsx'
import { ApiAccess, type Notice, SignInAgain } from '../settings.tsx'

type Token = Awaited<ReturnType<typeof readOwnTokens>>['tokens'][number]

type OwnTokensProps = Awaited<ReturnType<typeof readOwnTokens>> & {
  notice: Notice | undefined
  /** Whether the user has signed in a short time ago. */
  canChange: boolean
  now: Date
  form?: RejectedForm | undefined
}

/** What the user has entered, and why it was rejected. */
export type RejectedForm = { name: string; problem: string }

export const OwnTokens = ({ account, tokens, canChange, now, notice, form }: OwnTokensProps) => (
  <ApiAccess account={account} tab="marketplace-api" notice={notice}>
    <p class="lead">
      A token lets a program use the <a href="/docs">Marketplace API</a> as you. Anyone who has it
      can do the same, so keep it secret like a password. Give each shop a token with a name of its
      own: two shops may use the same order numbers only under different names.
    </p>
    {canChange ? (
      <GenerateForm isAdministrator={account.roleId === ADMINISTRATOR} form={form} />
    ) : (
      <section class="panel">
        <SignInAgain toDo="generate, show or roll a token" path="/settings/api-access" />
      </section>
    )}
    <h3 id="tokens">Your tokens</h3>
    {tokens.length === 0 ? (
      <p class="empty">You have no tokens yet. Generate one to call the API.</p>
    ) : (
      <ul class="rows" aria-labelledby="tokens">
        {tokens.map((token) => (
          <TokenRow token={token} now={now}>
            <a class="button small" href={`/settings/api-access/tokens/${token.id}`}>
              Show<span class="visually-hidden"> token {token.name}</span>
            </a>
          </TokenRow>
        ))}
      </ul>
    )}
  </ApiAccess>
)

type GenerateFormProps = { isAdministrator: boolean; form: RejectedForm | undefined }

const GenerateForm = ({ isAdministrator, form }: GenerateFormProps) => (
  <form method="post" action="/settings/api-access/tokens" class="panel">
    <h3>New token</h3>
    <div class="fields short">
      <Field
        name="name"
        label="Name"
        value={form?.name}
        problem={form?.problem}
        required
        maxlength={100}
        autocomplete="off"
        placeholder="Such as: shop"
      />
      {isAdministrator && (
        <div class="field">
          <label for="role">On behalf of</label>
          <select id="role" name="role">
            <option value="user">Me</option>
            <option value="master">Every user (master token)</option>
          </select>
        </div>
      )}
      <div class="field">
        <label for="scope">Permission</label>
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
    </div>
    <p class="actions">
      <button class="button primary" type="submit">
        Generate token
      </button>
    </p>
  </form>
)

type TokenRowProps = {
  token: Token
  now: Date
  owner?: string
  /** The filter of the tab for all tokens, to return to it after a revocation. */
  filter?: Filter
  children?: unknown
}

const TokenRow = ({ token, now, owner, filter, children }: TokenRowProps) => (
  <li class="row line">
    <div>
      <div class="row-head">
        <h4>{nameOf(token)}</h4>
        <TokenBadges token={token} now={now} />
      </div>
      {owner && <p class="meta">{owner}</p>}
    </div>
    <p class="meta">
      <TokenTimes token={token} now={now} />
    </p>
    <div class="actions">
      {children}
      <Revoke token={token} filter={filter} />
    </div>
  </li>
)

const nameOf = ({ kind, name }: Token) => (kind === 'session' ? 'Browser session' : name)

const TokenBadges = ({ token, now }: { token: Token; now: Date }) => (
  <>
    {token.role === 'master' && <span class="badge strong">Master</span>}
    {token.scope === 'read' && <span class="badge">Read-only</span>}
    {token.rolledAt && <span class="badge">Replaced</span>}
    {isExpired(token, now) && <span class="badge">Expired</span>}
  </>
)

const isExpired = (token: Token, now: Date) => endOf(token) <= now.toISOString()

const TokenTimes = ({ token, now }: { token: Token; now: Date }) => (
  <>
    <span>
      Created <Time at={token.createdAt} now={now} />
    </span>
    <span>
      {token.lastUsedAt ? (
        <>
          Used <LastUsed at={token.lastUsedAt} now={now} />
        </>
      ) : (
        'Never used'
      )}
    </span>
    <span>
      {isExpired(token, now) ? 'Expired' : 'Expires'} <Time at={endOf(token)} now={now} />
    </span>
  </>
)

const Revoke = ({ token, filter }: { token: Token; filter?: Filter | undefined }) => (
  <Confirm
    id={`revoke-${token.id}`}
    label={
      <>
        Revoke<span class="visually-hidden"> {nameOf(token)}</span>
      </>
    }
    title={`Revoke “${nameOf(token)}”?`}
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

type TokenDetailsProps = Awaited<ReturnType<typeof readToken>> & {
  url: string
  now: Date
  notice: Notice | undefined
}

export const TokenDetails = ({ account, token, jwt, url, now, notice }: TokenDetailsProps) => (
  <ApiAccess account={account} tab="marketplace-api" notice={notice}>
    <div class="row-head">
      <h3>{token.name}</h3>
      <TokenBadges token={token} now={now} />
    </div>
    <p class="meta">
      <TokenTimes token={token} now={now} />
    </p>
    <CopyField id="token" label="Token" text={jwt} />
    <CopyField
      id="curl"
      label="Try it in a terminal"
      text={`curl -H "Authorization: Bearer ${jwt}" \\\n  ${url}/api/public/user/me/deliveryAddresses`}
    />
    <p class="hint">You can read the token here again until you revoke it.</p>
    {!token.rolledAt && !isExpired(token, now) && <RollForm token={token} />}
    <p class="actions">
      <a class="button" href="/settings/api-access">
        Back to your tokens
      </a>
    </p>
  </ApiAccess>
)

/** A text to copy. `copy.js` shows the button. */
const CopyField = ({ id, label, text }: { id: string; label: string; text: string }) => (
  <div class="field">
    <label for={id}>{label}</label>
    <textarea id={id} class="code" readonly rows={4} spellcheck={false}>
      {text}
    </textarea>
    <p class="actions">
      <button class="button small" type="button" data-copy={id} hidden>
        <Icon name="copy" />
        Copy<span class="visually-hidden"> the text of “{label}”</span>
      </button>
      <span class="status" role="status" />
    </p>
  </div>
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
        <Field
          name="owner"
          label="Owner"
          value={owner}
          maxlength={254}
          autocomplete="off"
          placeholder="User id, e-mail address or wallet"
        />
        <button class="button" type="submit">
          Search
        </button>
      </form>
    </search>
    <h3 id="tokens">Live tokens</h3>
    {tokens.length === 0 ? (
      <p class="empty">{owner ? `“${owner}” has no live token.` : 'There are no more tokens.'}</p>
    ) : (
      <ul class="rows" aria-labelledby="tokens">
        {tokens.map((token) => (
          <TokenRow
            token={token}
            now={now}
            owner={`User ${token.userId} · ${identityOf(token.owner)}`}
            filter={{ owner, after }}
          />
        ))}
      </ul>
    )}
    <p class="actions">
      {after && (
        <a class="button" href={everyonePath({ owner })}>
          First page
        </a>
      )}
      {next && (
        <a class="button" href={everyonePath({ owner, after: `${next.createdAt},${next.id}` })}>
          Older tokens
        </a>
      )}
    </p>
  </ApiAccess>
)

type Filter = { owner?: string | undefined; after?: string | undefined }

/** The path of the tab for all tokens. */
export function everyonePath({ owner, after, ...others }: Filter & { notice?: Notice }): string {
  const query = new URLSearchParams({ ...(owner && { owner }), ...(after && { after }), ...others })
  return `/settings/api-access/everyone?${query}`
}
