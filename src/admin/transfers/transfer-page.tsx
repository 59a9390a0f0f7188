import { rules } from '../../delivery/reasons.ts'
import type { Network } from '../../env.ts'
import { tokenNameOf } from '../../identity/namespace.ts'
import { Confirm } from '../../pages/components/confirm.tsx'
import { ExplorerLink } from '../../pages/components/explorer.tsx'
import { sentence } from '../../pages/components/field.tsx'
import { Notice, Warning } from '../../pages/components/notice.tsx'
import { plural } from '../../pages/components/numbers.ts'
import { usePage } from '../../pages/components/request.ts'
import { AdminLayout, FactPanel, Live, PageLink, Section, StateBadge } from '../layout.tsx'
import { ReturnPieces } from './bulk-actions.tsx'
import type { TransferHistory } from './history.ts'
import { type ActionName, describeOutcome, describeRetry } from './outcome.tsx'
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

const Actions = ({ transfer, obstacles }: Pick<TransferHistory, 'transfer' | 'obstacles'>) => {
  const { id, status, requestedAction, reasonCode } = transfer
  // What a transaction carries is not sent once more.
  const willFail = status === 'failed' && reasonCode && rules[reasonCode].retry
  const canRetry = !obstacles.retry && status !== 'in_flight'
  const canCancel = !obstacles.cancel && requestedAction === 'deliver'
  const canWriteOff = !obstacles.write_off
  return (
    <div class="actions">
      {canRetry && (
        <Confirm
          id="retry"
          label={status === 'queued' ? 'Try now' : willFail ? 'Retry anyway' : 'Retry'}
          title={`Retry transfer ${id}?`}
          action={`/operations/transfers/${id}/retry`}
          submit="Retry transfer"
          isHarmless
        >
          <p>It becomes due now. It is delivered once, however often you retry it.</p>
          {status === 'failed' && <p>{describeRetry(reasonCode)}</p>}
        </Confirm>
      )}
      {canCancel && (
        <Confirm
          id="cancel"
          label="Cancel"
          title={`Cancel transfer ${id}?`}
          action={`/operations/transfers/${id}/cancel`}
          submit="Cancel transfer"
          dismiss="Keep"
        >
          <p>
            Its key is used up on the chain, so it is never delivered. This cannot be undone, and
            does not refund the buyer.
          </p>
        </Confirm>
      )}
      {canWriteOff && (
        <Confirm
          id="write-off"
          label="Write off"
          title={`Write off transfer ${id}?`}
          action={`/operations/transfers/${id}/write-off`}
          submit="Write off transfer"
        >
          <p>
            Its delivery key is used up, so it can be neither delivered nor cancelled. It stays
            failed. This cannot be undone, and does not refund the buyer.
          </p>
          <ReturnPieces />
        </Confirm>
      )}
      {!canRetry && !canCancel && !canWriteOff && obstacles.cancel && (
        <p class="hint">{sentence(obstacles.cancel)}</p>
      )}
      {willFail && <p class="hint">{describeRetry(reasonCode)}</p>}
    </div>
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
