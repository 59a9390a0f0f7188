import type { Child } from 'hono/jsx'
import { ExplorerLink } from '../../pages/components/explorer.tsx'
import { displayName, shortAddress } from '../../pages/components/names.ts'
import { plural } from '../../pages/components/numbers.ts'
import { usePage } from '../../pages/components/request.ts'
import { Listing } from '../details/views.tsx'
import { OperationsPage, PageLink, StateBadge, TransferLink } from '../layout.tsx'
import { type Found, type FoundItem, LIMIT, MIN_PREFIX } from './search.ts'

type ResultsProps = Omit<Found, 'account'> & { q: string }

/** What a search of an operator has found. */
export const Results = ({ q, ...found }: ResultsProps) => {
  const { items, transactions, users, nfts, listings } = found
  const isEmpty = [items, transactions, users, nfts, listings].every(({ length }) => length === 0)
  return (
    <OperationsPage path={null} q={q}>
      <h1>Results for “{q}”</h1>
      {isEmpty && <Nothing q={q} />}
      <Group name="Orders and transfers" rows={items} row={Item} />
      <Group name="Transactions" rows={transactions} row={Transaction} />
      <Group name="Users" rows={users} row={User} />
      <Group name="NFTs" rows={nfts} row={Nft} />
      <Group name="Listings" rows={listings} row={Listing} />
    </OperationsPage>
  )
}

const Item = ({ id, orderId, state, by, providerId, title }: FoundItem) => (
  <>
    <div class="row-head">
      <h3>
        <PageLink to="orders" id={orderId} />, <TransferLink id={id} />
      </h3>
      <StateBadge state={state} />
    </div>
    <p class="meta">
      <span>{matches[by]}</span>
      {providerId && <span>Order number {providerId}</span>}
      <span>
        <bdi>{title}</bdi>
      </span>
    </p>
  </>
)

const Transaction = ({ hash, chainId, items, block }: Found['transactions'][number]) => {
  const networks = Object.values(usePage().settings.NETWORKS)
  const network = networks.find((one) => one.chainId === chainId)
  return (
    <>
      <h3>
        <ExplorerLink network={network} kind="tx" value={hash} />
      </h3>
      <p class="meta">
        <span>Chain {chainId}</span>
        <span>{plural(items, 'item')}</span>
        <span>{block ? `Block ${block}` : 'not mined'}</span>
      </p>
    </>
  )
}

const User = (user: Found['users'][number]) => (
  <>
    <h3>
      <PageLink to="users" id={user.id} />: <bdi>{displayName(user)}</bdi>
    </h3>
    <p class="meta">
      {user.email && <span>{user.email}</span>}
      {user.ethereumPublicAddr && <span>{shortAddress(user.ethereumPublicAddr)}</span>}
      <span>
        <a href={`/settings/api-access/everyone?owner=${user.id}`}>Tokens and sessions</a>
      </span>
    </p>
  </>
)

const Nft = ({ id, title, network, contractAddr, creatorId }: Found['nfts'][number]) => (
  <>
    <h3>
      <PageLink to="nfts" id={id} />: <bdi>{title}</bdi>
    </h3>
    <p class="meta">
      <span>{network}</span>
      <span>
        <ExplorerLink
          network={usePage().settings.NETWORKS[network]}
          kind="token"
          value={contractAddr}
        />
      </span>
      <span>
        Creator: <PageLink to="users" id={creatorId} />
      </span>
    </p>
  </>
)

const matches: Record<FoundItem['by'], string> = {
  order: 'Order with this id',
  transfer: 'Transfer with this id',
  number: 'Order with this number',
  key: 'Transfer with this delivery key',
  transaction: 'Carried by the transaction',
  event: 'Order of the event',
  buyer: 'Bought by the user',
  seller: 'Sold by the user',
}

const Nothing = ({ q }: { q: string }) => (
  <p class="empty">
    Nothing has this id, title, order number, e-mail address, wallet, hash or key, or begins with
    it.
    {q.length < MIN_PREFIX && ` Beginnings need ${MIN_PREFIX} characters.`}
    {/^[\da-f-]{36}$/i.test(q) && ' Requests are only in the log: search it for this requestId.'}
  </p>
)

type GroupProps<Row> = { name: string; rows: readonly Row[]; row: (row: Row) => Child }

function Group<Row>({ name, rows, row }: GroupProps<Row>) {
  if (rows.length === 0) return null
  const id = name.toLowerCase().replaceAll(' ', '-')
  return (
    <section class="flow" aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
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
    </section>
  )
}
