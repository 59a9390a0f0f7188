import type { Account } from '../../auth/session.ts'

type TokenPanelProps = {
  account: Account | null
  /** Whether the user has signed in a short time ago. */
  canGetToken: boolean
}

/** The token that requests of the reference carry. `reference.js` shows the panel. */
export const TokenPanel = ({ account, canGetToken }: TokenPanelProps) => (
  <section class="panel token" id="authorization" aria-labelledby="token-title" hidden>
    <h3 id="token-title">Try it with your token</h3>
    <div class="inline-form">
      <div class="field wide">
        <label for="token">Token</label>
        <input
          id="token"
          class="code"
          autocomplete="off"
          spellcheck={false}
          placeholder="Paste a token"
          aria-describedby="token-hint"
        />
      </div>
      {canGetToken && (
        <button class="button" type="button" id="get-token">
          Get a token for one hour
        </button>
      )}
      <button class="button" type="button" id="copy-token" hidden>
        Copy
      </button>
    </div>
    <p class="hint" id="token-hint">
      {account ? (
        <>
          Without a token, requests of this page use your session.
          {!canGetToken && (
            <>
              {' '}
              <a href="/sign-in/again?redirect=/docs">Sign in again</a> to get a token for one hour
              here.
            </>
          )}
        </>
      ) : (
        <>
          <a href="/sign-in?redirect=/docs">Sign in</a> to get one here with one click.
        </>
      )}{' '}
      A token is kept until you leave this page.
    </p>
    <p class="status" role="status" id="token-status" />
  </section>
)
