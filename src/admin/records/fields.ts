/** The fields of records that operators change on pages, as forms and as records have them. */
import { parseUnits } from 'viem/utils'
import * as z from 'zod'
import type { Fields } from '../../catalogue/change.ts'
import { minorDigits } from '../../catalogue/currency.ts'
import { parseExactly } from '../../catalogue/json.ts'
import { orderableStatuses } from '../../db/schema/catalogue.ts'
import { inputText } from '../../http/inputs.ts'
import { checkbox, parseForm } from '../../pages/components/forms.tsx'

export const nftFields = ['amount', 'priceCents', 'priceEths', 'status']
export const listingFields = [
  'active',
  'activeTill',
  'amount',
  'priceCents',
  'priceEths',
  'shopUrl',
]

/** The record of a row of `selectRecord`, if there is one. */
export const parseRecord = ([row]: readonly { record: string }[]): Fields =>
  Object(parseExactly(row?.record ?? '{}'))

/** The values are checked later, so that the page can show them again. */
const text = inputText(2000).default('')
const prices = { priceCents: text, priceEths: text, amount: text }
/** `shown`: the fields of the record when the form was made, as JSON. */
const question = { shown: text, confirm: checkbox }
export const NftValues = z.object({ ...prices, status: text, ...question })
export const ListingValues = z.object({
  ...prices,
  active: checkbox,
  activeTill: text,
  shopUrl: text,
  ...question,
})

/** A number of pieces, of at least `min` digits. */
const pieces = (min: 0 | 1) =>
  z
    .string()
    .trim()
    .regex(min === 0 ? /^([1-9]\d{0,14})?$/ : /^[1-9]\d{0,14}$/, 'must be a whole number of pieces')

/** A price as people write it, in minor units. */
function priceIn(currency: string) {
  const digits = minorDigits(currency) ?? 2
  const example = digits > 0 ? `25.${'0'.repeat(digits)}` : '25'
  const fraction = digits > 0 ? `(\\.\\d{1,${digits}})?` : ''
  return z
    .string()
    .trim()
    .regex(new RegExp(`^\\d{1,12}${fraction}$`), `must be a price as in ${example}`)
    .transform((text) => Number(parseUnits(text, digits)))
}

const status = z.enum([...orderableStatuses, 'draft'])

/** Whether somebody says how many pieces an NFT has: a unique one has one, one with codes as many as those. */
export const hasEnteredAmount = ({ amountType, amount }: Fields): boolean =>
  amountType !== 'unique' && amount !== null

/** Returns the fields of an NFT that were entered. */
export function enterNft(record: Fields, form: z.output<typeof NftValues>): Fields {
  const entered = parseForm(
    z.object({ priceCents: priceIn(String(record.priceCurrency)), status }),
    form,
  )
  const amount = hasEnteredAmount(record)
    ? parseForm(z.object({ amount: pieces(1).transform(Number) }), form).amount
    : record.amount
  return { ...entered, priceEths: form.priceEths.trim(), amount }
}

/** Returns the fields of a listing that were entered. */
export function enterListing(record: Fields, form: z.output<typeof ListingValues>): Fields {
  const { priceCents, amount } = parseForm(
    z.object({
      priceCents: priceIn(String(record.priceCurrency)),
      amount: pieces(0).transform((text) => (text ? Number(text) : null)),
    }),
    form,
  )
  return {
    priceCents,
    priceEths: form.priceEths.trim(),
    amount,
    active: form.active,
    activeTill:
      form.activeTill === toLocalTime(record.activeTill)
        ? record.activeTill
        : toTime(form.activeTill),
    shopUrl: form.shopUrl.trim() || null,
  }
}

/** Returns a time of a record as the field of a form has it, to the minute. */
export const toLocalTime = (time: unknown): string => (time ? String(time).slice(0, 16) : '')

const toTime = (text: string) => (text ? `${text.slice(0, 16)}:00.000Z` : null)
