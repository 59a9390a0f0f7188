/** The page of a listing. */
import { eq, sql } from 'drizzle-orm'
import { readAsUser } from '../../auth/session.ts'
import { parseRecord, selectRecord } from '../../catalogue/change.ts'
import { listings } from '../../db/schema/catalogue.ts'
import type { Ctx } from '../../http/context.ts'
import { type Found, usePage } from '../../pages/components/request.ts'
import { formatMoney } from '../../pages/components/text.ts'
import { Time } from '../../pages/components/values.tsx'
import { Details, requireFound } from '../components/details.tsx'
import { PageLink, UserLink } from '../components/layout.tsx'
import { selectFoundListings } from '../components/listings.tsx'
import { ListingForm } from './forms.tsx'

export async function readListingDetails(ctx: Ctx, id: number) {
  const { listing, found, records, ...others } = await readAsUser(ctx, {
    listing: ctx.db.select().from(listings).where(eq(listings.id, id)),
    found: selectFoundListings(ctx, sql`l.id = ${id}`),
    records: selectRecord(ctx, { type: 'listing', id, owner: null }),
  })
  return {
    listing: { ...requireFound(listing), ...requireFound(found) },
    record: parseRecord(requireFound(records).record),
    ...others,
  }
}

export const ListingRecord = ({ listing, record }: Found<typeof readListingDetails>) => (
  <Details
    notice={usePage().notice === 'changed' && 'The listing is changed.'}
    title={[`Listing ${listing.id}: `, <bdi>{listing.title}</bdi>]}
    facts={[
      ['Id in the catalogue', listing.externalId],
      ['NFT', <PageLink to="nfts" id={listing.nftId} />],
      ['Seller', <UserLink id={listing.sellerId} name={listing.sellerName} />],
      ['Price', formatMoney(listing.priceCents, listing.priceCurrency)],
      ['Sold', listing.reason ? `no: ${listing.reason.replaceAll('_', ' ')}` : 'yes'],
      ['Since', listing.obstacleSince && <Time at={listing.obstacleSince} />],
      ['Added', <Time at={listing.createdAt} />],
    ]}
  >
    <ListingForm id={listing.id} record={record} />
  </Details>
)
