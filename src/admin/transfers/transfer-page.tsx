import type { Network } from '../../env.ts'
import { tokenNameOf } from '../../identity/namespace.ts'
import { ExplorerLink } from '../../pages/components/explorer.tsx'
import { Notice, Warning } from '../../pages/components/notice.tsx'
import { plural } from '../../pages/components/numbers.ts'
import { usePage } from '../../pages/components/request.ts'
import { AdminLayout, FactPanel, Live, PageLink, Section, StateBadge } from '../layout.tsx'
import { Actions } from './actions.tsx'
import type { TransferHistory } from './history.ts'
import { type ActionName, describeOutcome } from './outcome.tsx'
import { Timeline } from './timeline.tsx'

type TransferProps = TransferHistory & {
  /** What was done before. */
  done: ActionName | undefined
}

/** One delivery, with its history and actions. */
export const TransferPage = ({ done, ...history }: TransferProps) => {
  const { transfer, obstacles } = history
  const network = usePage().settings.NETWORKS[transfer.network]
  const Said = transfer.status === 'failed' ? Warning : Notice
  const obstacle = done ? obstacles[done] : null
  return (
    <AdminLayout>
      <Live>
        {done && <Said>The transfer is {describeOutcome(done, { ...transfer, obstacle })}.</Said>}
        <div class="page-head">
          <div class="row-head">
            <h1>Transfer {transfer.id}</h1>
            <StateBadge state={transfer.status} requestedAction={transfer.requestedAction} />
          </div>
          <Actions transfer={transfer} obstacles={obstacles} />
        </div>
        <Details transfer={transfer} network={network} />
        <Section id="history" title="History">
          <Timeline {...history} network={network} />
        </Section>
      </Live>
    </AdminLayout>
  )
}

type DetailsProps = Pick<TransferHistory, 'transfer'> & { network: Network | undefined }

const Details = ({ transfer, network }: DetailsProps) => {
  const linkTo = (kind: 'token' | 'address', value: string) => (
    <ExplorerLink network={network} kind={kind} value={value} />
  )
  const { tokenId, chainId, recipient, contract, listingId } = transfer
  const pieces = plural(transfer.quantity, 'piece')
  return (
    <FactPanel
      facts={[
        ['Order', <PageLink to="orders" id={transfer.orderId} />],
        ['Order number', transfer.providerId],
        ['Placed with', placedWith(transfer.namespace)],
        ['Buyer', <PageLink to="users" id={transfer.buyerId} />],
        ['Seller', <PageLink to="users" id={transfer.sellerId} />],
        [
          'NFT',
          [
            <PageLink to="nfts" id={transfer.nftId} />,
            ': ',
            <bdi>{transfer.title}</bdi>,
            `, ${pieces}, listing ${listingId}`,
          ],
        ],
        ['Token', [tokenId ?? '–', ' of ', linkTo('token', transfer.contractAddr)]],
        ['Network', [transfer.network, chainId && `, chain ${chainId}`]],
        ['Recipient', recipient ? linkTo('address', recipient) : 'No wallet yet'],
        ['Contract', contract ? linkTo('address', contract) : 'Not sent yet'],
        ['Delivery key', <span class="code">{transfer.key}</span>],
      ]}
    />
  )
}

export const placedWith = (namespace: string) =>
  `${namespace.split(':')[0]} token “${tokenNameOf(namespace)}”`
