import type { readToken } from '../../identity/api-tokens.ts'
import { CopyField } from '../components/copy-field.tsx'
import { ApiAccess, type Notice } from '../settings.tsx'
import { isExpired, type Token, TokenBadges, TokenTimes } from './token-row.tsx'

type TokenDetailsProps = Awaited<ReturnType<typeof readToken>> & {
  url: string
  now: Date
  notice: Notice | undefined
}

/** One token, with its text if it was just made. */
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
