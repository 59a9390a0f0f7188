/** Listings, as searches and the pages of users and NFTs show them. */
import type { SQL } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { raw } from '../../db/statements.ts'
import { Meta } from '../../pages/components/lists.tsx'
import { formatMoney } from '../../pages/components/text.ts'
import { PageLink } from './layout.tsx'

/** The newest orders of a user, and rows that begin alike. */
export const LIMIT = 20

export type FoundListing = Record<'id' | 'nftId' | 'sellerId' | 'priceCents', number> & {
  title: string
  priceCurrency: string
  active: 0 | 1
}

/** Selects the newest listings by a condition on the listing `l`. */
export const selectFoundListings = (db: Database, condition: SQL) =>
  raw<FoundListing>(db)`
    SELECT l.id, n.title, l.nftId, l.sellerId, l.priceCents, l.priceCurrency, l.active
    FROM listings l JOIN nfts n ON n.id = l.nftId
    WHERE ${condition} ORDER BY l.id DESC LIMIT ${LIMIT}`

export const ListingEntry = ({ id, title, nftId, sellerId, ...listing }: FoundListing) => (
  <>
    <h3>
      Listing {id}: <bdi>{title}</bdi>
    </h3>
    <Meta
      facts={[
        formatMoney(listing.priceCents, listing.priceCurrency),
        !listing.active && 'not active',
        <PageLink to="nfts" id={nftId} />,
        ['Seller: ', <PageLink to="users" id={sellerId} />],
      ]}
    />
  </>
)
