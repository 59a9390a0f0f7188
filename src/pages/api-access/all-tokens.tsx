import type { readAllTokens } from '../../identity/all-tokens.ts'
import { Field } from '../components/field.tsx'
import { contactName } from '../components/names.ts'
import { ApiAccess, type Notice } from '../settings.tsx'
import { type Filter, TokenRow } from './token-row.tsx'

type AllTokensProps = Awaited<ReturnType<typeof readAllTokens>> & {
  notice: Notice | undefined
  owner: string | undefined
  after: string | undefined
  now: Date
}

/** The tokens of everybody, for masters. */
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
            owner={`User ${token.userId} · ${contactName(token.owner)}`}
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

/** The path of the tab for all tokens. */
export function everyonePath({ owner, after, ...others }: Filter & { notice?: Notice }): string {
  const query = new URLSearchParams({ ...(owner && { owner }), ...(after && { after }), ...others })
  return `/settings/api-access/everyone?${query}`
}
