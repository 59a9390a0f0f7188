import { usePage } from '../components/request.ts'
import { walletNetwork } from './networks.ts'

type WalletActionProps = {
  label: string
  /** What it is for, said to screen readers. */
  subject?: string
  /** The name of its network in the configuration. */
  networkName: string
  /** The only account that is accepted. */
  account: string
  /** A token to show (EIP-747), or a transaction to sign. */
  request: { watch: { address: string; tokenId: string } } | { send: { to: string; data: string } }
}

/** The script `assets/wallet-action.js` adds the button, one for each wallet in the browser. */
export const WalletAction = ({
  label,
  subject,
  networkName,
  account,
  request,
}: WalletActionProps) => {
  const network = usePage().settings.NETWORKS[networkName]
  return network ? (
    <div
      class="stack wallet-action"
      data-label={label}
      data-subject={subject}
      data-network={JSON.stringify(walletNetwork([networkName, network]))}
      data-account={account}
      data-request={JSON.stringify(request)}
    >
      <p class="actions" />
      <p class="status" role="status" />
      <p class="problem" role="alert" />
    </div>
  ) : null
}
