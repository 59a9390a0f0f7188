/** The languages of pages and mails for buyers. */
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { de } from '../../src/texts/de.ts'
import { en, scriptTexts, type Translation } from '../../src/texts/en.ts'
import { es } from '../../src/texts/es.ts'
import { fr } from '../../src/texts/fr.ts'
import { it as italian } from '../../src/texts/it.ts'
import {
  acceptedLocale,
  setTextAssets,
  textLanguage,
  textLocale,
  textsOf,
  toLocale,
} from '../../src/texts/texts.ts'
import { flatten } from './flatten.ts'

const translations: [string, Translation][] = [
  ['de', de],
  ['fr', fr],
  ['es', es],
  ['it', italian],
]

const english = new Map(flatten(en))
const marksOf = (text: string) => [...text.matchAll(/⟨\d⟩|\{\w+\}/g)].map(([mark]) => mark).sort()

describe.each(translations)(
  'the texts in %s',
  (_, { scripts, reasons, problems, refusals, ...translation }) => {
    const texts = flatten(translation)

    it('are all there, and none is empty', () => {
      expect(texts.map(([path]) => path)).toEqual([...english.keys()])
      for (const [path, text] of [...texts, ...flatten({ scripts, reasons, problems, refusals })])
        expect(text.trim().length, path).toBeGreaterThan(0)
      expect(Object.keys(scripts)).toEqual([...scriptTexts])
    })

    it('name the same values as the English ones', () => {
      for (const [path, text] of texts)
        expect(marksOf(text), path).toEqual(marksOf(english.get(path) ?? ''))
      for (const [sentence, text] of Object.entries(scripts))
        expect(marksOf(text), sentence).toEqual(marksOf(sentence))
    })

    it('have no markup, because scripts and mails insert them', () => {
      for (const [path, text] of [...texts, ...flatten({ scripts, refusals })])
        expect(text, path).not.toMatch(/[<>&]/)
    })
  },
)

/** Calls what is loaded and what is written with the same values. Elements stand in arrays. */
function expectAlike(loaded: unknown, written: unknown, path = ''): void {
  if (typeof written === 'string') expect(loaded, path).toBe(written)
  else if (typeof written !== 'function') {
    expect(Object.keys(Object(loaded)), `${path}: run npm run prepare`).toEqual(
      Object.keys(Object(written)),
    )
    for (const [key, part] of Object.entries(Object(written)))
      expectAlike(Reflect.get(Object(loaded), key), part, `${path}/${key}`)
  } else
    for (const first of [0, 1, 2, 1000, 'ada', '⟨1⟩ $&', { element: 'bdi' }]) {
      const values = [first, 'b', { element: 'b' }, 'd', 'e'].slice(0, written.length)
      expect(Reflect.apply(loaded as never, null, values), path).toEqual(written(...values))
    }
}

it.each(translations)('in %s are loaded as they are written', async (language, translation) => {
  expectAlike(await textsOf(language), translation)
})

it('are English where they cannot be loaded, and are loaded later', async () => {
  vi.spyOn(console, 'error').mockImplementationOnce(() => {})
  setTextAssets({ fetch: async () => new Response(null, { status: 500 }) } as never)
  expect(await textsOf('it')).toBe(en)
  setTextAssets(env.ASSETS)
  expectAlike(await textsOf('it'), italian)
})

it('have in French a no-break space (U+00A0) where a sign stands apart from its word', () => {
  const wrong = /(?<!\u00a0)(?:[;?!»%]|:(?=\s|$))|«(?!\u00a0)|\u202f/
  for (const [path, text] of flatten(fr)) expect(text, path).not.toMatch(wrong)
})

it('call an e-mail in German always E-Mail', () => {
  for (const [path, text] of flatten(de)) expect(text, path).not.toMatch(/(?<!E-)\bMails?\b/)
})

/** Words that a language has from English. */
const same: Record<string, string[]> = {
  de: [
    ...['/layout/nfts', '/layout/api', '/settings/webhooks', '/wallets/label', '/content/code'],
    ...['/orders/wallet', '/nfts/count', '/nfts/count of one', '/nfts/token', '/profile/name'],
  ],
  fr: [
    ...['/layout/api', '/layout/questions', '/settings/sessions', '/settings/webhooks'],
    '/content/code',
    ...['/orders/transaction', '/collection/title', '/nfts/count of one', '/nfts/collection'],
  ],
  es: ['/layout/api', '/settings/webhooks', '/errors/label', '/nfts/count of one', '/nfts/token'],
  it: [
    ...['/layout/api', '/layout/privacy', '/settings/account', '/orders/wallet'],
    ...['/nfts/count of one', '/nfts/token'],
  ],
}

it.each(translations)(
  'translates all texts to %s but words that are the same',
  (language, texts) => {
    const equal = flatten(texts).flatMap(([path, text]) => (english.get(path) === text ? path : []))
    expect(equal).toEqual(same[language])
    for (const [sentence, text] of Object.entries(texts.scripts)) expect(text).not.toBe(sentence)
  },
)

it.each([
  ['de', 'de', 'de'],
  ['de-AT', 'de-AT', 'de'],
  ['DE_at', 'de-AT', 'de'],
  ['it-IT-u-nu-thai', 'it-IT', 'it'],
  ['pt-BR', 'en', 'en'],
  ['constructor', 'en', 'en'],
  ['', 'en', 'en'],
  ['x'.repeat(10_000), 'en', 'en'],
])('reads %s as %s, in the language %s', async (locale, read, language) => {
  expect(textLocale(locale)).toBe(read)
  expect(textLanguage(locale)).toBe(language)
  expect(await textsOf(locale)).toBe(await textsOf(language))
})

it.each([
  ['zh-hans-cn', 'zh-Hans-CN'],
  ['en-US-u-ca-buddhist-x-twain', 'en-US'],
  ['de-', null],
  ['german', 'german'],
  ['d', null],
  ['de\r\nBcc: a', null],
  [`de${'-abcde'.repeat(7)}`, null],
])('stores the tag %s as %s', (tag, locale) => {
  expect(toLocale(tag)).toBe(locale)
})

it.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de-AT'],
  ['ja,pt-BR;q=0.9,it;q=0.5,en;q=0.4', 'it'],
  ['de;q=0, es', 'es'],
  ['ja', undefined],
  ['', undefined],
  [undefined, undefined],
  [`de${'-'.repeat(10_000)},${'a,'.repeat(10_000)}fr`, 'fr'],
])('accepts of %s the locale %s', (header, locale) => {
  expect(acceptedLocale(header)).toBe(locale)
})
