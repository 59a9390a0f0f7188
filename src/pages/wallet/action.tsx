import { usePage } from '../components/request.ts'
import { walletNetwork } from './networks.ts'

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
