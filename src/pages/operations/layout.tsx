/** What the pages for operators share. */

import type { Child } from 'hono/jsx'
import type { DeliveryState, RequestedAction } from '../../db/schema/delivery.ts'
import { Submit } from '../components/button.tsx'
import { Tabs } from '../components/navigation.tsx'
import { Notice } from '../components/notice.tsx'

type OperationsPageProps = {
  path: '/operations' | '/operations/audit' | '/operations/administrators' | null
  /** What is searched for. */
  q?: string
  /** What the previous page has done. */
  notice?: Child
  children: Child
}

/** The layout: the search and the tabs. */
export const OperationsPage = ({ path, q, notice, children }: OperationsPageProps) => (
  <div class="flow operations">
    <div class="page-head">
      {path === '/operations' ? <h1>Operations</h1> : <p class="eyebrow">Operations</p>}
      <search>
        <form method="get" action="/operations/search" class="search">
          <input
            type="search"
            name="q"
            value={q}
            required
            maxlength={255}
            autocomplete="off"
            spellcheck={false}
            aria-label="Search"
            placeholder="Id, order number, wallet, hash, key"
          />
          <Submit>Search</Submit>
        </form>
      </search>
    </div>
    <Tabs
      label="Operations"
      tabs={[
        ['/operations', 'Overview', path === '/operations'],
        ['/operations/audit', 'Audit log', path === '/operations/audit'],
        ['/operations/administrators', 'Administrators', path === '/operations/administrators'],
      ]}
    />
    {notice && <Notice>{notice}</Notice>}
    {children}
  </div>
)

const stateNames: Record<DeliveryState, string> = {
  awaiting_wallet: 'Waits for a wallet',
  queued: 'Queued',
  in_flight: 'In flight',
  transferred: 'Delivered',
  failed: 'Failed',
  cancelled: 'Cancelled',
  written_off: 'Written off',
}

type StateBadgeProps = { state: DeliveryState; requestedAction?: RequestedAction }

/** The state of a delivery, and what an operator asked for. */
export const StateBadge = ({ state, requestedAction }: StateBadgeProps) => (
  <span class={`badge ${state}`}>
    {requestedAction === 'cancel' && state !== 'cancelled' ? 'Being cancelled' : stateNames[state]}
  </span>
)

/** A link to the page of a delivery. */
export const TransferLink = ({ id }: { id: number }) => (
  <a href={`/operations/transfers/${id}`}>Transfer {id}</a>
)

/** What a search for this text finds. */
export const SearchLink = ({ q, text = q }: { q: string | number; text?: string | number }) => (
  <a href={`/operations/search?q=${encodeURIComponent(q)}`}>{text}</a>
)
