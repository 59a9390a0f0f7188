/** The pages of an NFT and of a listing, on which operators change them. */
import type { Context } from 'hono'
import * as z from 'zod'
import { changeRecords, type Fields } from '../../catalogue/change.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { idText } from '../../http/inputs.ts'
import { handleForm } from '../../pages/components/forms.tsx'
import { sent, shown } from '../../pages/page.tsx'
import { adminPage } from '../components/layout.tsx'
import { enterListingWithShop, enterNft, ListingValuesWithShop, NftValues } from './fields.ts'
import { ListingRecord, readListingDetails } from './listing-page.tsx'
import { NftRecord, readNftDetails } from './nft-page.tsx'

const Id = z.object({ id: idText })

type Props = { param: { id: number } }

async function nftPage(c: Context<AppWithCaller>, { param }: Props) {
  const { account, ...found } = await readNftDetails(c.var, param.id)
  return adminPage(c, { title: `NFT ${param.id}`, account }, <NftRecord {...found} />)
}

async function listingPage(c: Context<AppWithCaller>, { param }: Props) {
  const { account, ...found } = await readListingDetails(c.var, param.id)
  return adminPage(c, { title: `Listing ${param.id}`, account }, <ListingRecord {...found} />)
}

/** What a form has of every record. */
type Question = { shown: string; confirm: boolean }

/** Changes a record as the form says, and leads back to its page. */
async function change(
  c: Context<AppWithCaller>,
  { type, id }: { type: 'nft' | 'listing'; id: number },
  { shown, confirm: isConfirmed }: Question,
  enter: (record: Fields) => Fields,
) {
  await changeRecords(c.var, [{ type, id, owner: null, enter, shown }], { isConfirmed })
  return c.redirect(`/operations/${type}s/${id}?notice=changed`, 303)
}

export const recordRoutes = new Endpoints()
  .get('/operations/nfts/:id', shown.administrator({ param: Id }), nftPage)
  .post(
    '/operations/nfts/:id',
    sent.administrator({ param: Id, form: NftValues }),
    handleForm(
      nftPage,
      'shown',
      (c, { param: { id }, form }: Props & { form: z.output<typeof NftValues> }) =>
        change(c, { type: 'nft', id }, form, (record) => enterNft(record, form)),
    ),
  )
  .get('/operations/listings/:id', shown.administrator({ param: Id }), listingPage)
  .post(
    '/operations/listings/:id',
    sent.administrator({ param: Id, form: ListingValuesWithShop }),
    handleForm(
      listingPage,
      'shown',
      (c, { param: { id }, form }: Props & { form: z.output<typeof ListingValuesWithShop> }) =>
        change(c, { type: 'listing', id }, form, (record) => enterListingWithShop(record, form)),
    ),
  )
