/** The pages that operators have of an order, a user and an NFT. */
import type { Child } from 'hono/jsx'
import { tokenNameOf } from '../../identity/namespace.ts'
import { ExplorerLink } from '../../pages/components/explorer.tsx'
import { Fact } from '../../pages/components/facts.tsx'
import { displayName } from '../../pages/components/names.ts'
import { count, money } from '../../pages/components/numbers.ts'
import { usePage } from '../../pages/components/request.ts'
import { Rows } from '../../pages/components/rows.tsx'
import { Time } from '../../pages/components/time.tsx'
import { listPath, OperationsPage, PageLink } from '../layout.tsx'
import type { FoundListing } from '../search/search.ts'
import { TransferRows } from '../transfers/rows.tsx'
import { placedWith } from '../transfers/transfer-page.tsx'
import type { readNftDetails, readOrderDetails, readUserDetails } from './read.ts'

type Details<Read extends (...args: never) => Promise<object>> = Awaited<ReturnType<Read>>
type DetailsProps = { title: Child; facts: [name: string, value: Child][]; children: Child }

const Details = ({ title, facts, children }: DetailsProps) => (
  <OperationsPage path={null}>
    <h1>{title}</h1>
    <dl class="facts panel">
      {facts.map(([name, value]) => (
        <Fact name={name}>{value || '–'}</Fact>
      ))}
    </dl>
    {children}
  </OperationsPage>
)

export const OrderPage = ({ id, order, transfers }: Details<typeof readOrderDetails>) => (
  <Details
    title={`Order ${id}`}
    facts={[
      ['Order number', order.providerId],
      [
        'Placed with',
        <a href={listPath({ source: tokenNameOf(order.namespace) })}>
          {placedWith(order.namespace)}
        </a>,
      ],
      ['Placed', <Time at={order.createdAt} />],
      ['Total', money(order.totalPriceCents, order.totalPriceCurrency)],
      ['Buyer', <PageLink to="users" id={order.buyerId} />],
    ]}
  >
    <h2>Transfers</h2>
    <TransferRows transfers={transfers} empty="There are none." />
  </Details>
)

export const UserPage = ({ id, user, ...lists }: Details<typeof readUserDetails>) => (
  <Details
    title={[`User ${id}: `, <bdi>{displayName(user)}</bdi>]}
    facts={[
      ['User name', user.username],
      ['E-mail', user.email],
      ['Wallet', <span class="hash">{user.ethereumPublicAddr}</span>],
      ['Joined', <Time at={user.createdAt} />],
      ['Access', <a href={`/settings/api-access/everyone?owner=${id}`}>Tokens and sessions</a>],
    ]}
  >
    <h2>Bought last</h2>
    <TransferRows transfers={lists.bought} empty="The user has bought nothing." />
    <h2>Sold last</h2>
    <TransferRows transfers={lists.sold} empty="The user has sold nothing." />
    <h2>Listings</h2>
    {listingRows(lists.listings)}
  </Details>
)

export const NftPage = ({ id, nft, listings }: Details<typeof readNftDetails>) => {
  const network = usePage().settings.NETWORKS[nft.contractNetwork]
  const left = `${count(nft.availableAmount)} of ${count(nft.amount)}`
  return (
    <Details
      title={[`NFT ${id}: `, <bdi>{nft.title}</bdi>]}
      facts={[
        ['Id in the catalogue', nft.externalId],
        ['Creator', <PageLink to="users" id={nft.creatorId} />],
        ['Left', nft.amountType === 'unlimited' ? 'Unlimited' : left],
        ['State', nft.deletedAt ? 'deleted' : nft.status],
        ['Released', <Time at={nft.releaseAt} />],
        ['Network', nft.contractNetwork],
        ['Delivered by', nft.fulfilment],
        ['Token', nft.tokenId],
        ['Contract', <ExplorerLink network={network} kind="token" value={nft.contractAddr} />],
      ]}
    >
      <h2>Listings</h2>
      {listingRows(listings)}
    </Details>
  )
}

const listingRows = (listings: FoundListing[]) => (
  <Rows
    items={listings}
    empty="There are no listings."
    row={(listing) => <li class="row">{Listing(listing)}</li>}
  />
)

/** A listing, as a row shows it. */
export const Listing = ({ id, title, nftId, sellerId, ...price }: FoundListing) => (
  <div>
    <h3>
      Listing {id}: <bdi>{title}</bdi>
    </h3>
    <p class="meta">
      <span>{money(price.priceCents, price.priceCurrency)}</span>
      {!price.active && <span>not active</span>}
      <span>
        <PageLink to="nfts" id={nftId} />
      </span>
      <span>
        Seller: <PageLink to="users" id={sellerId} />
      </span>
    </p>
  </div>
)
