import { ADMINISTRATOR } from '../../db/schema/users.ts'
import type { readOwnTokens } from '../../identity/api-tokens.ts'
import { Field } from '../components/field.tsx'
import { ApiAccess, type Notice, SignInAgain } from '../settings.tsx'
import { TokenRow } from './token-row.tsx'

type OwnTokensProps = Awaited<ReturnType<typeof readOwnTokens>> & {
  notice: Notice | undefined
  /** Whether the user has signed in a short time ago. */
  canChange: boolean
  now: Date
  form?: RejectedForm | undefined
}

/** What the user has entered, and why it was rejected. */
export type RejectedForm = { name: string; problem: string }

/** The tokens of a user, and the form that makes one. */
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
          {isAdministrator && <option value="metrics">Only the metrics (master token)</option>}
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
