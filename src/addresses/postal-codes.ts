/**
 * ISO 3166-1 codes of countries that have no postal codes, or whose addresses are written without: those whose
 * address format in libaddressinput (https://github.com/google/libaddressinput) has none.
 */
const WITHOUT =
  'AE AG AO AQ AW BF BI BJ BO BQ BS BV BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GA GD GH GM GQ GY HK JM KI KM ' +
  'KN LC LY ML MO MR MS MW NR NU PA PS QA RW SB SC SL SR SS ST SX SY TD TF TG TK TL TO TV UG VU WS YE ZW'
const codes = new Set(WITHOUT.split(' '))

/** Whether an address in a country needs a postal code. Only codes are known to need none. */
export const needsPostalCode = (country: string): boolean => !codes.has(country.toUpperCase())
