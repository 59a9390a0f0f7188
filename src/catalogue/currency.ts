/** Currencies of ISO 4217. */
import { code as findCurrency } from 'currency-codes'
import * as z from 'zod'

// The list of the runtime lacks new ones, and has some that are gone.
/** Newer than the list, with its decimal digits: the guilder of Curaçao and Sint Maarten. */
const added: Readonly<Record<string, number>> = { XCG: 2 }

/** No currencies: none, and one for tests. And those that have ended since the list was made. */
const removed: readonly string[] = ['XXX', 'XTS', 'ANG', 'BGN', 'CUC']

/** Returns how many decimal digits the minor unit of a currency has; undefined for an unknown code. */
export const minorDigits = (code: string): number | undefined =>
  added[code] ?? findCurrency(code)?.digits

export const currencyCode = z
  .string()
  .regex(/^[A-Z]{3}$/, {
    error: 'must be three capital letters of ISO 4217, as in "EUR"',
    abort: true,
  })
  .refine(
    (code) => minorDigits(code) !== undefined && !removed.includes(code),
    'must be a currency of ISO 4217, as in "EUR"',
  )
