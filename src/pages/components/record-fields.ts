/** The fields of records that people change on pages, as forms and as records have them. */
import { parseUnits } from 'viem/utils'
import * as z from 'zod'
import type { Fields } from '../../catalogue/change.ts'
import { minorDigits } from '../../catalogue/currency.ts'
import { inputText } from '../../http/inputs.ts'
import { checkbox, parseForm } from './forms.tsx'

export const listingFields = ['active', 'activeTill', 'amount', 'priceCents', 'priceEths']

/** The values are checked later, so that the page can show them again. */
const text = inputText(2000).default('')
/** `shown`: the fields of the record when the form was made, as JSON. */
export const PriceValues = z.object({
  priceCents: text,
  priceEths: text,
  shown: text,
  confirm: checkbox,
})
/** `perOrder`: what the record calls `amount`, as the pieces of an NFT. */
export const ListingValues = PriceValues.extend({
  perOrder: text,
  active: checkbox,
  activeTill: text,
})

/** Returns the currency that was entered. */
export const enterCurrency = ({ priceCurrency }: Fields): string =>
  String(priceCurrency).trim().toUpperCase()

/** A price as people write it, in minor units. */
export function priceIn(currency: string) {
  const digits = minorDigits(currency) ?? 2
  const example = digits > 0 ? `25.${'0'.repeat(digits)}` : '25'
  const fraction = digits > 0 ? `(\\.\\d{1,${digits}})?` : ''
  return z
    .string()
    .trim()
    .regex(new RegExp(`^\\d{1,12}${fraction}$`), `must be a price as in ${example}`)
    .transform((text) => Number(parseUnits(text, digits)))
}

/** A number of pieces, of at least `min` digits. */
const pieces = (min: 0 | 1) =>
  z
    .string()
    .trim()
    .regex(min === 0 ? /^([1-9]\d{0,14})?$/ : /^[1-9]\d{0,14}$/, 'must be a whole number of pieces')

/** Whether somebody says how many pieces an NFT has: a unique one has one, one with codes as many as those. */
export const hasEnteredAmount = ({ amountType, amount }: Fields): boolean =>
  amountType !== 'unique' && amount !== null

/** Returns the amount of an NFT that was entered, if one can be. */
export const enterAmount = (record: Fields, form: { amount: string }): Fields =>
  hasEnteredAmount(record) ? parseForm(z.object({ amount: pieces(1).transform(Number) }), form) : {}

/** Returns the fields of a listing that were entered. */
export function enterListing(record: Fields, form: z.output<typeof ListingValues>): Fields {
  const { priceCents, perOrder } = parseForm(
    z.object({
      priceCents: priceIn(String(record.priceCurrency)),
      perOrder: pieces(0).transform((text) => (text ? Number(text) : null)),
    }),
    form,
  )
  return {
    priceCents,
    priceEths: form.priceEths.trim(),
    amount: perOrder,
    active: form.active,
    activeTill: enterEnd(record, form),
  }
}

/** Returns the end of a listing that was entered: to the minute, unless it is what the form has shown. */
export const enterEnd = (record: Fields, { activeTill: text }: { activeTill: string }) =>
  text === toLocalTime(record.activeTill) ? record.activeTill : toTime(text)

/** Returns a time of a record as the field of a form has it, to the minute. */
export const toLocalTime = (time: unknown): string => (time ? String(time).slice(0, 16) : '')

const toTime = (text: string) => (text ? `${text.slice(0, 16)}:00.000Z` : null)
