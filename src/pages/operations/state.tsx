import type { DeliveryState, RequestedAction } from '../../db/schema/delivery.ts'

const names: Record<DeliveryState, string> = {
  awaiting_wallet: 'Waits for a wallet',
  queued: 'Queued',
  in_flight: 'In flight',
  transferred: 'Delivered',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

type StateProps = { state: DeliveryState; requestedAction?: RequestedAction }

export const State = ({ state, requestedAction }: StateProps) => (
  <span class={`badge ${state}`}>
    {requestedAction === 'cancel' && state !== 'cancelled' ? 'Being cancelled' : names[state]}
  </span>
)

export const TransferLink = ({ id }: { id: number }) => (
  <a href={`/operations/transfers/${id}`}>Transfer {id}</a>
)

/** What a search for this text finds. */
export const SearchLink = ({ q, text = q }: { q: string | number; text?: string | number }) => (
  <a href={`/operations/search?q=${encodeURIComponent(q)}`}>{text}</a>
)
