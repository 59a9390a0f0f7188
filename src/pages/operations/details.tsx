/** The pages that operators have of an order, a user and an NFT. */
import type { Child } from 'hono/jsx'
import { ADMINISTRATOR } from '../../db/schema/users.ts'
import type {
  FoundListing,
  NftDetails,
  OrderDetails,
  UserDetails,
} from '../../operations/details.ts'
import { ExplorerLink } from '../components/explorer.tsx'
import { displayName } from '../components/names.ts'
import { count, money } from '../components/numbers.ts'
import { usePage } from '../components/request.ts'
import { Rows } from '../components/rows.tsx'
import { Time } from '../components/time.tsx'
import { Fact, listPath, OperationsPage, PageLink } from './layout.tsx'
import { placedWith } from './transfer.tsx'
import { TransferRows } from './transfers.tsx'

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

const Section = ({ id, title, children }: { id: string; title: string; children: Child }) => (
  <section class="flow" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
)

export const OrderPage = ({ order, transfers }: OrderDetails) => (
  <Details
    title={`Order ${order.id}`}
    facts={[
      ['Order number', order.providerId],
      [
        'Placed with',
        <a href={listPath({ source: order.namespace.replace(/^master:|^user:[^:]*:/, '') })}>
          {placedWith(order.namespace)}
        </a>,
      ],
      ['Placed', <Time at={order.createdAt} />],
      ['Total', money(order.amount, order.currency)],
      ['Buyer', <PageLink to="users" id={order.buyerId} />],
    ]}
  >
    <Section id="transfers" title="Transfers">
      <TransferRows transfers={transfers} empty="It has no transfers." />
    </Section>
  </Details>
)

export const UserPage = ({ user, bought, sold, listings, created }: UserDetails) => (
  <Details
    title={
      <>
        User {user.id}: <bdi>{displayName(user)}</bdi>
      </>
    }
    facts={[
      ['User name', user.username],
      ['E-mail', user.email],
      ['Wallet', user.ethereumPublicAddr && <span class="hash">{user.ethereumPublicAddr}</span>],
      ['Role', user.roleId === ADMINISTRATOR ? 'Administrator' : 'User'],
      ['Joined', <Time at={user.createdAt} />],
      ['Removed', user.removedAt && <Time at={user.removedAt} />],
      [
        'Access',
        <a href={`/settings/api-access/everyone?owner=${user.id}`}>Tokens and sessions</a>,
      ],
    ]}
  >
    <Section id="bought" title="Bought last">
      <TransferRows transfers={bought} empty="The user has bought nothing." />
    </Section>
    <Section id="sold" title="Sold last">
      <TransferRows transfers={sold} empty="The user has sold nothing." />
    </Section>
    <Section id="listings" title="Listings">
      <Listings listings={listings} />
    </Section>
    <Section id="created" title="Created">
      <Rows
        items={created}
        empty="The user has created nothing."
        row={({ id, title }) => (
          <li class="row">
            <p>
              <PageLink to="nfts" id={id} />: <bdi>{title}</bdi>
            </p>
          </li>
        )}
      />
    </Section>
  </Details>
)

export const NftPage = ({ nft, listings }: NftDetails) => {
  const network = usePage().settings.NETWORKS[nft.network]
  return (
    <Details
      title={
        <>
          NFT {nft.id}: <bdi>{nft.title}</bdi>
        </>
      }
      facts={[
        ['Id in the catalogue', nft.externalId],
        ['Creator', <PageLink to="users" id={nft.creatorId} />],
        [
          'Left',
          nft.amountType === 'unlimited'
            ? 'Unlimited'
            : `${count(nft.availableAmount)} of ${count(nft.amount)}`,
        ],
        ['State', nft.deletedAt ? 'deleted' : nft.status],
        ['Released', <Time at={nft.releaseAt} />],
        ['Network', nft.network],
        ['Delivered by', nft.fulfilment === 'mint' ? 'Mint' : 'Transfer'],
        ['Token', nft.tokenId],
        ['Contract', <ExplorerLink network={network} kind="token" value={nft.contractAddr} />],
      ]}
    >
      <Section id="listings" title="Listings">
        <Listings listings={listings} />
      </Section>
    </Details>
  )
}

const Listings = ({ listings }: { listings: readonly FoundListing[] }) => (
  <Rows
    items={listings}
    empty="There are no listings."
    row={({ id, nftId, title, sellerId, priceCents, priceCurrency, active }) => (
      <li class="row">
        <p>
          Listing {id}: <bdi>{title}</bdi>
        </p>
        <p class="meta">
          <span>{money(priceCents, priceCurrency)}</span>
          <span>{active ? 'active' : 'not active'}</span>
          <span>
            <PageLink to="nfts" id={nftId} />
          </span>
          <span>
            Seller: <PageLink to="users" id={sellerId} />
          </span>
        </p>
      </li>
    )}
  />
)
