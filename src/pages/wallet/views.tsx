import { usePage } from '../components/request.ts'
import { walletNetworks } from './networks.ts'

type WalletsProps = {
  purpose: 'sign-in' | 'link'
  redirect: string
  /** The only wallet that is accepted. */
  address?: string
}

/** The page needs the script `assets/wallet.js`. It adds a button for each wallet in the browser. */
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
    <p class="status" role="status" />
    <p class="problem" role="alert" />
  </div>
)
