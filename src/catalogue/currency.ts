/** Currencies of ISO 4217. */
import * as z from 'zod'

/**
 * The codes of ISO 4217 by the decimal digits of their minor units, without those that are no currency (XXX,
 * XTS). The list of the runtime lacks new ones, and has some that are gone.
 */
const codes: Readonly<Record<number, string>> = {
  0: `
    BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XAG XAU XBA XBB XBC XBD XDR XOF XPD
    XPF XPT XSU XUA`,
  2: `
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF
    CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD
    GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL
    MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR
    PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP
    TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: `BHD IQD JOD KWD LYD OMR TND`,
  4: `CLF UYW`,
}

const digitsByCode = new Map(
  Object.entries(codes).flatMap(([digits, list]) =>
    list
      .trim()
      .split(/\s+/)
      .map((code) => [code, Number(digits)] as const),
  ),
)

/** Returns how many decimal digits the minor unit of a currency has; undefined for an unknown code. */
export const minorDigits = (code: string): number | undefined => digitsByCode.get(code)

export const currencyCode = z
  .string()
  .regex(/^[A-Z]{3}$/, {
    error: 'must be three capital letters of ISO 4217, as in "EUR"',
    abort: true,
  })
  .refine((code) => digitsByCode.has(code), 'must be a currency of ISO 4217, as in "EUR"')
