import { describeReason } from '../../delivery/reasons.ts'
import { sentence } from '../../pages/components/field.tsx'
import { money, plural } from '../../pages/components/numbers.ts'
import { usePage } from '../../pages/components/request.ts'
import { Rows } from '../../pages/components/rows.tsx'
import { When } from '../../pages/components/time.tsx'
import { PageLink, StateBadge, TransferLink } from '../layout.tsx'
import { isChangeable } from './bulk-actions.tsx'
import type { ListedTransfer } from './list.ts'

type RowsProps = { transfers: readonly ListedTransfer[]; empty: string; isSelectable?: boolean }

/** Transfers, each with a checkbox if it can be selected. */
export const TransferRows = ({ transfers, empty, isSelectable = false }: RowsProps) => (
  <Rows
    items={transfers}
    empty={empty}
    isOrdered
    row={({ id, orderId, providerId, title, dueAt, ...transfer }) => (
      <li class="row">
        <div>
          <div class="row-head">
            {isSelectable && isChangeable(transfer.status) && (
              <input type="checkbox" name="id" value={id} aria-label={`Transfer ${id}`} />
            )}
            <h3>
              <TransferLink id={id} />
            </h3>
            <StateBadge state={transfer.status} requestedAction={transfer.requestedAction} />
          </div>
          <p class="meta">
            <span>
              <bdi>{title}</bdi>
            </span>
            <span>{plural(transfer.quantity, 'piece')}</span>
            <span>{money(transfer.amount, transfer.currency)}</span>
            <span>
              <PageLink to="orders" id={orderId} />
            </span>
            {providerId && <span>{providerId}</span>}
            <span>{transfer.network}</span>
            <When what="Ordered" at={transfer.createdAt} />
            {dueAt && (
              <When
                what={dueAt > usePage().now.toISOString() ? 'Next attempt' : 'Due'}
                at={dueAt}
              />
            )}
          </p>
          {transfer.reasonCode && <p>{sentence(describeReason(transfer) ?? '')}</p>}
        </div>
      </li>
    )}
  />
)
