import type { Child } from 'hono/jsx'
import type { DeliveryState } from '../../db/schema/delivery.ts'
import { itemFee } from '../../delivery/admin/transfers.ts'
import { describeReason } from '../../delivery/reasons.ts'
import type { Network } from '../../env.ts'
import { eventName } from '../../events/id.ts'
import { ExplorerLink } from '../../pages/components/explorer.tsx'
import { sentence } from '../../pages/components/field.tsx'
import { count, plural } from '../../pages/components/numbers.ts'
import { usePage } from '../../pages/components/request.ts'
import { Time, When } from '../../pages/components/time.tsx'
import { Who } from '../audit/list.tsx'
import { decimal, symbolOf } from '../format.ts'
import type { DeliveryTransaction, TransferHistory } from './history.ts'

type Step = { at: string; title: Child; details?: Child; isProblem?: boolean }

type TimelineProps = Omit<TransferHistory, 'account'> & { network: Network | undefined }

/** Everything that happened to an item, the oldest first. The present state is last. */
export const Timeline = ({ network, ...history }: TimelineProps) => (
  <ol class="timeline">
    {[...pastSteps(history, network), presentStep(history, usePage().now)].map(
      ({ at, title, details, isProblem }) => (
        <li class={isProblem ? 'failed' : ''}>
          <p>
            <strong>{title}</strong> <Time at={at} />
          </p>
          {details}
        </li>
      ),
    )}
  </ol>
)

const actionTitles: Record<string, string> = {
  'transfer.retry': 'Retried',
  'transfer.cancel': 'Cancellation requested',
  'transfer.write_off': 'Written off',
}

type History = Omit<TransferHistory, 'account'>

function pastSteps(
  { transfer, transactions, actions, events }: History,
  network: Network | undefined,
): Step[] {
  const steps: Step[] = [
    { at: transfer.paidAt, title: 'Order placed' },
    ...transactions.map((transaction) => ({
      at: transaction.createdAt,
      title: 'Transaction sent',
      details: <TransactionDetails transaction={transaction} network={network} />,
    })),
    ...actions.map(({ at, action, items, ...who }) => ({
      at,
      title: actionTitles[action],
      details: (
        <p class="meta">
          <span>
            by <Who {...who} />
          </span>
          {items > 1 && <span>with {plural(items - 1, 'other')}</span>}
        </p>
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

const stateTitles: Record<DeliveryState, string> = {
  awaiting_wallet: 'Waits until the buyer links a wallet',
  queued: 'Waits for a transaction',
  in_flight: 'Waits until its transaction is final',
  transferred: 'Delivered',
  failed: 'Failed',
  cancelled: 'Cancelled',
  written_off: 'Written off',
}

/** What the item waits for, or how it has ended. */
function presentStep({ transfer }: History, now: Date): Step {
  const { status, requestedAction, tries, failingSince, dueAt } = transfer
  const reason = describeReason(transfer)
  const isQueued = status === 'queued'
  const isCancelling = isQueued && requestedAction === 'cancel'
  const step = {
    at: status === 'awaiting_wallet' ? transfer.createdAt : transfer.updatedAt,
    title: isCancelling ? 'Waits for its cancellation' : stateTitles[status],
  }
  if (/^(awaiting_wallet|transferred|cancelled)$/.test(status)) return step
  const details = (
    <>
      {reason && <p>{sentence(reason)}</p>}
      <p class="meta">
        {tries > 0 && <span>Failed in {plural(tries, 'transaction')}</span>}
        {failingSince && status !== 'failed' && <When what="First failed" at={failingSince} />}
        {dueAt && <When what={dueAt > now.toISOString() ? 'Next attempt' : 'Due'} at={dueAt} />}
      </p>
    </>
  )
  return { ...step, details, isProblem: isQueued ? failingSince !== null : status === 'failed' }
}

type TransactionProps = { transaction: DeliveryTransaction; network: Network | undefined }

const TransactionDetails = ({ transaction, network }: TransactionProps) => {
  const replaced: string[] = JSON.parse(transaction.replaced)
  const share = itemFee(transaction.fee, transaction.items)
  return (
    <>
      <p class="meta">
        <span>
          <ExplorerLink network={network} kind="tx" value={transaction.hash} />
        </span>
        <span>
          {transaction.block ? (
            <>
              Block{' '}
              <ExplorerLink network={network} kind="block" value={transaction.block}>
                {transaction.block}
              </ExplorerLink>
            </>
          ) : transaction.nonceUsedAt ? (
            'Its nonce was used by another transaction'
          ) : (
            'Not mined'
          )}
        </span>
        <span>{transaction.isOpen ? 'open' : 'closed'}</span>
        <span>{plural(transaction.items, 'item')}</span>
        {transaction.gasUsed && <span>Gas {count(transaction.gasUsed)}</span>}
        {transaction.fee && (
          <span>
            Fee {decimal(transaction.fee, 18)} {symbolOf(network)}
            {share && transaction.items > 1 && `, ${decimal(share, 18)} of it for this item`}
          </span>
        )}
      </p>
      <p class="meta">
        <span>
          Signer <ExplorerLink network={network} kind="address" value={transaction.signer} />
        </span>
        <span>Nonce {transaction.nonce}</span>
        <span>
          Contract <ExplorerLink network={network} kind="address" value={transaction.contract} />
        </span>
      </p>
      {replaced.length > 0 && (
        <p class="meta">
          Replaces{' '}
          {replaced.map((hash) => (
            <span>
              <ExplorerLink network={network} kind="tx" value={hash} />
            </span>
          ))}
        </p>
      )}
    </>
  )
}
