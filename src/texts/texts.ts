/** The languages of pages and mails for buyers, and which of them somebody reads. */
import { parseAccept } from 'hono/utils/accept'
import { log } from '../log.ts'
import { en, type Texts } from './en.ts'
import { fromTemplates } from './templates.ts'

let assets: Fetcher | undefined
/** Translations that were loaded, by language. */
const loaded = new Map<string, Texts>()

/** Sets where translations are loaded from: they are static files, which `npm run prepare` writes. */
export function setTextAssets(given: Fetcher): void {
  assets = given
  loaded.clear()
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

/** Returns the texts in the language of a locale, in English if there are none, or they cannot be loaded. */
export async function textsOf(locale: string): Promise<Texts> {
  const language = languageOf(textLocale(locale))
  if (language === DEFAULT_LOCALE) return en
  const known = loaded.get(language)
  if (known) return known
  try {
    const response = await assets?.fetch(`https://assets.local/texts/${language}.json`)
    if (!response?.ok) throw new Error(`the assets binding answered ${response?.status}`)
    const texts = fromTemplates(await response.json()) as Texts
    loaded.set(language, texts)
    return texts
  } catch (error) {
    log.error('texts_not_loaded', { language, error })
    return en
  }
}

/** Returns the first locale of the header `Accept-Language` in whose language there are texts. */
export const acceptedLocale = (header: string | undefined): string | undefined =>
  parseAccept(header ?? '')
    .filter(({ q }) => q > 0)
    .map(({ type }) => toLocale(type))
    .find((locale) => locale !== null && hasTexts(locale)) ?? undefined

/** Returns the language of the texts of a locale, for `lang` of HTML. */
export const textLanguage = (locale: string): string => languageOf(textLocale(locale))
