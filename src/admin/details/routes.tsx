/** The pages that operators have of an order, a user and an NFT. */

import { eq, sql } from 'drizzle-orm'
import type { Child } from 'hono/jsx'
import * as z from 'zod'
import { readAsUser } from '../../auth/session.ts'
import { parseNamespace } from '../../auth/sources.ts'
import { nfts } from '../../db/schema/catalogue.ts'
import { orders, type Paid } from '../../db/schema/orders.ts'
import { users } from '../../db/schema/users.ts'
import type { Ctx } from '../../http/context.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { idText } from '../../http/inputs.ts'
import { idAfterNumber, orderNumber } from '../../orders/number.ts'
import { Rows } from '../../pages/components/lists.tsx'
import type { Found } from '../../pages/components/request.ts'
import { displayName, formatCount, formatMoney } from '../../pages/components/text.ts'
import { ExplorerLink, Time } from '../../pages/components/values.tsx'
import { shown } from '../../pages/page.tsx'
import {
  AdminLayout,
  adminPage,
  FactPanel,
  listPath,
  OrderName,
  PageLink,
} from '../components/layout.tsx'
import {
  type FoundListing,
  LIMIT,
  ListingEntry,
  selectFoundListings,
} from '../components/listings.tsx'
import { placedWith, selectTransfers, TransferRows } from '../components/transfers.tsx'

const Id = z.object({ id: idText })

export const detailsRoutes = new Endpoints()
  .get('/operations/orders/:id', shown.administrator({ param: Id }), async (c, { param }) => {
    const { account, ...found } = await readOrderDetails(c.var, param.id)
    const title = `Order ${orderNumber(found.order)}${idAfterNumber(found.order)}`
    return adminPage(c, { title, account }, <OrderPage {...found} />)
  })
  .get('/operations/users/:id', shown.administrator({ param: Id }), async (c, { param }) => {
    const { account, ...found } = await readUserDetails(c.var, param.id)
    return adminPage(c, { title: `User ${param.id}`, account }, <UserPage {...found} />)
  })
  .get('/operations/nfts/:id', shown.administrator({ param: Id }), async (c, { param }) => {
    const { account, ...found } = await readNftDetails(c.var, param.id)
    return adminPage(c, { title: `NFT ${param.id}`, account }, <NftPage {...found} />)
  })

const describePaid = ({ currency, ...paid }: Paid): string =>
  [
    formatMoney(paid.grossCents, currency),
    paid.taxCents !== null && `with ${formatMoney(paid.taxCents, currency)} of tax`,
    paid.discountCents !== null &&
      `after a discount of ${formatMoney(paid.discountCents, currency)}`,
    paid.invoiceNumber !== null && `invoice ${paid.invoiceNumber}`,
  ]
    .filter((part) => part !== false)
    .join(', ')

type ReadCtx = Pick<Ctx, 'db' | 'caller'>

function required<Row>([row]: readonly Row[]): Row {
  if (!row) throw new ApiError('not_found', 'there is nothing with this id')
  return row
}

async function readOrderDetails(ctx: ReadCtx, id: number) {
  const { order, ...others } = await readAsUser(ctx, {
    order: ctx.db.select().from(orders).where(eq(orders.id, id)),
    transfers: selectTransfers(ctx.db, sql`i.orderId = ${id}`),
  })
  return { order: required(order), ...others }
}

async function readUserDetails(ctx: ReadCtx, id: number) {
  const { user, ...others } = await readAsUser(ctx, {
    user: ctx.db.select().from(users).where(eq(users.id, id)),
    bought: selectTransfers(ctx.db, sql`o.buyerId = ${id} ORDER BY o.id DESC LIMIT ${LIMIT}`),
    sold: selectTransfers(ctx.db, sql`i.sellerId = ${id} ORDER BY i.orderId DESC LIMIT ${LIMIT}`),
    listings: selectFoundListings(ctx.db, sql`l.sellerId = ${id}`),
  })
  return { user: required(user), ...others }
}

async function readNftDetails(ctx: ReadCtx, id: number) {
  const { nft, ...others } = await readAsUser(ctx, {
    nft: ctx.db.select().from(nfts).where(eq(nfts.id, id)),
    listings: selectFoundListings(ctx.db, sql`l.nftId = ${id}`),
  })
  return { nft: required(nft), ...others }
}

type DetailsProps = { title: Child; facts: [name: string, value: Child][]; children: Child }

const Details = ({ title, facts, children }: DetailsProps) => (
  <AdminLayout>
    <h1>{title}</h1>
    <FactPanel facts={facts} />
    {children}
  </AdminLayout>
)

const OrderPage = ({ order, transfers }: Found<typeof readOrderDetails>) => (
  <Details
    title={<OrderName id={order.id} providerId={order.providerId} />}
    facts={[
      [
        'Placed with',
        <a href={listPath({ source: parseNamespace(order.namespace).name })}>
          {placedWith(order.namespace)}
        </a>,
      ],
      ['Placed', <Time at={order.createdAt} />],
      ['Total', formatMoney(order.totalPriceCents, order.totalPriceCurrency)],
      ['Paid', order.paid && <bdi>{describePaid(order.paid)}</bdi>],
      ['Buyer', <PageLink to="users" id={order.buyerId} />],
    ]}
  >
    <h2>Transfers</h2>
    <TransferRows transfers={transfers} empty="There are none." />
  </Details>
)

const UserPage = ({ user, bought, sold, listings }: Found<typeof readUserDetails>) => (
  <Details
    title={[`User ${user.id}: `, user.removedAt ? 'data removed' : <bdi>{displayName(user)}</bdi>]}
    facts={[
      ['User name', user.username],
      ['E-mail', user.email],
      ['Wallet', user.ethereumPublicAddr && <span class="hash">{user.ethereumPublicAddr}</span>],
      ['Joined', <Time at={user.createdAt} />],
      [
        'Access',
        <a href={`/settings/api-access/everyone?owner=${user.id}`}>Tokens and sessions</a>,
      ],
    ]}
  >
    <h2>Bought last</h2>
    <TransferRows transfers={bought} empty="The user has bought nothing." />
    <h2>Sold last</h2>
    <TransferRows transfers={sold} empty="The user has sold nothing." />
    <h2>Listings</h2>
    <Listings listings={listings} />
  </Details>
)

const NftPage = ({ nft, listings }: Found<typeof readNftDetails>) => {
  const left = `${formatCount(nft.availableAmount)} of ${formatCount(nft.amount)}`
  return (
    <Details
      title={[`NFT ${nft.id}: `, <bdi>{nft.title}</bdi>]}
      facts={[
        ['Id in the catalogue', nft.externalId],
        ['Creator', <PageLink to="users" id={nft.creatorId} />],
        ['Left', nft.amountType === 'unlimited' ? 'Unlimited' : left],
        ['State', nft.deletedAt ? 'deleted' : nft.status],
        ['Released', <Time at={nft.releaseAt} />],
        ['Network', nft.contractNetwork],
        ['Delivered by', nft.fulfilment],
        ['Token', nft.tokenId],
        [
          'Contract',
          <ExplorerLink network={nft.contractNetwork} kind="token" value={nft.contractAddr} />,
        ],
      ]}
    >
      <h2>Listings</h2>
      <Listings listings={listings} />
    </Details>
  )
}

const Listings = ({ listings }: { listings: FoundListing[] }) => (
  <Rows
    items={listings}
    empty="There are no listings."
    row={(listing) => (
      <li class="row">
        <div>{ListingEntry(listing)}</div>
      </li>
    )}
  />
)
