/** Settings → Selling: what a user sells, and whether it may be delivered. */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import * as z from 'zod'
import { jsonOf } from '../../catalogue/change.ts'
import { refOf } from '../../creators/record.ts'
import { fulfilments } from '../../db/schema/catalogue.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { cursorText, idText, inputText } from '../../http/inputs.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import type { Texts } from '../../texts/en.ts'
import { Hidden, handleForm, LinkButton, Submit } from '../components/forms.tsx'
import { Pager, Rows } from '../components/lists.tsx'
import { Cover } from '../components/nfts.tsx'
import { hasEnteredAmount, listingFields } from '../components/record-fields.ts'
import { Amount, ListingInputs, Shown } from '../components/record-forms.tsx'
import { type Found, usePage } from '../components/request.ts'
import { formatCount, formatMoney, pathOfRef, pathWith } from '../components/text.ts'
import { ExplorerLink, Time, useReason } from '../components/values.tsx'
import { page, sent, shown } from '../page.tsx'
import { WalletAction } from '../wallet/views.tsx'
import { changeOwnListing, OwnListingValues, readOwnListing } from './change.ts'
import { COUNTED_ORDERS, readSelling, retrySold, type Selling } from './selling.ts'

const Query = z.object({ before: cursorText.optional().catch(undefined) })
const text = inputText(100)
const Sold = z.object({ network: text, contract: text, fulfilment: z.enum(fulfilments) })
const Id = z.object({ id: idText })
const checks = [signInRateLimit]
const sellingPage = { ...shown.session({ query: Query }), checks }
const retry = { ...sent.session({ form: Sold }), checks }

/** What the page says after a redirect. */
const notices = ({ selling }: Texts) => selling.notices

export const sellingRoutes = new Endpoints({ isTranslated: true })
  .get('/settings/selling', sellingPage, async (c, { query }) => {
    const { before = null } = query
    const { account, ...selling } = await readSelling(c.var, { before })
    const view = <SellingSettings {...selling} />
    const scripts = ['wallet-action.js', 'copy.js']
    const title = ({ settings }: Texts) => settings.selling
    return page(c, { title, section: 'selling', notices, account, scripts }, view)
  })
  .post('/settings/selling/retry', retry, async (c, { form }) => {
    const ctx = { ...c.var, queue: c.env.DELIVERIES }
    const isRetried = await retrySold(ctx, form)
    const notice = isRetried && 'sold-retried'
    return c.redirect(pathWith('/settings/selling', { notice }), 303)
  })
  .get('/settings/selling/:id', shown.session({ param: Id }), listingPage)
  .post(
    '/settings/selling/:id',
    sent.session({ param: Id, form: OwnListingValues }),
    handleForm(listingPage, 'shown', async (c, { param: { id }, form }) => {
      await changeOwnListing(c.var, { id, form })
      return c.redirect('/settings/selling?notice=listing-changed', 303)
    }),
  )

async function listingPage(c: Context<AppWithCaller>, { param }: { param: { id: number } }) {
  const { account, ...found } = await readOwnListing(c.var, param.id)
  const title = ({ selling }: Texts) => selling.changeListing
  return page(c, { title, section: 'selling', notices, account }, <ListingForm {...found} />)
}

const SellingSettings = ({ contracts, listings, next }: Selling) => {
  const { isFirstPage, texts, locale } = usePage()
  const { selling, settings } = texts
  return (
    <>
      <h2>{settings.selling}</h2>
      <p class="lead">{selling.lead(<a href="/settings/account">{selling.linkedWallet}</a>)}</p>
      <h3 id="contracts">{selling.contracts}</h3>
      <Rows
        items={contracts}
        labelledby="contracts"
        empty={selling.none}
        row={(contract) => <Contract contract={contract} />}
      />
      <h3 id="listings">{selling.listings}</h3>
      <Rows
        items={listings}
        labelledby="listings"
        empty={isFirstPage ? selling.noListings : selling.noMore}
        row={(listing) => (
          <ListingRow listing={listing}>
            {listing.type === 'regular' && (
              <p class="actions">
                <LinkButton href={`/settings/selling/${listing.id}`} kind="small">
                  {selling.change}
                  <span class="visually-hidden"> {listing.title}</span>
                </LinkButton>
                <OwnRecordLink listing={listing} />
              </p>
            )}
          </ListingRow>
        )}
      />
      <p class="hint">{selling.counted(formatCount(COUNTED_ORDERS, locale))}</p>
      <Pager noun={selling} path="/settings/selling" next={{ before: next }} />
    </>
  )
}

/** The script `wallet-action.js` looks for the row with this id, and at its `data-state`. */
const Contract = ({ contract: sold }: { contract: Selling['contracts'][number] }) => {
  const { network, contract, fulfilment, contractName, permission, obstacle, available, nextAt } =
    sold
  const { account, settings, now, texts } = usePage()
  const { selling } = texts
  const { name = network, delivery = '' } = settings.NETWORKS[network] ?? {}
  const wallet = account?.ethereumPublicAddr
  const isMint = fulfilment === 'mint'
  return (
    <li
      class="row"
      id={`${network}-${contract}-${fulfilment}-${sold.heldBySeller}`}
      data-state={permission.is}
    >
      <div class="row-head">
        <h4>
          <bdi>{contractName}</bdi>
        </h4>
        <span class={`badge ${permission.is}`}>{selling.permissions[permission.is]}</span>
      </div>
      <p class="meta">
        <span>{name}</span>
        <ExplorerLink network={network} kind="address" value={contract} />
        {isMint && <span>{selling.minted}</span>}
        {permission.is === 'not_needed' && <span>{selling.heldByMarketplace}</span>}
      </p>
      {permission.is === 'unknown' && wallet && (
        <p>{selling.notKnown(<span lang="en">{permission.reason}</span>)}</p>
      )}
      {!wallet && <p>{selling.linkIt(<a href="/settings/account">{selling.linkTheWallet}</a>)}</p>}
      {obstacle && available !== 0 && permission.is !== 'missing' && (
        <p>{selling.notDelivered(useReason(obstacle))}</p>
      )}
      {permission.is === 'missing' && wallet && (
        <WalletAction
          label={isMint ? selling.allowMinting : selling.allowDelivery}
          subject={contractName}
          network={network}
          account={wallet}
          request={{ allow: fulfilment, contract, delivery }}
        />
      )}
      {nextAt && (
        <form method="post" action="/settings/selling/retry">
          <Hidden values={{ network, contract, fulfilment }} />
          {selling.nextTry(
            Date.parse(nextAt) > now.getTime() ? <Time at={nextAt} /> : texts.time.soon,
          )}{' '}
          {permission.is === 'allowed' && <Submit kind="small">{selling.tryNow}</Submit>}
        </form>
      )}
    </li>
  )
}

/** Leads to what the user lists by itself. */
const OwnRecordLink = ({ listing }: { listing: Selling['listings'][number] }) => {
  const ref = listing.isOfOwnNft ? refOf(listing.externalId, listing.owner) : null
  if (ref === null) return null
  return (
    <LinkButton href={pathOfRef(ref)} kind="small">
      {usePage().texts.selling.inNfts}
      <span class="visually-hidden"> {listing.title}</span>
    </LinkButton>
  )
}

type ListingRowProps = {
  listing: Selling['listings'][number]
  heading?: 'h3' | 'h4'
  children?: Child
}

const ListingRow = ({ listing, heading: Heading = 'h4', children }: ListingRowProps) => {
  const { texts, locale } = usePage()
  const { selling, nfts } = texts
  const { id, nftId, coverKey, image, available, notSold, downloads } = listing
  return (
    <li class="row">
      <Cover nft={{ id: nftId, coverKey, payload: { metadata: { image } } }} />
      <div class="row-head">
        <Heading>
          <bdi>{listing.title}</bdi>
        </Heading>
        {listing.type === 'auction' && <span class="badge">{selling.auction}</span>}
        {!listing.isActive && <span class="badge">{selling.inactive}</span>}
        {notSold && (
          <span class="badge">
            {selling.notSold(useReason({ reasonCode: notSold, reasonDetail: null }))}
          </span>
        )}
      </div>
      <p class="meta">
        <span>{selling.listing(<span data-copy-text>{id}</span>)}</span>
        <span>{formatMoney(listing.priceCents, listing.priceCurrency, locale)}</span>
        <span>
          {available === null
            ? selling.noLimit
            : nfts.left(available, formatCount(available, locale))}
        </span>
        <span>{selling.sold(formatCount(listing.sold, locale))}</span>
        <span>{selling.waiting(formatCount(listing.waiting, locale))}</span>
        {downloads !== null && <span>{selling.downloads(formatCount(downloads, locale))}</span>}
      </p>
      {children}
    </li>
  )
}

const ListingForm = ({ listing, record, nft }: Found<typeof readOwnListing>) => {
  const { locale, texts } = usePage()
  const { selling, layout, recordForm } = texts
  return (
    <>
      <h2>{selling.changeListing}</h2>
      <Rows items={[listing]} empty="" row={() => <ListingRow listing={listing} heading="h3" />} />
      <p class="hint">{selling.counted(formatCount(COUNTED_ORDERS, locale))}</p>
      <form method="post" action={`/settings/selling/${listing.id}`} class="panel flow">
        <Shown record={record} names={listingFields} />
        <ListingInputs record={record} />
        {nft && hasEnteredAmount(nft) && (
          <>
            <Hidden values={{ shownAmount: jsonOf(nft, ['amount']) }} />
            <Amount record={nft} />
          </>
        )}
        <p class="actions">
          <Submit kind="primary">{recordForm.save}</Submit>
          <LinkButton href="/settings/selling">{layout.cancel}</LinkButton>
        </p>
      </form>
    </>
  )
}
