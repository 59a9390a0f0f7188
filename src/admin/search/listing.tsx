import { Meta } from '../../pages/components/lists.tsx'
import { money } from '../../pages/components/text.ts'
import { PageLink } from '../layout.tsx'
import type { FoundListing } from './search.ts'

/** A listing, as a row shows it. */
export const Listing = ({ id, title, nftId, sellerId, ...listing }: FoundListing) => (
  <>
    <h3>
      Listing {id}: <bdi>{title}</bdi>
    </h3>
    <Meta
      facts={[
        money(listing.priceCents, listing.priceCurrency),
        !listing.active && 'not active',
        <PageLink to="nfts" id={nftId} />,
        ['Seller: ', <PageLink to="users" id={sellerId} />],
      ]}
    />
  </>
)
