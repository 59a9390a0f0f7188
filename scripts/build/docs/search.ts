/** What the search of `/docs` finds: sections of guides, codes of errors, and endpoints. */
import { textOf } from '../../../src/pages/docs/text-of.ts'
import type { Section } from './reference.tsx'

export type Page = { path: string; title: string; html: string; section?: Section }

export type SearchEntry = {
  title: string
  /** Where it is, for people: `Webhooks`, or `POST /api/externalOrders`. */
  place: string
  path: string
  /** The other words of its text, lower case, each once. */
  words: string
}

/** Returns what a page has to be found. */
export function searchEntries({ path, title, html, section }: Page): SearchEntry[] {
  if (section)
    return section.operations.map((operation) => ({
      title: operation.title,
      place: operation.place,
      path: `${path}#${operation.id}`,
      words: wordsOf(operation.text),
    }))
  const [intro = '', ...parts] = html.split(/(?=<h2 id=)/)
  const sections = parts.flatMap((part) => {
    const [, id = '', heading = ''] = /<h2 id="(.*?)">(.*?)<\/h2>/.exec(part) ?? []
    const section = textOf(heading)
    const programs = part.match(/(?<=<label for="[^"]*">).*?(?=<\/label>)/g) ?? []
    return [
      { title: section, place: title, path: `${path}#${id}`, words: wordsOf(part) },
      // Who looks for a language wants its programs.
      ...programs.map((language) => ({
        title: language,
        place: `${title} · ${section}`,
        path: `${path}#${id}`,
        words: '',
      })),
      // A word such as `failed` has a row in several tables.
      ...[...part.matchAll(/<tr id="(.*?)">(.*?)<\/tr>/gs)].map(([, id = '', row = '']) => ({
        title: id,
        place: `${title} · ${section}`,
        path: `${path}#${id}`,
        words: wordsOf(row),
      })),
    ]
  })
  return [{ title, place: 'Guide', path, words: wordsOf(intro) }, ...sections]
}

/** Programs and examples are not searched. */
const wordsOf = (html: string): string =>
  [
    ...new Set(
      textOf(html.replace(/<pre.*?<\/pre>/gs, ' '), ' ')
        .toLowerCase()
        .match(/[\w./-]*\w/g),
    ),
  ].join(' ')
