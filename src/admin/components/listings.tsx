/** Listings, as searches, lists and the pages of users and NFTs show them. */
import type { SQL } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { type ListingReason, whyNoOrdersSql } from '../../db/sale.ts'
import { raw } from '../../db/statements.ts'
import { Meta } from '../../pages/components/lists.tsx'
import { formatMoney } from '../../pages/components/text.ts'
import { Time } from '../../pages/components/values.tsx'
import { LIMIT, PageLink, UserLink } from './layout.tsx'
import { nameSql } from './people.tsx'

export type FoundListing = Record<'id' | 'nftId' | 'sellerId' | 'priceCents', number> &
  Record<'title' | 'priceCurrency' | 'createdAt', string> & {
    sellerName: string | null
    /** Why it takes no orders. */
    reason: ListingReason | null
  }

type Ctx = { db: Database; now: Date }

/** Selects the newest listings by a condition on the listing `l` and its NFT `n`. */
export const selectFoundListings = ({ db, now }: Ctx, condition: SQL, limit = LIMIT) =>
  raw<FoundListing>(db)`
    SELECT l.id, n.title, l.nftId, l.sellerId, ${nameSql('s')} AS sellerName, l.priceCents, l.priceCurrency,
      l.createdAt, ${whyNoOrdersSql('l', now.toISOString())} AS reason
    FROM listings l JOIN nfts n ON n.id = l.nftId LEFT JOIN users s ON s.id = l.sellerId
    WHERE ${condition} ORDER BY l.id DESC LIMIT ${limit}`

export const ListingEntry = ({ id, title, nftId, sellerId, ...listing }: FoundListing) => (
  <>
    <h3>
      <PageLink to="listings" id={id} />: <bdi>{title}</bdi>
    </h3>
    <Meta
      facts={[
        formatMoney(listing.priceCents, listing.priceCurrency),
        listing.reason?.replaceAll('_', ' '),
        <PageLink to="nfts" id={nftId} />,
        ['Seller: ', <UserLink id={sellerId} name={listing.sellerName} />],
        ['Added ', <Time at={listing.createdAt} />],
      ]}
    />
  </>
)
