import type { Child } from 'hono/jsx'
import type { Found, FoundItem } from '../../operations/search.ts'
import { ExplorerLink } from '../components/explorer.tsx'
import { displayName, shortAddress } from '../components/names.ts'
import { plural } from '../components/numbers.ts'
import { usePage } from '../components/request.ts'
import { OperationsPage, SearchLink, StateBadge, TransferLink } from './layout.tsx'

type ResultsProps = Omit<Found, 'account'> & { q: string }

/** What a search of an operator has found. */
export const Results = ({ q, ...found }: ResultsProps) => {
  const { settings } = usePage()
  const { items, transactions, users, nfts, listings } = found
  const isEmpty = [items, transactions, users, nfts, listings].every(({ length }) => length === 0)
  const findNetwork = (id: number) =>
    Object.values(settings.NETWORKS).find(({ chainId }) => chainId === id)
  return (
    <OperationsPage path={null} q={q}>
      <h1>Results for “{q}”</h1>
      {isEmpty && <Nothing q={q} />}
      <Group name="Transfers" rows={items}>
        {(item: FoundItem) => (
          <>
            <div class="row-head">
              <h3>
                <TransferLink id={item.id} />
              </h3>
              <StateBadge state={item.state} />
            </div>
            <p class="meta">
              <span>{item.title}</span>
              <span>Order {item.orderId}</span>
              {item.providerId && <span>Order number {item.providerId}</span>}
              <span>{matches[item.by]}</span>
            </p>
          </>
        )}
      </Group>
      <Group name="Transactions" rows={transactions}>
        {({ hash, chainId, items, block }: Found['transactions'][number]) => (
          <>
            <h3>
              <ExplorerLink network={findNetwork(chainId)} kind="tx" value={hash} />
            </h3>
            <p class="meta">
              <span>Chain {chainId}</span>
              <span>{plural(items, 'item')}</span>
              <span>{block ? `Block ${block}` : 'not mined'}</span>
            </p>
          </>
        )}
      </Group>
      <Group name="Users" rows={users}>
        {(user: Found['users'][number]) => (
          <>
            <h3>
              User {user.id}: {displayName(user)}
            </h3>
            <p class="meta">
              {user.email && <span>{user.email}</span>}
              {user.ethereumPublicAddr && <span>{shortAddress(user.ethereumPublicAddr)}</span>}
              <span>
                <a href={`/settings/api-access/everyone?owner=${user.id}`}>Tokens and sessions</a>
              </span>
            </p>
          </>
        )}
      </Group>
      <Group name="NFTs" rows={nfts}>
        {(nft: Found['nfts'][number]) => (
          <>
            <h3>
              NFT {nft.id}: {nft.title}
            </h3>
            <p class="meta">
              <span>{nft.network}</span>
              <span>
                <ExplorerLink
                  network={settings.NETWORKS[nft.network]}
                  kind="token"
                  value={nft.contractAddr}
                />
              </span>
              <span>
                Creator: <SearchLink q={nft.creatorId} text={`User ${nft.creatorId}`} />
              </span>
            </p>
          </>
        )}
      </Group>
      <Group name="Listings" rows={listings}>
        {(listing: Found['listings'][number]) => (
          <>
            <h3>
              Listing {listing.id}: {listing.title}
            </h3>
            <p class="meta">
              <span>
                <SearchLink q={listing.nftId} text={`NFT ${listing.nftId}`} />
              </span>
              <span>
                Seller: <SearchLink q={listing.sellerId} text={`User ${listing.sellerId}`} />
              </span>
            </p>
          </>
        )}
      </Group>
    </OperationsPage>
  )
}

const matches: Record<FoundItem['by'], string> = {
  order: 'id of the order',
  transfer: 'id of the transfer',
  number: 'order number',
  key: 'delivery key',
  transaction: 'carried by the transaction',
  event: 'event',
  buyer: 'bought by the user',
  seller: 'sold by the user',
}

const Nothing = ({ q }: { q: string }) => (
  <p class="empty">
    Nothing has this id, number, wallet, hash or key.
    {/^[\da-f-]{36}$/i.test(q) && ' Requests are only in the log: search it for this requestId.'}
  </p>
)

type GroupProps<Row> = { name: string; rows: readonly Row[]; children?: (row: Row) => Child }

function Group<Row>({ name, rows, children }: GroupProps<Row>) {
  if (rows.length === 0) return null
  const id = name.toLowerCase()
  return (
    <section class="flow" aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
      <ul class="rows">
        {rows.map((row) => (
          <li class="row">
            <div>{children?.(row)}</div>
          </li>
        ))}
      </ul>
    </section>
  )
}
