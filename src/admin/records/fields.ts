/** The fields of records that only operators change, as forms and as records have them. */
import * as z from 'zod'
import type { Fields } from '../../catalogue/change.ts'
import { orderableStatuses, otherStatuses } from '../../db/schema/catalogue.ts'
import { inputText } from '../../http/inputs.ts'
import { parseForm } from '../../pages/components/forms.tsx'
import {
  enterAmount,
  enterListing,
  ListingValues,
  listingFields,
  PriceValues,
  priceIn,
} from '../../pages/components/record-fields.ts'

export const nftFields = ['amount', 'priceCents', 'priceEths', 'status']
export const listingFieldsWithShop = [...listingFields, 'shopUrl']

const text = inputText(2000).default('')
export const NftValues = PriceValues.extend({ amount: text, status: text })
export const ListingValuesWithShop = ListingValues.extend({ shopUrl: text })

const status = z.enum([...orderableStatuses, ...otherStatuses])

/** Returns the fields of an NFT that were entered. */
export function enterNft(record: Fields, form: z.output<typeof NftValues>): Fields {
  const entered = parseForm(
    z.object({ priceCents: priceIn(String(record.priceCurrency)), status }),
    form,
  )
  const { amount } = record
  return { amount, ...enterAmount(record, form), ...entered, priceEths: form.priceEths.trim() }
}

/** Returns the fields of a listing that were entered, with where it is bought. */
export const enterListingWithShop = (
  record: Fields,
  form: z.output<typeof ListingValuesWithShop>,
): Fields => ({
  ...enterListing(record, form),
  shopUrl: form.shopUrl.trim() || null,
})
