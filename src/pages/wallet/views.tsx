/** What pages need for wallets: the scripts `wallet.js` and `wallet-action.js` add the buttons. */
import type { Network } from '../../env.ts'
import { CopyField } from '../components/forms.tsx'
import { usePage } from '../components/request.ts'
import { pathWith } from '../components/text.ts'
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

type Goal = {
  /** `phone`: to link a wallet by a code, which was shown in another browser. */
  purpose: 'sign-in' | 'link' | 'phone'
  redirect: string
  /** The path of the page that links a wallet; the URL of the code. */
  page?: string
}

/** The makers of wallet apps must not see the URL. */
const CodeForApp = ({ url }: { url: string }) => {
  const { phone, wallets } = usePage().texts
  return (
    <div class="wallet-apps flow" hidden>
      <p>{phone.openInApp}</p>
      <CopyField id="page-address" label={wallets.apps.address} text={url} rows={3} />
    </div>
  )
}

/** For phones, whose wallets are apps with a browser of their own. Nobody is signed in there. */
const WalletApps = ({ purpose, redirect, page: linkPage = '/settings/account' }: Goal) => {
  const { settings, texts } = usePage()
  const { apps } = texts.wallets
  const target = withoutSecret(new URL(redirect, settings.PUBLIC_URL).href)
  const isLink = purpose === 'link'
  const path = isLink ? linkPage : pathWith('/sign-in', { redirect: target })
  const page = new URL(path, settings.PUBLIC_URL).href
  return (
    <div class="wallet-apps flow" hidden>
      <p>{isLink ? apps.open : apps.openToSignIn}</p>
      {isLink && <p class="hint">{apps.signInFirst}</p>}
      <ul class="wallets" aria-label={apps.label}>
        {Object.entries(walletApps).map(([name, linkTo]) => (
          <li>
            <a class="button wallet" href={linkTo(page)}>
              {name}
            </a>
          </li>
        ))}
      </ul>
      <details>
        <summary>{apps.other}</summary>
        <p>{apps.copyAddress}</p>
        <CopyField id="page-address" label={apps.address} text={page} rows={3} />
      </details>
    </div>
  )
}

type WalletsProps = Goal & {
  /** The only wallet that is accepted. */
  address?: string
  /** What takes the signed message. */
  target?: string
}

const targets = {
  'sign-in': '/sign-in/wallet',
  link: '/settings/account/wallet',
  phone: '/phone/wallet',
}
const messages = {
  'sign-in': '/sign-in/wallet/message',
  link: '/sign-in/wallet/message',
  phone: '/phone/message',
}

/** The script `assets/wallet.js` adds a button for each wallet in the browser. */
export const Wallets = ({ address, target, ...goal }: WalletsProps) => {
  const { settings, texts } = usePage()
  return (
    <div
      id="wallets"
      class="stack"
      data-purpose={goal.purpose}
      data-redirect={goal.redirect}
      data-message={messages[goal.purpose]}
      data-target={target ?? targets[goal.purpose]}
      data-networks={JSON.stringify(Object.entries(settings.NETWORKS).map(walletNetwork))}
      data-address={address}
    >
      <noscript>
        <p class="hint">{texts.wallets.noScript}</p>
      </noscript>
      <ul class="wallets" aria-label={texts.wallets.label} hidden />
      {goal.purpose === 'phone' ? <CodeForApp url={goal.page ?? ''} /> : <WalletApps {...goal} />}
      <p class="status" role="status" />
      <p class="problem" role="alert" />
    </div>
  )
}

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
