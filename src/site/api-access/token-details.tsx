import type { readToken } from '../../identity/api-tokens.ts'
import { Icon } from '../components/icon.tsx'
import { ApiAccess, type Notice } from '../settings.tsx'
import { isExpired, type Token, TokenBadges, TokenTimes } from './token-row.tsx'

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
      text={`curl -H "Authorization: Bearer ${jwt}" \\\n  ${url}${token.scope === 'metrics' ? '/metrics' : '/api/public/user/me/deliveryAddresses'}`}
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
