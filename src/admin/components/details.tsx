/** What the pages of single rows share. */
import type { Child } from 'hono/jsx'
import { ApiError } from '../../http/errors.ts'
import { Rows } from '../../pages/components/lists.tsx'
import { AdminLayout, FactPanel } from './layout.tsx'
import { type FoundListing, ListingEntry } from './listings.tsx'

export function requireFound<Row>([row]: readonly Row[]): Row {
  if (!row) throw new ApiError('not_found', 'there is nothing with this id')
  return row
}

type DetailsProps = {
  title: Child
  /** What the previous page has done. */
  notice?: Child
  facts: [name: string, value: Child][]
  children: Child
}

export const Details = ({ title, notice, facts, children }: DetailsProps) => (
  <AdminLayout notice={notice}>
    <h1>{title}</h1>
    <FactPanel facts={facts} />
    {children}
  </AdminLayout>
)

export const Listings = ({ listings }: { listings: FoundListing[] }) => (
  <Rows
    items={listings}
    empty="There are no listings."
    row={(listing) => (
      <li class="row">
        <div>{ListingEntry(listing)}</div>
      </li>
    )}
  />
)
