import type { readAllTokens } from '../../identity/all-tokens.ts'
import { Submit } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { contactName } from '../components/names.ts'
import { Pager, pathWith } from '../components/navigation.tsx'
import { Rows } from '../components/rows.tsx'
import type { NoticeName } from '../settings.tsx'
import { ApiAccess } from './layout.tsx'
import { type Filter, TokenRow } from './token-row.tsx'

type AllTokensProps = Filter & Pick<Awaited<ReturnType<typeof readAllTokens>>, 'tokens' | 'next'>

/** The tokens of everybody, for masters. */
export const AllTokens = ({ tokens, next, owner, after }: AllTokensProps) => (
  <ApiAccess tab="everyone">
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
      to={(page) => everyonePath({ owner, ...page })}
      isFirstPage={!after}
      next={next && { after: `${next.createdAt},${next.id}` }}
    />
  </ApiAccess>
)

/** The path of the tab for all tokens. */
export const everyonePath = (query: Filter & { notice?: NoticeName }): string =>
  pathWith('/settings/api-access/everyone', query)
