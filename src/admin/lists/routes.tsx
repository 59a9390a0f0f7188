/** The lists of orders, people, NFTs and listings. */
import { sql } from 'drizzle-orm'
import type { Child } from 'hono/jsx'
import * as z from 'zod'
import { whyNoOrdersSql } from '../../db/sale.ts'
import { isGuestSql } from '../../db/schema/users.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { cursorText, idText, tokenNameText } from '../../http/inputs.ts'
import { Field, Hidden, Select, Submit } from '../../pages/components/forms.tsx'
import { Meta, Pager, Rows } from '../../pages/components/lists.tsx'
import { usePage } from '../../pages/components/request.ts'
import { formatMoney, plural, type Query } from '../../pages/components/text.ts'
import { Time } from '../../pages/components/values.tsx'
import { shown } from '../../pages/page.tsx'
import { AdminLayout, adminPage, OrderLink, StateBadge, UserLink } from '../components/layout.tsx'
import { ListingEntry, selectFoundListings } from '../components/listings.tsx'
import { NftEntry, selectFoundNfts } from '../components/nfts.tsx'
import { PersonEntry, selectPeople } from '../components/people.tsx'
import { type ListedOrder, type Page, readNewest, readNewestOrders } from './read.ts'

const orderStates = {
  pending: 'Queued',
  awaiting_wallet: 'Waits for a wallet',
  transferring: 'In flight',
  transferred: 'Delivered',
  failed: 'Failed or cancelled',
}

/** The states of people `u`, NFTs `n` and listings `l`, with their conditions. */
const personStates = {
  'signed-in': ['Has signed in', sql`u.lastAccessAt IS NOT NULL`],
  guest: ['Guest, has not signed in', sql`${isGuestSql('u')} AND u.removedAt IS NULL`],
  removed: ['Data removed', sql`u.removedAt IS NOT NULL`],
} as const
const personSources = {
  catalogue: ['Catalogue', sql`u.externalId IS NOT NULL`],
  other: ['Sign-up or order', sql`u.externalId IS NULL`],
} as const
const nftStates = {
  released: ['Released', sql`n.status = 'released' AND n.deletedAt IS NULL`],
  unlisted: ['Unlisted', sql`n.status = 'unlisted' AND n.deletedAt IS NULL`],
  draft: ['Draft', sql`n.status = 'draft' AND n.deletedAt IS NULL`],
  'sold-out': ['Sold out', sql`n.availableAmount = 0 AND n.amountType IS NOT 'unlimited'`],
  deleted: ['Deleted', sql`n.deletedAt IS NOT NULL`],
} as const
const listingStates = {
  sale: 'For sale',
  obstacle: 'Cannot be delivered',
  listing_not_checked: 'Not checked yet',
  listing_inactive: 'Inactive',
  listing_ended: 'Ended',
  listing_is_auction: 'Auction',
}

type States = Record<string, readonly [label: string, ...unknown[]]>

const keysOf = <T extends object>(states: T) => z.enum(Object.keys(states) as (keyof T & string)[])
const labelsOf = (states: States) =>
  Object.fromEntries(Object.entries(states).map(([state, [label]]) => [state, label]))

/** A filter that is empty or not known selects all. */
const optional = <T extends z.ZodType>(field: T) => field.optional().catch(undefined)

const page = {
  since: optional(z.iso.date()),
  until: optional(z.iso.date()),
  cursor: optional(cursorText),
}
const network = optional(z.string().min(1).max(100))

const OrdersQuery = z.object({
  ...page,
  state: optional(keysOf(orderStates)),
  source: optional(tokenNameText),
})
const PeopleQuery = z.object({
  ...page,
  state: optional(keysOf(personStates)),
  source: optional(keysOf(personSources)),
})
const NftsQuery = z.object({
  ...page,
  network,
  state: optional(keysOf(nftStates)),
  creator: optional(idText),
})
const ListingsQuery = z.object({
  ...page,
  network,
  state: optional(keysOf(listingStates)),
  seller: optional(idText),
})

export const listRoutes = new Endpoints()
  .get('/operations/orders', shown.administrator({ query: OrdersQuery }), async (c, { query }) => {
    const { state: deliveryStatus, ...filter } = query
    const { account, ...list } = await readNewestOrders(c.var, { ...filter, deliveryStatus })
    const props = { ...list, title: 'Orders', path: '/operations/orders', query, row: OrderEntry }
    const view = (
      <List {...props}>
        <StateSelect options={orderStates} selected={query.state} />
        <Field name="source" label="Token name" maxlength={100} value={query.source} />
      </List>
    )
    return adminPage(c, { title: 'Orders', account }, view)
  })
  .get('/operations/users', shown.administrator({ query: PeopleQuery }), async (c, { query }) => {
    const { state, source, ...page } = query
    const { account, ...list } = await readNewest(c.var, page, {
      table: 'users',
      select: (condition, limit) => selectPeople(c.var.db, condition, limit),
      id: sql`u.id`,
      isMatch: sql`${state ? personStates[state][1] : sql`1`}
          AND ${source ? personSources[source][1] : sql`1`}`,
    })
    const props = { ...list, title: 'People', path: '/operations/users', query, row: PersonEntry }
    const view = (
      <List {...props}>
        <StateSelect options={labelsOf(personStates)} selected={state} />
        <StateSelect
          name="source"
          label="Source"
          options={labelsOf(personSources)}
          selected={source}
        />
      </List>
    )
    return adminPage(c, { title: 'People', account }, view)
  })
  .get('/operations/nfts', shown.administrator({ query: NftsQuery }), async (c, { query }) => {
    const { state, network, creator, ...page } = query
    const { account, ...list } = await readNewest(c.var, page, {
      table: 'nfts',
      select: (condition, limit) => selectFoundNfts(c.var.db, condition, limit),
      id: sql`n.id`,
      isMatch: sql`${state ? nftStates[state][1] : sql`1`}
          AND n.contractNetwork = coalesce(${network ?? null}, n.contractNetwork)
          AND n.creatorId = coalesce(${creator ?? null}, n.creatorId)`,
    })
    const props = { ...list, title: 'NFTs', path: '/operations/nfts', query, row: NftEntry }
    const view = (
      <List {...props}>
        <StateSelect options={labelsOf(nftStates)} selected={state} />
        <NetworkSelect selected={network} />
        <Hidden values={{ creator }} />
      </List>
    )
    return adminPage(c, { title: 'NFTs', account }, view)
  })
  .get(
    '/operations/listings',
    shown.administrator({ query: ListingsQuery }),
    async (c, { query }) => {
      const { state, network, seller, ...page } = query
      const reason = whyNoOrdersSql('l', c.var.now.toISOString())
      const states = { sale: sql`${reason} IS NULL`, obstacle: sql`l.obstacle IS NOT NULL` }
      const isIn = state && (state in states ? states[state as 'sale'] : sql`${reason} = ${state}`)
      const { account, ...list } = await readNewest(c.var, page, {
        table: 'listings',
        select: (condition, limit) => selectFoundListings(c.var, condition, limit),
        id: sql`l.id`,
        isMatch: sql`${isIn ?? sql`1`}
          AND n.contractNetwork = coalesce(${network ?? null}, n.contractNetwork)
          AND l.sellerId = coalesce(${seller ?? null}, l.sellerId)`,
      })
      const props = {
        ...list,
        title: 'Listings',
        path: '/operations/listings',
        query,
        row: ListingEntry,
      }
      const view = (
        <List {...props}>
          <StateSelect options={listingStates} selected={state} />
          <NetworkSelect selected={network} />
          <Hidden values={{ seller }} />
        </List>
      )
      return adminPage(c, { title: 'Listings', account }, view)
    },
  )

type ListProps<Row> = {
  title: string
  path: string
  query: Page & Query
  rows: readonly Row[]
  row: (row: Row) => Child
  next: number | null | undefined
  /** The filters besides the days. */
  children: Child
}

function List<Row>({ title, path, query, rows, row, next, children }: ListProps<Row>) {
  const { cursor, ...filters } = query
  return (
    <AdminLayout path={path}>
      <h1>{title}</h1>
      <form method="get" class="panel inline-form">
        {children}
        <Field name="since" label="From (UTC)" type="date" value={query.since} />
        <Field name="until" label="To (UTC)" type="date" value={query.until} />
        <Submit>Show</Submit>
      </form>
      <h2 class="visually-hidden">Results</h2>
      <Rows
        items={rows}
        empty={next ? 'None on this page.' : 'Nothing matches.'}
        isOrdered
        row={(item) => (
          <li class="row">
            <div>{row(item)}</div>
          </li>
        )}
      />
      <Pager
        noun={title === 'NFTs' ? title : title.toLowerCase()}
        path={path}
        query={filters}
        next={{ cursor: next }}
      />
    </AdminLayout>
  )
}

type StateSelectProps = {
  name?: string
  label?: string
  options: Record<string, string>
  selected: string | undefined
}

const StateSelect = ({ name = 'state', label = 'State', options, selected }: StateSelectProps) => (
  <Select name={name} label={label} options={{ '': 'All', ...options }} selected={selected} />
)

const NetworkSelect = ({ selected }: { selected: string | undefined }) => {
  const names = Object.entries(usePage().settings.NETWORKS)
  const options = Object.fromEntries(names.map(([key, { name }]) => [key, name ?? key]))
  return <StateSelect name="network" label="Network" options={options} selected={selected} />
}

const OrderEntry = ({ id, providerId, state, ...order }: ListedOrder) => (
  <>
    <div class="row-head">
      <h3>
        <OrderLink id={id} providerId={providerId} />
      </h3>
      <StateBadge state={state} />
    </div>
    <Meta
      facts={[
        <bdi>{order.title}</bdi>,
        plural(order.quantity, 'piece'),
        formatMoney(order.totalPriceCents, order.priceCurrency),
        ['Buyer: ', <UserLink id={order.buyerId} name={order.buyerName ?? null} />],
        ['Seller: ', <UserLink id={order.sellerId} name={order.sellerName ?? null} />],
        <bdi>{order.source}</bdi>,
        ['Placed ', <Time at={order.createdAt} />],
      ]}
    />
  </>
)
