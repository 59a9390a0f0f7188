/** Settings → Selling: what a user sells, and whether it may be delivered. */
import * as z from 'zod'
import { fulfilments } from '../../db/schema/catalogue.ts'
import { describeReason, rules } from '../../delivery/reasons.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { cursorText, inputText } from '../../http/inputs.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import { Hidden, Submit } from '../components/forms.tsx'
import { Pager, Rows } from '../components/lists.tsx'
import { usePage } from '../components/request.ts'
import { formatCount, formatMoney, pathWith } from '../components/text.ts'
import { ExplorerLink, Time } from '../components/values.tsx'
import { page, sent, shown } from '../page.tsx'
import { WalletAction } from '../wallet/views.tsx'
import { COUNTED_ORDERS, readSelling, retrySold, type Selling } from './selling.ts'

const Query = z.object({ before: cursorText.optional().catch(undefined) })
const text = inputText(100)
const Sold = z.object({ network: text, contract: text, fulfilment: z.enum(fulfilments) })
const checks = [signInRateLimit]
const sellingPage = { ...shown.session({ query: Query }), checks }
const retry = { ...sent.session({ form: Sold }), checks }

/** What the page says after a redirect. */
const notices = {
  'sold-retried': 'The contract is allowed. What waited for it is tried now.',
}

export const sellingRoutes = new Endpoints()
  .get('/settings/selling', sellingPage, async (c, { query }) => {
    const { before = null } = query
    const { account, ...selling } = await readSelling(c.var, { before })
    const view = <SellingSettings {...selling} />
    const scripts = ['wallet-action.js', 'copy.js']
    return page(c, { title: 'Selling', section: 'selling', notices, account, scripts }, view)
  })
  .post('/settings/selling/retry', retry, async (c, { form }) => {
    const ctx = { ...c.var, queue: c.env.DELIVERIES }
    const isRetried = await retrySold(ctx, form)
    const notice = isRetried && 'sold-retried'
    return c.redirect(pathWith('/settings/selling', { notice }), 303)
  })

const SellingSettings = ({ contracts, listings, next }: Selling) => (
  <>
    <h2>Selling</h2>
    <p class="lead">
      Paid orders are transferred from your <a href="/settings/account">linked wallet</a>, or
      minted, by the delivery contract of this marketplace. Allow it once for each of your
      contracts.
    </p>
    <h3 id="contracts">Contracts</h3>
    <Rows
      items={contracts}
      labelledby="contracts"
      empty="You sell nothing yet."
      row={(contract) => <Contract contract={contract} />}
    />
    <h3 id="listings">Listings</h3>
    <Rows
      items={listings}
      labelledby="listings"
      empty={usePage().isFirstPage ? 'You have no listings yet.' : 'There are no more listings.'}
      row={(listing) => <ListingRow listing={listing} />}
    />
    <p class="hint">Sold and waiting pieces are those of your newest {COUNTED_ORDERS} orders.</p>
    <Pager noun="listings" path="/settings/selling" next={{ before: next }} />
  </>
)

/** The script `wallet-action.js` looks for the row with this id, and at its `data-state`. */
const Contract = ({ contract: sold }: { contract: Selling['contracts'][number] }) => {
  const { network, contract, fulfilment, contractName, permission, obstacle, available, nextAt } =
    sold
  const { account, settings, now } = usePage()
  const { name = network, delivery = '' } = settings.NETWORKS[network] ?? {}
  const wallet = account?.ethereumPublicAddr
  const isMint = fulfilment === 'mint'
  return (
    <li class="row" id={`${network}-${contract}-${fulfilment}`} data-state={permission.is}>
      <div class="row-head">
        <h4>
          <bdi>{contractName}</bdi>
        </h4>
        <span class={`badge ${permission.is}`}>{permission.is.replace('_', ' ')}</span>
      </div>
      <p class="meta">
        <span>{name}</span>
        <ExplorerLink network={network} kind="address" value={contract} />
        {isMint && <span>Minted on delivery</span>}
      </p>
      {permission.is === 'unknown' && wallet && (
        <p>Not known: {permission.reason}. Load this page again.</p>
      )}
      {!wallet && (
        <p>
          <a href="/settings/account">Link the wallet</a> that holds the tokens of this contract.
        </p>
      )}
      {obstacle && available !== 0 && permission.is !== 'missing' && (
        <p>Cannot be delivered: {describeReason(obstacle)}.</p>
      )}
      {permission.is === 'missing' && wallet && (
        <WalletAction
          label={isMint ? 'Allow minting' : 'Allow delivery'}
          subject={contractName}
          network={network}
          account={wallet}
          request={{ allow: fulfilment, contract, delivery }}
        />
      )}
      {nextAt && (
        <form method="post" action="/settings/selling/retry">
          <Hidden values={{ network, contract, fulfilment }} />
          NFTs wait for this. Next try:{' '}
          {Date.parse(nextAt) > now.getTime() ? <Time at={nextAt} /> : 'soon'}.{' '}
          {permission.is === 'allowed' && <Submit kind="small">Try now</Submit>}
        </form>
      )}
    </li>
  )
}

const ListingRow = ({ listing }: { listing: Selling['listings'][number] }) => (
  <li class="row">
    <div class="row-head">
      <h4>
        <bdi>{listing.title}</bdi>
      </h4>
      {listing.type === 'auction' && <span class="badge">Auction, takes no orders</span>}
      {!listing.isActive && <span class="badge">Not active</span>}
      {listing.notSold && <span class="badge">Not sold: {rules[listing.notSold].sentence}</span>}
    </div>
    <p class="meta">
      <span>
        Listing <span data-copy-text>{listing.id}</span>
      </span>
      <span>{formatMoney(listing.priceCents, listing.priceCurrency)}</span>
      <span>
        {listing.available === null ? 'No limit' : `${formatCount(listing.available)}\u00a0left`}
      </span>
      <span>{formatCount(listing.sold)}&nbsp;sold</span>
      <span>{formatCount(listing.waiting)}&nbsp;waiting</span>
    </p>
  </li>
)
