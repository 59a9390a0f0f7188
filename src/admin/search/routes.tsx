/** The page of what a search has found. */

import type { Child } from 'hono/jsx'
import * as z from 'zod'
import { Endpoints } from '../../http/endpoint.ts'
import { inputText } from '../../http/inputs.ts'
import { Meta, Section } from '../../pages/components/lists.tsx'
import { usePage } from '../../pages/components/request.ts'
import { plural } from '../../pages/components/text.ts'
import { ExplorerLink } from '../../pages/components/values.tsx'
import { shown } from '../../pages/page.tsx'
import {
  AdminLayout,
  adminPage,
  LIMIT,
  OrderLink,
  PageLink,
  StateBadge,
} from '../components/layout.tsx'
import { ListingEntry } from '../components/listings.tsx'
import { NftEntry } from '../components/nfts.tsx'
import { PersonEntry } from '../components/people.tsx'
import {
  type FoundTransfer,
  MIN_PREFIX,
  onlyTransferIn,
  type SearchResult,
  search,
} from './search.ts'

/** What cannot be searched for is as nothing. */
const SearchQuery = z.object({ q: inputText(255).trim().catch('') })

export const searchRoutes = new Endpoints().get(
  '/operations/search',
  shown.administrator({ query: SearchQuery }),
  async (c, { query: { q } }) => {
    if (!q) return c.redirect('/operations', 303)
    const found = await search(c.var, { text: q })
    const only = onlyTransferIn(found)
    if (only) return c.redirect(`/operations/transfers/${only.id}`, 303)
    return adminPage(c, { title: 'Search', account: found.account }, <Results {...found} q={q} />)
  },
)

const Results = ({
  q,
  transfers,
  transactions,
  users,
  nfts,
  listings,
}: SearchResult & { q: string }) => {
  const isEmpty = [transfers, transactions, users, nfts, listings].every(
    ({ length }) => length === 0,
  )
  return (
    <AdminLayout q={q}>
      <h1>Results for “{q}”</h1>
      {isEmpty && <Nothing q={q} />}
      <Group name="Orders and transfers" rows={transfers} row={Transfer} />
      <Group name="Transactions" rows={transactions} row={Transaction} />
      <Group name="People" rows={users} row={PersonEntry} />
      <Group name="NFTs" rows={nfts} row={NftEntry} />
      <Group name="Listings" rows={listings} row={ListingEntry} />
    </AdminLayout>
  )
}

const matches: Record<FoundTransfer['by'], string> = {
  order: 'Order with this id',
  transfer: 'Transfer with this id',
  number: 'Order with this number',
  key: 'Transfer with this delivery key',
  transaction: 'Carried by the transaction',
  event: 'Order of the event',
  buyer: 'Bought by the user',
  seller: 'Sold by the user',
}

const Transfer = ({ id, orderId, state, by, providerId, title }: FoundTransfer) => (
  <>
    <div class="row-head">
      <h3>
        <OrderLink id={orderId} providerId={providerId} />, <PageLink to="transfers" id={id} />
      </h3>
      <StateBadge state={state} />
    </div>
    <Meta facts={[matches[by], <bdi>{title}</bdi>]} />
  </>
)

const Transaction = ({ hash, chainId, items, block }: SearchResult['transactions'][number]) => {
  const networks = Object.entries(usePage().settings.NETWORKS)
  const [network = ''] = networks.find(([, one]) => one.chainId === chainId) ?? []
  return (
    <>
      <h3>
        <ExplorerLink network={network} kind="tx" value={hash} />
      </h3>
      <Meta
        facts={[`Chain ${chainId}`, plural(items, 'item'), block ? `Block ${block}` : 'not mined']}
      />
    </>
  )
}

const Nothing = ({ q }: { q: string }) => (
  <p class="empty">
    Nothing has this id, order number, e-mail address, wallet, hash or key, or begins with it, and
    no title or name has words that begin so.
    {q.length < MIN_PREFIX && ` Beginnings need ${MIN_PREFIX} characters.`}
    {/^[\da-f-]{36}$/i.test(q) && ' Requests are only in the log: search it for this requestId.'}
  </p>
)

type GroupProps<Row> = { name: string; rows: readonly Row[]; row: (row: Row) => Child }

function Group<Row>({ name, rows, row }: GroupProps<Row>) {
  if (rows.length === 0) return null
  return (
    <Section id={name.toLowerCase().replaceAll(' ', '-')} title={name}>
      <ul class="rows">
        {rows.map((found) => (
          <li class="row">
            <div>{row(found)}</div>
          </li>
        ))}
      </ul>
      {rows.length >= LIMIT && (
        <p class="hint">There may be more than {LIMIT}. To find others, search for more of it.</p>
      )}
    </Section>
  )
}
