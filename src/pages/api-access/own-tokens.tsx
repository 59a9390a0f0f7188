import { ADMINISTRATOR } from '../../db/schema/users.ts'
import { LinkButton, Submit } from '../components/button.tsx'
import { Field, Select } from '../components/field.tsx'
import type { Rejection } from '../components/form.ts'
import { usePage } from '../components/request.ts'
import { Rows } from '../components/rows.tsx'
import { RecentSignIn } from '../settings.tsx'
import { ApiAccess } from './layout.tsx'
import { type Token, TokenRow } from './token-row.tsx'

/** What the user has entered, and why it was rejected. */
export type RejectedForm = Rejection<'name'> & { name: string }

type OwnTokensProps = { tokens: readonly Token[]; form: RejectedForm | undefined }

/** The tokens of a user, and the form that makes one. */
export const OwnTokens = ({ tokens, form }: OwnTokensProps) => (
  <ApiAccess tab="marketplace-api">
    <p class="lead">
      A token lets a program use the <a href="/docs">Marketplace API</a> as you. Anyone who has it
      can do the same, so keep it secret like a password. Give each shop a token with a name of its
      own: two shops may use the same order numbers only under different names.
    </p>
    <RecentSignIn toDo="generate, show or roll a token" path="/settings/api-access">
      <GenerateForm form={form} />
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
  </ApiAccess>
)

const GenerateForm = ({ form }: Pick<OwnTokensProps, 'form'>) => {
  const isAdministrator = usePage().account?.roleId === ADMINISTRATOR
  const roles = { user: 'Me', master: 'Every user (master token)' }
  const scopes = {
    write: 'Read and change',
    read: 'Only read',
    ...(isAdministrator && { metrics: 'Only the metrics (master token)' }),
  }
  return (
    <form method="post" action="/settings/api-access/tokens" class="panel">
      <h3>New token</h3>
      <div class="fields short">
        <Field
          name="name"
          label="Name"
          value={form?.name}
          problem={form?.problems.name}
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

const lifetimes = { 7: '7 days', 30: '30 days', 90: '90 days', 365: '365 days' }
