import { describeReason } from '../../delivery/reasons.ts'
import { Meta, Rows } from '../../pages/components/lists.tsx'
import { usePage } from '../../pages/components/request.ts'
import { money, plural, sentence } from '../../pages/components/text.ts'
import { Time } from '../../pages/components/values.tsx'
import { PageLink, StateBadge } from '../layout.tsx'
import { isChangeable } from './actions.tsx'
import type { ListedTransfer } from './list.ts'

type RowsProps = { transfers: readonly ListedTransfer[]; empty: string; isSelectable?: boolean }

/** Transfers, each with a checkbox if it can be selected. */
export const TransferRows = ({ transfers, empty, isSelectable = false }: RowsProps) => (
  <Rows
    items={transfers}
    empty={empty}
    isOrdered
    row={({ id, status, requestedAction, ...transfer }) => (
      <li class="row">
        <div>
          <div class="row-head">
            {isSelectable && isChangeable(status) && (
              <input type="checkbox" name="id" value={id} aria-label={`Transfer ${id}`} />
            )}
            <h3>
              <PageLink to="transfers" id={id} />
            </h3>
            <StateBadge state={status} requestedAction={requestedAction} />
          </div>
          <Meta
            facts={[
              <bdi>{transfer.title}</bdi>,
              plural(transfer.quantity, 'piece'),
              money(transfer.amount, transfer.currency),
              <PageLink to="orders" id={transfer.orderId} />,
              transfer.providerId,
              transfer.network,
              ['Ordered ', <Time at={transfer.createdAt} />],
              transfer.dueAt && <Due at={transfer.dueAt} />,
            ]}
          />
          {transfer.reasonCode && <p>{sentence(describeReason(transfer) ?? '')}</p>}
        </div>
      </li>
    )}
  />
)

/** When a transfer is attempted next, or since when it waits for that. */
export const Due = ({ at }: { at: string }) => [
  at > usePage().now.toISOString() ? 'Next attempt ' : 'Due ',
  <Time at={at} />,
]
