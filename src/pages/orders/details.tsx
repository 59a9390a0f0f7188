import type { Child } from 'hono/jsx'
import type { BillingAddress, HistoryEntry, Side } from '../../orders/history.ts'
import { ExplorerLink } from '../components/explorer.tsx'
import { money } from '../components/numbers.ts'
import { usePage } from '../components/request.ts'
import { Time } from '../components/time.tsx'
import { WalletAction } from '../wallet/action.tsx'
import { hasEnded } from './steps.tsx'
import { listPath, Order, orderNumber } from './views.tsx'

type OrderPageProps = {
  entry: HistoryEntry
  side: Side
  /** Null for a seller. */
  billing: BillingAddress | null
}

/** An order with what was paid, and where its NFT goes. */
export const OrderPage = ({ entry, side, billing }: OrderPageProps) => {
  const { order, item, delivery } = entry
  const { nft, ethRecipient: wallet } = item
  const network = usePage().settings.NETWORKS[nft.contractNetwork]
  const facts: [name: string, value: Child][] = [
    ['Placed', <Time at={order.createdAt} />],
    ['Paid', describePrice(entry)],
    [
      'Wallet',
      wallet ? (
        <ExplorerLink network={network} kind="address" value={wallet}>
          {wallet}
        </ExplorerLink>
      ) : (
        'None yet'
      ),
    ],
    [
      'Contract',
      <ExplorerLink network={network} kind="address" value={nft.contractAddr}>
        {nft.contractAddr}
      </ExplorerLink>,
    ],
    ['Network', network?.name ?? nft.contractNetwork],
    ['Token id', nft.tokenId ?? 'None yet'],
  ]
  if (billing) facts.push(['Billing address', <bdi>{describeAddress(billing)}</bdi>])
  return (
    <div class="flow">
      <p>
        <a href={listPath(side)}>Orders</a>
      </p>
      <h1>
        Order <bdi>{orderNumber(order)}</bdi>
      </h1>
      <div id="history" class="flow" data-live={String(!hasEnded(entry))}>
        <ol class="rows">
          <Order entry={entry} side={side} isAlone />
        </ol>
        <dl class="order-facts">
          {facts.map(([name, value]) => (
            <div>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {side === 'bought' && delivery.state === 'transferred' && wallet && nft.tokenId && (
          <WalletAction
            label="Add to wallet"
            networkName={nft.contractNetwork}
            account={wallet}
            request={{ watch: { address: nft.contractAddr, tokenId: nft.tokenId } }}
          />
        )}
      </div>
      <p class="status" id="live" role="status" />
      <p class="visually-hidden" id="news" role="status" />
    </div>
  )
}

function describePrice({ order, item }: HistoryEntry): string {
  const { totalPriceCents, totalPriceCurrency } = order
  const total = money(totalPriceCents, totalPriceCurrency)
  const { quantity, priceCents, priceCurrency } = item
  return quantity === 1 ? total : `${total} (${quantity} × ${money(priceCents, priceCurrency)})`
}

const describeAddress = ({ companyName, street, postal, city, country, taxId }: BillingAddress) =>
  [companyName, street, [postal, city].filter(Boolean).join(' '), country, taxId]
    .filter(Boolean)
    .join(', ')
