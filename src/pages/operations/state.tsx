import type { FoundItem } from '../../operations/search.ts'

const names: Record<FoundItem['state'], string> = {
  awaiting_wallet: 'Waits for a wallet',
  queued: 'Queued',
  in_flight: 'In flight',
  transferred: 'Delivered',
  failed: 'Failed',
}

type StateProps = { state: FoundItem['state']; wish?: 'deliver' | 'cancel' }

/** The state of a delivery. A cancelled one has ended as `failed`. */
export const State = ({ state, wish }: StateProps) => (
  <span class={`badge ${state}`}>
    {wish === 'cancel' ? (state === 'failed' ? 'Cancelled' : 'Being cancelled') : names[state]}
  </span>
)

export const TransferLink = ({ id }: { id: number }) => (
  <a href={`/operations/transfers/${id}`}>Transfer {id}</a>
)

/** What a search for this text finds. */
export const SearchLink = ({ q, text = q }: { q: string | number; text?: string | number }) => (
  <a href={`/operations/search?q=${encodeURIComponent(q)}`}>{text}</a>
)
