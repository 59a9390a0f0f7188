/** What the pages for operators share. */

import type { Child } from 'hono/jsx'
import { MAX_TO_REVIEW } from '../../auth/session.ts'
import type { DeliveryState, RequestedAction } from '../../db/schema/delivery.ts'
import { idAfterNumber, type OrderNumbers, orderNumber } from '../../orders/number.ts'
import { Notice, Submit } from '../../pages/components/forms.tsx'
import { Fact, Menu, type MenuLink } from '../../pages/components/lists.tsx'
import { usePage } from '../../pages/components/request.ts'
import { pathWith } from '../../pages/components/text.ts'
import { Time } from '../../pages/components/values.tsx'
import { page } from '../../pages/page.tsx'

export const adminPage: typeof page = (c, content, view) =>
  page(c, { styles: ['operations.css'], ...content }, view)

/** The newest orders of a user, and rows that a search shows of each kind. */
export const LIMIT = 20

export const REVIEW = '/operations/review'

const tabs: MenuLink[] = [
  ['/operations', 'Overview'],
  ['/operations/transfers?state=failed', 'Transfers'],
  ['/operations/orders', 'Orders'],
  ['/operations/users', 'People'],
  ['/operations/nfts', 'NFTs'],
  ['/operations/listings', 'Listings'],
  ['/operations/catalogue', 'Catalogue'],
  [REVIEW, 'Review'],
  ['/operations/shops', 'Shops'],
  ['/operations/audit', 'Audit log'],
  ['/operations/administrators', 'Administrators'],
]

/** The tabs, with the number of what waits to be reviewed. */
function useTabs(): MenuLink[] {
  const { toReview = 0 } = usePage().account ?? {}
  const shown = toReview < MAX_TO_REVIEW ? toReview : `${MAX_TO_REVIEW} or more`
  return tabs.map(([path, name]) => [
    path,
    path === REVIEW && toReview > 0 ? `${name} (${shown})` : name,
  ])
}

type LayoutProps = {
  /** The path of its tab, if the page has one. */
  path?: string
  /** What is searched for. */
  q?: string
  /** What the previous page has done. */
  notice?: Child
  children: Child
}

/** The search and the tabs above every page. */
export const AdminLayout = ({ path, q, notice, children }: LayoutProps) => (
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
            placeholder="Id, title, name, order number, e-mail, wallet, hash"
          />
          <Submit>Search</Submit>
        </form>
      </search>
    </div>
    <Menu label="Operations" links={useTabs()} current={path} isTabs />
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

/** Seconds between two loads of such a page without scripts. */
export const REFRESH = 30

/** The scripts of a page with `Live`. */
export const liveScripts = ['dialog.js', 'operations.js']

/** Named values, each of which may be missing. */
export const FactPanel = ({ facts }: { facts: readonly [name: string, value: Child][] }) => (
  <dl class="facts panel">
    {facts.map(([name, value]) => (
      <Fact name={name}>{value || '–'}</Fact>
    ))}
  </dl>
)

type TableProps = {
  label: string
  /** The name of the first column, whose cells are headings, and those of columns of numbers. */
  head: readonly [string, ...string[]]
  rows: readonly (readonly [Child, ...Child[]])[]
}

/** A table that scrolls if it is wider than the page. */
export const Table = ({ label, head: [first, ...others], rows }: TableProps) => (
  <section class="scroll" tabindex={0} aria-label={label}>
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{first}</th>
          {others.map((name) => (
            <th scope="col" class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([heading, ...cells]) => (
          <tr>
            <th scope="row">{heading}</th>
            {cells.map((cell) => (
              <td class="number">{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

/** The page on which operators decide about something that waits. */
export const reviewPath = ({ kind, number }: { kind: string; number: number }) =>
  `${REVIEW}/${kind}/${number}`

const nouns = { transfers: 'Transfer', nfts: 'NFT', listings: 'Listing' }

/** A link to the page that operators have of something. */
export const PageLink = ({ to, id }: { to: keyof typeof nouns; id: number }) => (
  <a href={`/operations/${to}/${id}`}>
    {nouns[to]} {id}
  </a>
)

export const OrderName = (order: OrderNumbers) => (
  <>
    Order <bdi>{orderNumber(order)}</bdi>
    {idAfterNumber(order)}
  </>
)

export const OrderLink = (order: OrderNumbers) => (
  <a href={`/operations/orders/${order.id}`}>
    <OrderName {...order} />
  </a>
)

export const UserLink = ({ id, name }: { id: number | string | null; name: string | null }) => (
  <a href={`/operations/users/${id}`}>
    <bdi>{name ?? `User ${id}`}</bdi>
  </a>
)

export const listPath = (filter: Parameters<typeof pathWith>[1]) =>
  pathWith('/operations/transfers', filter)
