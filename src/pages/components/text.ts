/** Texts of numbers, names, messages and paths. */
import type { Account } from '../../auth/session.ts'
import { minorDigits } from '../../catalogue/currency.ts'
import type { ErrorCode } from '../../http/errors.ts'
import type { Texts } from '../../texts/en.ts'

/** Returns a price such as `€10.00`. `amount` is in minor units, `currency` a code of ISO 4217. */
export function formatMoney(amount: number, currency: string, locale = 'en'): string {
  // `Intl` has the digits of CLDR, which differ for currencies such as HUF, IDR and RSD.
  const digits = minorDigits(currency) ?? 2
  // Decimal text, because a quotient of large amounts is not exact.
  const exact = `${amount}E-${digits}` as `${number}`
  // `Intl` throws at a code of another form.
  const isCode = /^[A-Z]{3}$/.test(currency)
  const text = new Intl.NumberFormat(locale, {
    ...(isCode && { style: 'currency', currency }),
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(exact)
  return isCode ? text : `${text} ${currency}`
}

/** Returns a price for programs, such as `1234.50`. */
export function decimalPrice(amount: number, currency: string): string {
  const digits = minorDigits(currency) ?? 2
  return new Intl.NumberFormat('en', {
    useGrouping: false,
    minimumFractionDigits: digits,
  }).format(`${amount}E-${digits}` as `${number}`)
}

/** Returns a number with separators, such as `1,000,000`. */
export const formatCount = (value: number, locale = 'en'): string => value.toLocaleString(locale)

const units = [
  ['gigabyte', 1024 ** 3],
  ['megabyte', 1024 ** 2],
  ['kilobyte', 1024],
  ['byte', 1],
] as const

/** Returns a number of bytes such as `3.2 MB`. */
export function formatSize(bytes: number, locale = 'en'): string {
  const [unit, size] = units.find(([, size]) => bytes >= size) ?? units[3]
  const options = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const
  return (bytes / size).toLocaleString(locale, options)
}

/** Returns the number with its noun, such as `1 NFT` and `2 NFTs`. */
export const plural = (value: number, noun: string): string =>
  `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`

type Identity = Pick<Account, 'email' | 'ethereumPublicAddr'>

/** Returns the e-mail address of an account, or else its shortened wallet address. */
export const contactName = ({ email, ethereumPublicAddr }: Identity): string =>
  email || shortAddress(ethereumPublicAddr)

/** Returns the name that a user has chosen, or else the identity. */
export const displayName = (user: Identity & Pick<Account, 'name' | 'username'>): string =>
  user.name || user.username || contactName(user)

/** Returns the beginning and the end of an address or a hash. */
export const shortAddress = (hex: string): string => `${hex.slice(0, 6)}…${hex.slice(-4)}`

/** Messages of the API have no capital letter and no full stop. */
export const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** Returns why something was refused: in English what the API says, in other languages by the code of the error. */
export function refusalText(
  { refusals }: Texts,
  { code, message }: { code: ErrorCode; message: string },
): string | undefined {
  if (!refusals) return sentence(message)
  const known: Partial<Record<ErrorCode, string>> = refusals
  return known[code]
}

/** Returns the path of the page of what a user lists by this `ref`. */
export const pathOfRef = (ref: string): string => `/create/${encodeURIComponent(ref)}`

export type Query = Record<string, string | number | boolean | null | undefined>

/** Returns a path, which may end with a fragment, with the fields of a query that are not empty. */
export function pathWith(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value ? [[name, String(value)]] : [],
  )
  return given.length > 0 ? path.replace(/(?=#|$)/, `?${new URLSearchParams(given)}`) : path
}
