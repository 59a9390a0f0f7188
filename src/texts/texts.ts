/** The languages of pages and mails for buyers, and which of them somebody reads. */
import { parseAccept } from 'hono/utils/accept'
import { en, type Texts, type Translation } from './en.ts'

/** Loaded when somebody reads them. */
const translations: Record<string, (() => Promise<Translation>) | undefined> = {
  de: async () => (await import('./de.ts')).de,
  fr: async () => (await import('./fr.ts')).fr,
  es: async () => (await import('./es.ts')).es,
  it: async () => (await import('./it.ts')).it,
}

/** The names of the languages in themselves, by ISO 639-1. */
export const languages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
}

/** The language of texts when nothing is known of a reader, and of a locale that has none. */
export const DEFAULT_LOCALE = 'en'

/** Characters of a language tag, for which RFC 5646 recommends to have room. */
const MAX_LOCALE = 35

/**
 * Returns a language tag (BCP 47), or a locale as POSIX writes it (`de_DE.UTF-8`), as a canonical tag without
 * extensions; null if it is neither.
 */
export function toLocale(text: string): string | null {
  if (text.length > MAX_LOCALE) return null
  try {
    return new Intl.Locale(text.replace(/[.@].*/s, '').replaceAll('_', '-')).baseName
  } catch {
    return null
  }
}

/** Returns the locale if there are texts in its language, or else the default. */
export function textLocale(locale: string): string {
  const canonical = toLocale(locale)
  return canonical && hasTexts(canonical) ? canonical : DEFAULT_LOCALE
}

const languageOf = (locale: string) => locale.replace(/-.*/, '')
const hasTexts = (locale: string) => Object.hasOwn(languages, languageOf(locale))

/** Returns the texts in the language of a locale, in English if there are none. */
export const textsOf = async (locale: string): Promise<Texts> =>
  (await translations[languageOf(textLocale(locale))]?.()) ?? en

/** Returns the first locale of the header `Accept-Language` in whose language there are texts. */
export const acceptedLocale = (header: string | undefined): string | undefined =>
  parseAccept(header ?? '')
    .filter(({ q }) => q > 0)
    .map(({ type }) => toLocale(type))
    .find((locale) => locale !== null && hasTexts(locale)) ?? undefined

/** Returns the language of the texts of a locale, for `lang` of HTML. */
export const textLanguage = (locale: string): string => languageOf(textLocale(locale))
