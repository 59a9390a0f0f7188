import type { readToken } from '../../identity/api-tokens.ts'
import { LinkButton, PostButton } from '../components/button.tsx'
import { CopyField } from '../components/copy-field.tsx'
import { usePage } from '../components/request.ts'
import { ApiAccess } from './layout.tsx'
import { isExpired, type Token, TokenBadges, TokenTimes } from './token-row.tsx'

type TokenDetailsProps = Omit<Awaited<ReturnType<typeof readToken>>, 'account'>

/** One token, with its text if it was just made. */
export const TokenDetails = ({ token, jwt }: TokenDetailsProps) => (
  <ApiAccess tab="marketplace-api">
    <div class="row-head">
      <h3>{token.name}</h3>
      <TokenBadges token={token} />
    </div>
    <p class="meta">
      <TokenTimes token={token} />
    </p>
    <CopyField id="token" label="Token" text={jwt} />
    <CopyField
      id="curl"
      label="Try it in a terminal"
      text={`curl -H "Authorization: Bearer ${jwt}" \\\n  ${usePage().settings.PUBLIC_URL}${token.scope === 'metrics' ? '/metrics' : '/api/public/user/me/deliveryAddresses'}`}
    />
    <p class="hint">You can read the token here again until you revoke it.</p>
    {!token.rolledAt && !isExpired(token) && <RollForm token={token} />}
    <p class="actions">
      <LinkButton href="/settings/api-access">Back to your tokens</LinkButton>
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
    <PostButton action={`/settings/api-access/tokens/${token.id}/roll`} kind="normal">
      Roll token
    </PostButton>
  </section>
)
