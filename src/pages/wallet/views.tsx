import { Icon } from '../components/icon.tsx'
import { usePage } from '../components/request.ts'
import { walletNetworks } from './networks.ts'

type WalletsProps = {
  purpose: 'sign-in' | 'link'
  redirect: string
  /** The only wallet that is accepted. */
  address?: string
}

/** Scripts of every page with `Wallets`. */
export const walletScripts = ['wallet.js', 'copy.js']

/** The script `assets/wallet.js` adds a button for each wallet in the browser. */
export const Wallets = ({ purpose, redirect, address }: WalletsProps) => (
  <div
    id="wallets"
    class="stack"
    data-purpose={purpose}
    data-redirect={redirect}
    data-networks={JSON.stringify(walletNetworks(usePage().settings))}
    data-address={address}
  >
    <noscript>
      <p class="hint">Wallets need JavaScript, which is off in this browser.</p>
    </noscript>
    <ul class="wallets" aria-label="Wallets" hidden />
    <p class="hint" id="no-wallets" hidden>
      No wallet was found in this browser. Install one, or unlock it, and reload this page.
    </p>
    <WalletApp purpose={purpose} redirect={redirect} />
    <p class="status" role="status" />
    <p class="problem" role="alert" />
  </div>
)

/** For phones, whose wallets are apps with a browser of their own. Nobody is signed in there. */
const WalletApp = ({ purpose, redirect }: Pick<WalletsProps, 'purpose' | 'redirect'>) => (
  <div id="wallet-app" class="flow" hidden>
    <p>Use the browser of your wallet app:</p>
    <ol class="list">
      <li>Copy the address of this page.</li>
      <li>Open your wallet app, and the browser in it.</li>
      <li>Paste the address there.</li>
      {purpose === 'link' && <li>Sign in there with your e-mail address, then link the wallet.</li>}
    </ol>
    <div class="field">
      <label for="page-address">Address of this page</label>
      <input
        id="page-address"
        data-path={
          purpose === 'link'
            ? '/settings/account'
            : `/sign-in?redirect=${encodeURIComponent(redirect)}`
        }
        readonly
      />
    </div>
    <p class="actions">
      <button class="button" type="button" data-copy="page-address" hidden>
        <Icon name="copy" />
        Copy the address
      </button>
      <span class="status" role="status" />
    </p>
  </div>
)
