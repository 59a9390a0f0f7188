import { rules } from '../../delivery/reasons.ts'
import type { Network } from '../../env.ts'
import { tokenNameOf } from '../../identity/namespace.ts'
import { Confirm } from '../../pages/components/confirm.tsx'
import { ExplorerLink } from '../../pages/components/explorer.tsx'
import { Fact } from '../../pages/components/facts.tsx'
import { sentence } from '../../pages/components/field.tsx'
import { Notice, Warning } from '../../pages/components/notice.tsx'
import { plural } from '../../pages/components/numbers.ts'
import { usePage } from '../../pages/components/request.ts'
import { Live, OperationsPage, PageLink, StateBadge } from '../layout.tsx'
import { ReturnPieces } from './bulk-actions.tsx'
import type { TransferHistory } from './history.ts'
import { type ActionName, describeOutcome, describeRetry } from './outcome.tsx'
import { Timeline } from './timeline.tsx'

type TransferProps = Omit<TransferHistory, 'account'> & {
  id: number
  /** What was done before. */
  done: ActionName | undefined
}

/** One delivery, with its history and actions. */
export const TransferPage = ({ id, done, ...history }: TransferProps) => {
  const { transfer, obstacles } = history
  const network = usePage().settings.NETWORKS[transfer.network]
  const Said = transfer.status === 'failed' ? Warning : Notice
  const obstacle = done ? obstacles[done] : null
  return (
    <OperationsPage path={null}>
      <Live>
        {done && <Said>The transfer is {describeOutcome(done, { ...transfer, obstacle })}.</Said>}
        <div class="page-head">
          <div class="row-head">
            <h1>Transfer {id}</h1>
            <StateBadge state={transfer.status} requestedAction={transfer.requestedAction} />
          </div>
          <Actions transfer={transfer} obstacles={obstacles} />
        </div>
        <Details transfer={transfer} network={network} />
        <section class="flow" aria-labelledby="history">
          <h2 id="history">History</h2>
          <Timeline {...history} network={network} />
        </section>
      </Live>
    </OperationsPage>
  )
}

type Transfer = TransferHistory['transfer']

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

type DetailsProps = { transfer: Transfer; network: Network | undefined }

const Details = ({ transfer, network }: DetailsProps) => (
  <dl class="facts panel">
    <Fact name="Order">
      <PageLink to="orders" id={transfer.orderId} />
    </Fact>
    <Fact name="Order number">{transfer.providerId ?? '–'}</Fact>
    <Fact name="Placed with">{placedWith(transfer.namespace)}</Fact>
    <Fact name="Buyer">
      <PageLink to="users" id={transfer.buyerId} />
    </Fact>
    <Fact name="Seller">
      <PageLink to="users" id={transfer.sellerId} />
    </Fact>
    <Fact name="NFT">
      <PageLink to="nfts" id={transfer.nftId} />: <bdi>{transfer.title}</bdi>,{' '}
      {plural(transfer.quantity, 'piece')}, listing {transfer.listingId}
    </Fact>
    <Fact name="Token">
      {transfer.tokenId ?? '–'} of{' '}
      <ExplorerLink network={network} kind="token" value={transfer.contractAddr} />
    </Fact>
    <Fact name="Network">
      {transfer.network}
      {transfer.chainId && `, chain ${transfer.chainId}`}
    </Fact>
    <Fact name="Recipient">
      {transfer.recipient ? (
        <ExplorerLink network={network} kind="address" value={transfer.recipient} />
      ) : (
        'No wallet yet'
      )}
    </Fact>
    <Fact name="Contract">
      {transfer.contract ? (
        <ExplorerLink network={network} kind="address" value={transfer.contract} />
      ) : (
        'Not sent yet'
      )}
    </Fact>
    <Fact name="Delivery key">
      <span class="code">{transfer.key}</span>
    </Fact>
  </dl>
)

export const placedWith = (namespace: string) =>
  `${namespace.split(':')[0]} token “${tokenNameOf(namespace)}”`
