/** Lists of NFTs: all of them, and those of a creator. */
import type { readNfts } from '../../marketplace/cards.ts'
import { LinkButton, Submit } from '../components/button.tsx'
import { Field, Select } from '../components/field.tsx'
import { creatorPath, NftGrid, PersonName } from '../components/nfts.tsx'
import { plural } from '../components/numbers.ts'
import { UserPicture } from '../components/picture.tsx'
import { Time } from '../components/time.tsx'
import type { NftsQuery } from './query.ts'

type NftsPage = Awaited<ReturnType<typeof readNfts>>
type Filters = Omit<NftsQuery, 'cursor'>

/** JSON leaves out what is undefined. */
const pathOf = (path: string, filters: Filters & { cursor?: string }) =>
  `${path}?${new URLSearchParams(JSON.parse(JSON.stringify(filters)))}`.replace(/\?$/, '')

type PagesProps = { path: string; filters?: Filters; isFirst: boolean; next: string | null }

/** Links to the first and the next page. */
const Pages = ({ path, filters = {}, isFirst, next }: PagesProps) => (
  <p class="actions">
    {!isFirst && <LinkButton href={pathOf(path, filters)}>First page</LinkButton>}
    {next && <LinkButton href={pathOf(path, { ...filters, cursor: next })}>Next page</LinkButton>}
  </p>
)

type ListProps = NftsPage & { filters: Filters; isFirst: boolean }

/** All NFTs, or those that the filters select. */
export const NftList = ({ filters, isFirst, creator, nfts, nextCursor }: ListProps) => (
  <div class="flow">
    <h1>NFTs</h1>
    <search>
      <form class="inline-form" action="/nfts">
        <Field name="q" label="Title begins with" type="search" maxlength={255} value={filters.q} />
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
        {filters.creator && <input type="hidden" name="creator" value={filters.creator} />}
        <Submit>Search</Submit>
      </form>
    </search>
    {creator && (
      <p>
        By{' '}
        <a href={creatorPath(creator)}>
          <PersonName person={creator} />
        </a>{' '}
        · <a href={pathOf('/nfts', { ...filters, creator: undefined })}>All creators</a>
      </p>
    )}
    <h2 class="visually-hidden">Results</h2>
    <NftGrid nfts={nfts} isSelection={!isFirst || Object.values(filters).some(Boolean)} />
    <Pages path="/nfts" filters={filters} isFirst={isFirst} next={nextCursor} />
  </div>
)

type CreatorProps = Omit<ListProps, 'filters'> & { creator: NonNullable<NftsPage['creator']> }

/** A creator with what was released. */
export const CreatorPage = ({ creator, isFirst, nfts, nextCursor }: CreatorProps) => (
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
    <Pages path={creatorPath(creator)} isFirst={isFirst} next={nextCursor} />
    <p>
      <a href={`/nfts?creator=${creator.id}`}>Search in these NFTs</a>
    </p>
  </div>
)
