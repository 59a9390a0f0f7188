/** Lists of NFTs, and the page of one. */
import type { NftDetails, readNfts } from '../../marketplace/pages.ts'
import { Field, Hidden, LinkButton, Select, Submit } from '../components/forms.tsx'
import { Icon } from '../components/icon.tsx'
import { Facts, Pager, Rows, Section } from '../components/lists.tsx'
import {
  AskedPrice,
  Cover,
  creatorPath,
  editionOf,
  NftGrid,
  PersonName,
  UserPicture,
} from '../components/nfts.tsx'
import { usePage } from '../components/request.ts'
import { formatCount, pathWith, plural } from '../components/text.ts'
import { ExplorerLink, Price, Time } from '../components/values.tsx'

type NftsPage = Awaited<ReturnType<typeof readNfts>>

type Filters = {
  q?: string | undefined
  edition?: string | undefined
  sale?: 'on' | undefined
  sort?: 'title' | 'price' | undefined
  creator?: number | undefined
}

type ListProps = NftsPage & { filters: Filters }

export const NftList = ({ filters, creator, nfts, nextCursor }: ListProps) => (
  <div class="flow">
    <h1>NFTs</h1>
    <search>
      <form class="inline-form" action="/nfts">
        <Field
          name="q"
          label="Words of the title"
          type="search"
          maxlength={255}
          value={filters.q}
        />
        <Select
          name="edition"
          label="Edition"
          options={{ '': 'All', unique: 'Unique', limited: 'Limited', unlimited: 'Open edition' }}
          selected={filters.edition}
        />
        <Select
          name="sale"
          label="Show"
          options={{ '': 'All NFTs', on: 'For sale' }}
          selected={filters.sale}
        />
        <Select
          name="sort"
          label="Sort by"
          options={{ '': 'Newest', price: 'Lowest price', title: 'Title' }}
          selected={filters.sort}
        />
        <Hidden values={{ creator: filters.creator }} />
        <Submit>Search</Submit>
      </form>
    </search>
    {creator && (
      <p>
        By{' '}
        <a href={creatorPath(creator)}>
          <PersonName person={creator} />
        </a>{' '}
        · <a href={pathWith('/nfts', { ...filters, creator: undefined })}>All creators</a>
      </p>
    )}
    <h2 class="visually-hidden">Results</h2>
    <NftGrid
      nfts={nfts}
      isSelection={!usePage().isFirstPage || Object.values(filters).some(Boolean)}
    />
    <Pager
      noun="page"
      path="/nfts"
      query={filters}
      next={{ cursor: nextCursor }}
      isNewestFirst={false}
    />
  </div>
)

type CreatorProps = Omit<ListProps, 'filters'> & { creator: NonNullable<NftsPage['creator']> }

export const CreatorPage = ({ creator, nfts, nextCursor }: CreatorProps) => (
  <div class="flow">
    <div class="creator">
      <UserPicture user={creator} size={80} />
      <div>
        <h1>
          <PersonName person={creator} />
        </h1>
        <p class="meta">
          {creator.name && creator.username && <span>@{creator.username}</span>}
          <span>
            {plural(creator.nfts, 'NFT')}, the latest <Time at={creator.latestReleaseAt} />
          </span>
        </p>
      </div>
    </div>
    <h2>NFTs</h2>
    <NftGrid nfts={nfts} isSelection />
    <Pager
      noun="page"
      path={creatorPath(creator)}
      next={{ cursor: nextCursor }}
      isNewestFirst={false}
    />
    <p>
      <a href={`/nfts?creator=${creator.id}`}>Search in these NFTs</a>
    </p>
  </div>
)

export const NftPage = (details: NftDetails) => {
  const { nft, offers, attributes, link } = details
  const { network, contract, tokenId } = nft
  const { buy, cover } = usePage().texts
  const hasArt = nft.imageUrl !== null
  const best = offers.find(({ shopUrl }) => shopUrl) ?? offers[0]
  return (
    <article class="nft">
      <div class="flow">
        <Cover nft={{ id: nft.id, hasArt }} size="page" />
        {!hasArt && <p class="hint">{cover.drawn}</p>}
      </div>
      <div class="stack">
        <h1>
          <bdi>{nft.title}</bdi>
        </h1>
        <p>
          By{' '}
          <a href={nft.card.status === 'released' ? creatorPath(nft.creator) : undefined}>
            <PersonName person={nft.creator} />
          </a>
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
        {nft.description && (
          <p class="description" dir="auto">
            {nft.description}
          </p>
        )}
        {link && (
          <a href={link} rel="nofollow noopener">
            More at {new URL(link).host} <Icon name="external" size={12} />
          </a>
        )}
        <Section id="sale" title="Where it is sold">
          <Rows
            items={offers}
            empty={
              <>
                Nobody sells it at the moment. <a href="/nfts?sale=on">See what is for sale</a>
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
        {attributes.length > 0 && <h2>Attributes</h2>}
        <Facts facts={attributes} />
        <h2>Token</h2>
        <Facts
          facts={[
            ['Collection', details.contractName],
            ['Contract', <ExplorerLink network={network} kind="address" value={contract} />],
            ['Token id', tokenId ?? 'Not minted yet'],
            ['Network', network],
          ]}
        />
      </div>
    </article>
  )
}

/** A seller has no public address, so the operator is asked. */
const WithoutShop = () => {
  const { settings, texts } = usePage()
  const { SUPPORT_EMAIL: email } = settings
  return (
    <>
      {texts.buy.noShop} {email && <a href={`mailto:${email}`}>{email}</a>}
    </>
  )
}

/** Names the host in ASCII, so that no letter looks like another one. */
const ShopName = ({ url }: { url: string }) => (
  <span>
    {usePage().texts.buy.at(<bdi>{new URL(url).host}</bdi>)} <Icon name="external" size={12} />
  </span>
)

/** Whether and how many pieces can be bought. */
function stockOf({ nft: { available, amountType }, offers }: NftDetails): string {
  if (available === 0) return 'Sold out'
  if (offers.length === 0) return 'Not for sale'
  return available === null || amountType === 'unique'
    ? 'For sale'
    : `${formatCount(available)} left`
}
