/** One transfer: its details, its history, and what can be done to it. */

import type { Child } from 'hono/jsx'
import { itemFee } from '../../delivery/actions/transfers.ts'
import { describeReason } from '../../delivery/reasons.ts'
import { eventName } from '../../events/event.ts'
import { Notice, Warning } from '../../pages/components/forms.tsx'
import { Meta, Section } from '../../pages/components/lists.tsx'
import { usePage } from '../../pages/components/request.ts'
import { formatCount, plural, sentence } from '../../pages/components/text.ts'
import { ExplorerLink, Time } from '../../pages/components/values.tsx'
import { Who } from '../components/audit-list.tsx'
import { formatDecimal, symbolOf } from '../components/format.ts'
import {
  AdminLayout,
  FactPanel,
  Live,
  OrderLink,
  PageLink,
  StateBadge,
  stateNames,
  UserLink,
} from '../components/layout.tsx'
import { Due, placedWith } from '../components/transfers.tsx'
import { type ActionName, Actions, describeOutcome } from './actions.tsx'
import type { TransferHistory, TransferTransaction } from './history.ts'

type TransferProps = TransferHistory & {
  /** What was done before. */
  done: ActionName | undefined
}

export const TransferPage = ({ done, ...history }: TransferProps) => {
  const { transfer, obstacles } = history
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
          <Actions {...history} />
        </div>
        <Details {...history} />
        <Section id="history" title="History">
          <Timeline {...history} />
        </Section>
      </Live>
    </AdminLayout>
  )
}

const Details = ({ transfer }: TransferHistory) => {
  const linkTo = (kind: 'token' | 'address', value: string) => (
    <ExplorerLink network={transfer.network} kind={kind} value={value} />
  )
  const { tokenId, chainId, recipient, contract, listingId } = transfer
  const pieces = plural(transfer.quantity, 'piece')
  return (
    <FactPanel
      facts={[
        ['Order', <OrderLink id={transfer.orderId} providerId={transfer.providerId} />],
        ['Placed with', placedWith(transfer.namespace)],
        ['Buyer', <UserLink id={transfer.buyerId} name={transfer.buyerName} />],
        ['Seller', <UserLink id={transfer.sellerId} name={transfer.sellerName} />],
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

type Step = { at: string; title: Child; details?: Child; isProblem?: boolean }

/** Everything that happened to a transfer, the oldest first. The present state is last. */
const Timeline = (history: TransferHistory) => (
  <ol class="timeline">
    {[...pastSteps(history), presentStep(history)].map(({ at, title, details, isProblem }) => (
      <li class={isProblem ? 'failed' : ''}>
        <p>
          <strong>{title}</strong> <Time at={at} />
        </p>
        {details}
      </li>
    ))}
  </ol>
)

const actionTitles: Record<string, string> = {
  'transfer.retry': 'Retried',
  'transfer.cancel': 'Cancellation requested',
  'transfer.write_off': 'Written off',
}

function pastSteps({ transfer, transactions, actions, events }: TransferHistory): Step[] {
  const steps: Step[] = [
    { at: transfer.paidAt, title: 'Order placed' },
    ...transactions.map((transaction) => ({
      at: transaction.createdAt,
      title: 'Transaction sent',
      details: <TransactionDetails transaction={transaction} network={transfer.network} />,
    })),
    ...actions.map(({ at, action, items, ...who }) => ({
      at,
      title: actionTitles[action],
      details: (
        <Meta
          facts={[['by ', <Who {...who} />], items > 1 && `with ${plural(items - 1, 'other')}`]}
        />
      ),
    })),
    ...events.map(({ id, type, state, attempts, at, url }) => ({
      at,
      title: `Event ${type}`,
      isProblem: state === 'failed',
      details: (
        <p class="meta">
          {state && (
            <>
              <span>
                {state}, {plural(attempts ?? 0, 'attempt')}
              </span>
              <span>{url ? URL.parse(url)?.host : 'endpoint deleted'}</span>
            </>
          )}
          <span class="code">{eventName(id)}</span>
        </p>
      ),
    })),
  ]
  return steps.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

const stateTitles = {
  ...stateNames,
  awaiting_wallet: 'Waits until the buyer links a wallet',
  queued: 'Waits for a transaction',
  in_flight: 'Waits until its transaction is final',
}

/** What the transfer waits for, or how it has ended. */
function presentStep({ transfer }: TransferHistory): Step {
  const { status, requestedAction, tries, waitingSince, dueAt } = transfer
  const reason = describeReason(transfer)
  const isQueued = status === 'queued'
  const isCancelling = isQueued && requestedAction === 'cancel'
  const step = {
    at: (status === 'awaiting_wallet' && transfer.awaitsSince) || transfer.updatedAt,
    title: isCancelling ? 'Waits for its cancellation' : stateTitles[status],
  }
  if (/^(awaiting_wallet|transferred|cancelled)$/.test(status)) return step
  const details = (
    <>
      {reason && <p>{sentence(reason)}</p>}
      <Meta
        facts={[
          tries > 0 && `Failed in ${plural(tries, 'transaction')}`,
          waitingSince && status !== 'failed' && ['Waiting since ', <Time at={waitingSince} />],
          dueAt && <Due at={dueAt} />,
        ]}
      />
    </>
  )
  return { ...step, details, isProblem: isQueued ? waitingSince !== null : status === 'failed' }
}

type TransactionProps = { transaction: TransferTransaction; network: string }

const TransactionDetails = ({ transaction, network }: TransactionProps) => {
  const { hash, block, items, gasUsed, fee, signer, nonce, contract } = transaction
  const replaced: string[] = JSON.parse(transaction.replaced)
  const share = itemFee(fee, items)
  const unmined = transaction.nonceUsedAt
    ? 'Its nonce was used by another transaction'
    : 'Not mined'
  return (
    <>
      <Meta
        facts={[
          <ExplorerLink network={network} kind="tx" value={hash} />,
          block
            ? [
                'Block ',
                <ExplorerLink network={network} kind="block" value={block} text={`${block}`} />,
              ]
            : unmined,
          transaction.isOpen ? 'open' : 'closed',
          plural(items, 'item'),
          gasUsed && `Gas ${formatCount(gasUsed)}`,
          fee && [
            `Fee ${formatDecimal(fee, 18)} ${symbolOf(usePage().settings.NETWORKS[network])}`,
            share && items > 1 && `, ${formatDecimal(share, 18)} of it for this item`,
          ],
        ]}
      />
      <Meta
        facts={[
          ['Signer ', <ExplorerLink network={network} kind="address" value={signer} />],
          `Nonce ${nonce}`,
          ['Contract ', <ExplorerLink network={network} kind="address" value={contract} />],
        ]}
      />
      {replaced.length > 0 && (
        <p class="meta">
          Replaces{' '}
          {replaced.map((other) => (
            <span>
              <ExplorerLink network={network} kind="tx" value={other} />
            </span>
          ))}
        </p>
      )}
    </>
  )
}
