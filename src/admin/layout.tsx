/** What the pages for operators share. */
import type { Child } from 'hono/jsx'
import type { DeliveryState, RequestedAction } from '../db/schema/delivery.ts'
import { Submit } from '../pages/components/button.tsx'
import { pathWith, Tabs } from '../pages/components/navigation.tsx'
import { Notice } from '../pages/components/notice.tsx'
import { usePage } from '../pages/components/request.ts'
import { Time } from '../pages/components/time.tsx'

type OperationsPageProps = {
  path:
    | '/operations'
    | '/operations/transfers'
    | '/operations/audit'
    | '/operations/administrators'
    | null
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
            placeholder="Id, title, order number, e-mail, wallet, hash"
          />
          <Submit>Search</Submit>
        </form>
      </search>
    </div>
    <Tabs
      label="Operations"
      tabs={[
        ['/operations', 'Overview', path === '/operations'],
        ['/operations/transfers?state=failed', 'Transfers', path === '/operations/transfers'],
        ['/operations/audit', 'Audit log', path === '/operations/audit'],
        ['/operations/administrators', 'Administrators', path === '/operations/administrators'],
      ]}
    />
    {notice && <Notice>{notice}</Notice>}
    {children}
  </div>
)

export const stateNames: Record<DeliveryState, string> = {
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

/** What the script of the page replaces every 15 seconds at least, with its age. */
export const Live = ({ children }: { children: Child }) => (
  <>
    <p class="status" id="live-status" role="status" />
    <div id="live" class="flow">
      <p class="hint">
        Updated <Time at={usePage().now.toISOString()} />
      </p>
      {children}
    </div>
  </>
)

/** The scripts of a page with `Live`. */
export const liveScripts = ['dialog.js', 'operations.js']

type KindOfPage = 'transfers' | 'orders' | 'users' | 'nfts'

const nouns: Record<KindOfPage, string> = {
  transfers: 'Transfer',
  orders: 'Order',
  users: 'User',
  nfts: 'NFT',
}

/** A link to the page that operators have of something. */
export const PageLink = ({ to, id }: { to: KindOfPage; id: number }) => (
  <a href={`/operations/${to}/${id}`}>
    {nouns[to]} {id}
  </a>
)

/** A link to the page of a delivery. */
export const TransferLink = ({ id }: { id: number }) => <PageLink to="transfers" id={id} />

type UserLinkProps = { id: number | string | null; name: string | null }

/** A link to the page of a user, by name. */
export const UserLink = ({ id, name }: UserLinkProps) => (
  <a href={`/operations/users/${id}`}>
    <bdi>{name ?? `User ${id}`}</bdi>
  </a>
)

/** The path of the list of transfers with these filters. */
export const listPath = (filter: Parameters<typeof pathWith>[1]) =>
  pathWith('/operations/transfers', filter)
