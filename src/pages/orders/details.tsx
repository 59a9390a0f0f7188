import type { Child } from 'hono/jsx'
import type { HistoryEntry, Side } from '../../orders/history.ts'
import { ExplorerLink } from '../components/explorer.tsx'
import { Facts } from '../components/facts.tsx'
import { money } from '../components/numbers.ts'
import { usePage } from '../components/request.ts'
import { WalletAction } from '../wallet/action.tsx'
import { hasEnded } from './steps.tsx'
import { listPath, Order, orderNumber } from './views.tsx'

type OrderPageProps = {
  entry: HistoryEntry
  side: Side
  /** The billing address; undefined for a seller. */
  billing: string | undefined
}

/** An order with what was paid, and where its NFT goes. */
export const OrderPage = ({ entry, side, billing }: OrderPageProps) => {
  const { nft, ethRecipient: account, quantity, priceCents, priceCurrency } = entry.item
  const { contractNetwork, contractAddr: address, tokenId } = nft
  const network = usePage().settings.NETWORKS[contractNetwork]
  const link = (value: string) => (
    <ExplorerLink network={network} kind="address" value={value}>
      {value}
    </ExplorerLink>
  )
  const facts: [name: string, value: Child][] = [
    ['Price', `${quantity} × ${money(priceCents, priceCurrency)}`],
    ['Wallet', account ? link(account) : 'None yet'],
    ['Contract', link(address)],
    ['Network', network?.name ?? contractNetwork],
    ['Token id', tokenId ?? 'None yet'],
  ]
  const isOwn = side === 'bought' && entry.delivery.state === 'transferred' && account && tokenId
  if (isOwn) facts.push(['Proof', <Proof orderId={entry.order.id} />])
  if (billing) facts.push(['Billing address', <bdi>{billing}</bdi>])
  return (
    <div class="flow">
      <p>
        <a href={listPath(side)}>Orders</a>
      </p>
      <h1>
        Order <bdi>{orderNumber(entry.order)}</bdi>
      </h1>
      <div id="history" class="flow" data-live={String(!hasEnded(entry))}>
        <ol class="rows">
          <Order entry={entry} side={side} isAlone />
        </ol>
        <Facts facts={facts} />
        {isOwn && (
          <WalletAction
            label="Add to wallet"
            subject={nft.title}
            network={contractNetwork}
            account={account}
            request={{ watch: { address, tokenId } }}
          />
        )}
      </div>
      <p class="status" id="live" role="status" />
      <p class="visually-hidden" id="news" role="status" />
    </div>
  )
}

const Proof = ({ orderId }: { orderId: number }) => (
  <>
    <a href={`/api/externalOrders/${orderId}/proof`} download="proof.json">
      proof.json
    </a>
    {' · '}
    <a href="/docs/proofs">Verify it</a>
  </>
)
