const formats = new Map<string, Intl.NumberFormat>()

/** Returns a price such as `€10.00`. `currency` is a code of ISO 4217. */
export function money(cents: number, currency: string): string {
  // A code of another form would throw.
  if (!/^[A-Z]{3}$/.test(currency)) return `${(cents / 100).toFixed(2)} ${currency}`
  let format = formats.get(currency)
  if (!format) {
    format = new Intl.NumberFormat('en', { style: 'currency', currency })
    formats.set(currency, format)
  }
  return format.format(cents / 100)
}

/** Returns a number with separators, such as `1,000,000`. */
export const count = (value: number): string => value.toLocaleString('en')

/** Returns the number with its noun, such as `1 NFT` and `2 NFTs`. */
export const plural = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`
