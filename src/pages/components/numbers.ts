import type { Paid } from '../../db/schema/orders.ts'
import { minorDigits } from '../../http/currencies.ts'

/** Returns a price such as `€10.00`. `amount` is in minor units, `currency` a code of ISO 4217. */
export function money(amount: number, currency: string): string {
  // `Intl` has the digits of CLDR, which differ for currencies such as HUF, IDR and RSD.
  const digits = minorDigits(currency) ?? 2
  const value = amount / 10 ** digits
  // A code of another form would throw.
  if (!/^[A-Z]{3}$/.test(currency)) return `${value.toFixed(digits)} ${currency}`
  return value.toLocaleString('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}

/** Says what a customer has paid. */
export const describePaid = ({ currency, ...paid }: Paid): string =>
  [
    money(paid.grossCents, currency),
    paid.taxCents !== null && `with ${money(paid.taxCents, currency)} of tax`,
    paid.discountCents !== null && `after a discount of ${money(paid.discountCents, currency)}`,
    paid.invoiceNumber !== null && `invoice ${paid.invoiceNumber}`,
  ]
    .filter((part) => part !== false)
    .join(', ')

/** Returns a number with separators, such as `1,000,000`. */
export const count = (value: number): string => value.toLocaleString('en')

/** Returns the number with its noun, such as `1 NFT` and `2 NFTs`. */
export const plural = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`
