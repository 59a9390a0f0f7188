/** Lists of NFTs: all of them, and those of a creator. */
import type { readNfts } from '../../marketplace/cards.ts'
import { Submit } from '../components/button.tsx'
import { Field, Select } from '../components/field.tsx'
import { Pager, pathWith } from '../components/navigation.tsx'
import { creatorPath, NftGrid, PersonName } from '../components/nfts.tsx'
import { plural } from '../components/numbers.ts'
import { UserPicture } from '../components/picture.tsx'
import { Time } from '../components/time.tsx'
import type { NftsQuery } from './query.ts'

type NftsPage = Awaited<ReturnType<typeof readNfts>>
type Filters = Omit<NftsQuery, 'cursor'>

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
        · <a href={pathWith('/nfts', { ...filters, creator: undefined })}>All creators</a>
      </p>
    )}
    <h2 class="visually-hidden">Results</h2>
    <NftGrid nfts={nfts} isSelection={!isFirst || Object.values(filters).some(Boolean)} />
    <Pager
      noun="page"
      to={(page) => pathWith('/nfts', { ...filters, ...page })}
      isFirstPage={isFirst}
      next={nextCursor !== null && { cursor: nextCursor }}
      isNewestFirst={false}
    />
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
    <Pager
      noun="page"
      to={(page) => pathWith(creatorPath(creator), { ...page })}
      isFirstPage={isFirst}
      next={nextCursor !== null && { cursor: nextCursor }}
      isNewestFirst={false}
    />
    <p>
      <a href={`/nfts?creator=${creator.id}`}>Search in these NFTs</a>
    </p>
  </div>
)
