/** What pages need for wallets: the scripts `wallet.js` and `wallet-action.js` add the buttons. */
import type { Network } from '../../env.ts'
import { CopyField } from '../components/field.tsx'
import { pathWith } from '../components/navigation.tsx'
import { usePage } from '../components/request.ts'
import { withoutSecret } from '../sign-in/redirect.ts'
import { walletApps } from './apps.ts'

export type WalletNetwork = ReturnType<typeof walletNetwork>

/**
 * Returns what a script needs to know of a network, by its name in the configuration. `addition` is
 * the parameter of `wallet_addEthereumChain` (EIP-3085); null if it is not configured. The nodes of
 * `rpcUrls` are left out: their URLs may hold keys.
 */
function walletNetwork([key, network]: [string, Network]) {
  const { chainId, name = key, walletRpcUrl, nativeCurrency, explorerUrl } = network
  const addition =
    network.name && walletRpcUrl && nativeCurrency
      ? {
          chainId: `0x${chainId.toString(16)}`,
          chainName: name,
          rpcUrls: [walletRpcUrl],
          nativeCurrency,
          ...(explorerUrl && { blockExplorerUrls: [explorerUrl] }),
        }
      : null
  return { chainId, name, addition }
}

type Goal = { purpose: 'sign-in' | 'link'; redirect: string }

/** For phones, whose wallets are apps with a browser of their own. Nobody is signed in there. */
const WalletApps = ({ purpose, redirect }: Goal) => {
  const { PUBLIC_URL } = usePage().settings
  const target = withoutSecret(new URL(redirect, PUBLIC_URL).href)
  const isLink = purpose === 'link'
  const path = isLink ? '/settings/account' : pathWith('/sign-in', { redirect: target })
  const page = new URL(path, PUBLIC_URL).href
  return (
    <div class="wallet-apps flow" hidden>
      <p>Open this page in your wallet app{isLink ? '.' : ', and sign in there:'}</p>
      {isLink && (
        <p class="hint">
          There you sign in first: with your e-mail address, by pasting the link of our mail in the
          browser of the app. Then you link the wallet.
        </p>
      )}
      <ul class="wallets" aria-label="Wallet apps">
        {walletApps.map(({ name, linkTo }) => (
          <li>
            <a class="button wallet" href={linkTo(page)}>
              {name}
            </a>
          </li>
        ))}
      </ul>
      <details>
        <summary>Use another wallet app</summary>
        <p>Copy the address of this page, and paste it in the browser of your wallet app.</p>
        <CopyField id="page-address" label="Address of this page" text={page} rows={3} />
      </details>
    </div>
  )
}

type WalletsProps = Goal & {
  /** The only wallet that is accepted. */
  address?: string
}

/** The script `assets/wallet.js` adds a button for each wallet in the browser. */
export const Wallets = ({ purpose, redirect, address }: WalletsProps) => (
  <div
    id="wallets"
    class="stack"
    data-purpose={purpose}
    data-redirect={redirect}
    data-networks={JSON.stringify(Object.entries(usePage().settings.NETWORKS).map(walletNetwork))}
    data-address={address}
  >
    <noscript>
      <p class="hint">Wallets need JavaScript, which is off in this browser.</p>
    </noscript>
    <ul class="wallets" aria-label="Wallets" hidden />
    <WalletApps purpose={purpose} redirect={redirect} />
    <p class="status" role="status" />
    <p class="problem" role="alert" />
  </div>
)

type WalletActionProps = {
  label: string
  /** What it is for, said to screen readers. */
  subject: string
  /** The name of its network in the configuration. */
  network: string
  /** The only account that is accepted. */
  account: string
  /** A token to show, or a contract to which the Delivery contract gets access. */
  request:
    | { watch: { address: string; tokenId: string } }
    | { allow: 'transfer' | 'mint'; contract: string; delivery: string }
}

/** The script `assets/wallet-action.js` adds the button, one for each wallet in the browser. */
export const WalletAction = ({ network: name, ...props }: WalletActionProps) => {
  const network = usePage().settings.NETWORKS[name]
  const data = network && { ...props, network: walletNetwork([name, network]) }
  return (
    <div class="stack wallet-action" data-action={JSON.stringify(data)}>
      <p class="actions" />
      <p class="status" role="status" />
      <p class="problem" role="alert" />
    </div>
  )
}
