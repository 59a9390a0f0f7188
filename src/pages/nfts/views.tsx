/** Lists of NFTs, and the page of one. */
import { creatorLimits } from '../../limits.ts'
import type { NftDetails, PublicPerson, readNfts } from '../../marketplace/pages.ts'
import {
  Field,
  Hidden,
  LinkButton,
  Notice,
  Select,
  Submit,
  useProblem,
} from '../components/forms.tsx'
import { Icon } from '../components/icon.tsx'
import { Facts, Pager, Rows, Section } from '../components/lists.tsx'
import {
  AskedPrice,
  Cover,
  countOf,
  creatorPath,
  editionOf,
  NftGrid,
  PersonName,
  UserPicture,
} from '../components/nfts.tsx'
import { usePage } from '../components/request.ts'
import { SupportAddress } from '../components/shop.tsx'
import { formatCount, pathWith } from '../components/text.ts'
import { ExplorerLink, formatDate, Price, Time } from '../components/values.tsx'
import { ContentHint } from '../content/views.tsx'

type NftsPage = Awaited<ReturnType<typeof readNfts>>

type Filters = {
  q?: string | null | undefined
  edition?: string | undefined
  sale?: 'on' | undefined
  sort?: 'title' | 'price' | undefined
  creator?: number | undefined
}

type ListProps = NftsPage & { filters: Filters }

export const NftList = ({ filters, creator, nfts, nextCursor }: ListProps) => {
  const { isFirstPage, rejection, texts } = usePage()
  const isSelection = !isFirstPage || !!rejection || Object.values(filters).some(Boolean)
  const { editions, sorts, ...said } = texts.nfts
  return (
    <div class="flow">
      <h1>{texts.layout.nfts}</h1>
      <search>
        <form class="inline-form" action="/nfts">
          <Field
            name="q"
            label={said.words}
            type="search"
            maxlength={255}
            value={filters.q ?? ''}
          />
          <Select
            name="edition"
            label={said.edition}
            options={{
              '': editions.all,
              unique: editions.unique,
              limited: editions.limited,
              unlimited: editions.unlimited,
            }}
            selected={filters.edition}
          />
          <Select
            name="sale"
            label={said.show}
            options={{ '': said.all, on: said.forSale }}
            selected={filters.sale}
          />
          <Select
            name="sort"
            label={said.sortBy}
            options={{ '': sorts.newest, price: sorts.price, title: sorts.title }}
            selected={filters.sort}
          />
          <Hidden values={{ creator: filters.creator }} />
          <Submit>{said.search}</Submit>
        </form>
      </search>
      {creator && (
        <p>
          {said.by(
            <a href={creatorPath(creator)}>
              <PersonName person={creator} />
            </a>,
          )}{' '}
          · <a href={pathWith('/nfts', { ...filters, creator: undefined })}>{said.allCreators}</a>
        </p>
      )}
      <h2 class="visually-hidden">{said.results}</h2>
      <NftGrid nfts={nfts} isSelection={isSelection} />
      <Pager noun={said} path="/nfts" query={filters} next={{ cursor: nextCursor }} />
    </div>
  )
}

type CreatorProps = Omit<ListProps, 'filters'> & { creator: NonNullable<NftsPage['creator']> }

export const CreatorPage = ({ creator, nfts, nextCursor }: CreatorProps) => {
  const { texts } = usePage()
  const said = texts.nfts
  return (
    <div class="flow">
      <div class="creator">
        <UserPicture user={creator} size={80} />
        <div>
          <h1>
            <PersonName person={creator} />
          </h1>
          <p class="meta">
            {creator.name && creator.username && <span>@{creator.username}</span>}
            <span>{said.latest(countOf(creator), <Time at={creator.latestReleaseAt} />)}</span>
          </p>
        </div>
      </div>
      <h2>{texts.layout.nfts}</h2>
      <NftGrid nfts={nfts} isSelection />
      <Pager noun={said} path={creatorPath(creator)} next={{ cursor: nextCursor }} />
      <p>
        <a href={`/nfts?creator=${creator.id}`}>{said.searchIn}</a>
      </p>
    </div>
  )
}

/** What the page shows of an NFT. `coverHint`: why a drawing stands in for its picture, if it has one. */
export type NftPageProps = Omit<NftDetails, 'nft'> & {
  coverHint?: string | undefined
  nft: Pick<
    NftDetails['nft'],
    | 'id'
    | 'title'
    | 'description'
    | 'network'
    | 'contract'
    | 'tokenId'
    | 'amountType'
    | 'available'
    | 'imageUrl'
    | 'notSellableReason'
  > & {
    creator: PublicPerson
    card: Pick<NftDetails['nft']['card'], 'status' | 'amount' | 'price' | 'currency'>
  }
}

export const NftPage = (details: NftPageProps) => {
  const { nft, offers, attributes, link, content } = details
  const { network, contract, tokenId } = nft
  const { account, notice, texts, locale } = usePage()
  const { buy, cover, nfts: said, orders } = texts
  const hasArt = nft.imageUrl !== null
  const best = offers.find(({ shopUrl }) => shopUrl) ?? offers[0]
  return (
    <article class="nft">
      <div class="flow">
        <Cover nft={{ id: nft.id, hasArt }} size="page" />
        {!hasArt && <p class="hint">{details.coverHint ?? cover.drawn}</p>}
      </div>
      <div class="stack">
        {notice === 'reported' && <Notice>{said.report.reported}</Notice>}
        <h1>
          <bdi>{nft.title}</bdi>
        </h1>
        <p>
          {said.by(
            <a href={nft.card.status === 'released' ? creatorPath(nft.creator) : undefined}>
              <PersonName person={nft.creator} />
            </a>,
          )}
        </p>
        <p class="offer">
          {best ? <Price {...best} /> : <AskedPrice nft={nft} />}
          <span class="meta">
            <span>{editionOf(nft)}</span>
            <span>{stockOf(details)}</span>
          </span>
        </p>
        {best?.shopUrl && (
          <p class="actions">
            <LinkButton href={best.shopUrl} kind="primary" rel="nofollow noopener">
              <ShopName url={best.shopUrl} />
            </LinkButton>
          </p>
        )}
        {best && <p class="hint">{best.shopUrl ? buy.hint : <WithoutShop />}</p>}
        <ContentHint id={nft.id} {...content} />
        {nft.description && (
          <p class="description" dir="auto">
            {nft.description}
          </p>
        )}
        {link && (
          <a href={link} rel="nofollow noopener">
            {said.more(new URL(link).host)} <Icon name="external" size={12} />
          </a>
        )}
        <Section id="sale" title={said.sellers}>
          <Rows
            items={offers}
            empty={
              <>
                {said.nobodySells} <a href="/nfts?sale=on">{said.seeForSale}</a>
              </>
            }
            labelledby="sale"
            row={(offer) => (
              <li class="row">
                <PersonName person={offer.seller} />
                <Price {...offer} />
                {offer.shopUrl && (
                  <a href={offer.shopUrl} rel="nofollow noopener">
                    <ShopName url={offer.shopUrl} />
                  </a>
                )}
              </li>
            )}
          />
        </Section>
        {attributes.length > 0 && <h2>{said.attributes}</h2>}
        <Facts
          facts={attributes.map(([name, value]) => [
            name ?? said.value,
            value instanceof Date ? formatDate(value, locale) : value,
          ])}
        />
        <h2>{said.token}</h2>
        <Facts
          facts={[
            [said.collection, details.contractName],
            [orders.contract, <ExplorerLink network={network} kind="address" value={contract} />],
            [orders.tokenId, tokenId ?? said.notMinted],
            [orders.network, network],
          ]}
        />
        {account && account.id !== nft.creator.id && <ReportForm id={nft.id} />}
      </div>
    </article>
  )
}

const ReportForm = ({ id }: { id: number }) => {
  const { report } = usePage().texts.nfts
  const hasProblem = useProblem('text') !== undefined
  return (
    <details open={hasProblem}>
      <summary>{report.title}</summary>
      <form method="post" action={`/nfts/${id}/report`} class="flow">
        <p class="hint">{report.lead}</p>
        <Field
          name="text"
          label={report.text}
          rows={3}
          required
          maxlength={creatorLimits.report.max}
        />
        <p class="actions">
          <Submit>{report.submit}</Submit>
        </p>
      </form>
    </details>
  )
}

/** A seller has no public address, so the operator is asked. */
const WithoutShop = () => (
  <>
    {usePage().texts.buy.noShop} <SupportAddress />
  </>
)

/** Names the host in ASCII, so that no letter looks like another one. */
const ShopName = ({ url }: { url: string }) => (
  <span>
    {usePage().texts.buy.at(<bdi>{new URL(url).host}</bdi>)} <Icon name="external" size={12} />
  </span>
)

/** Whether and how many pieces can be bought. */
function stockOf({ nft: { available, amountType }, offers }: NftPageProps): string {
  const { texts, locale } = usePage()
  const { soldOut, notForSale, forSale, left } = texts.nfts
  if (available === 0) return soldOut
  if (offers.length === 0) return notForSale
  return available === null || amountType === 'unique'
    ? forSale
    : left(available, formatCount(available, locale))
}
