/** URLs of shops in a catalogue, with names in braces that stand for the ids of a listing. */
import { inputText } from '../http/inputs.ts'

/** What the names stand for. `externalId`: the id of the listing in the catalogue. */
type ListingIds = { listingId: number; nftId: number; externalId: string }

const placeholder = /\{(listingId|nftId|externalId)\}/g

/** Returns the URL for a listing. The ids are encoded, so that they stay in the path or the query. */
export const fillShopUrl = (url: string, ids: ListingIds): string =>
  new URL(url.replace(placeholder, (_, name: keyof ListingIds) => encodeURIComponent(ids[name])))
    .href

/** Returns what is wrong with a text that begins with `https://`. */
function findProblem(text: string): string | undefined {
  const [authority = ''] = text.slice('https://'.length).split(/[/?#]/)
  // URL parsers read `\` as `/`, and drop line ends and tabs.
  if (/[\s\\]/.test(text)) return 'must not have blanks or backslashes'
  if (text.includes('#')) return 'must not have a fragment'
  if (authority.includes('@')) return 'must not contain credentials'
  if (/[{}]/.test(authority)) return 'may have braces only in the path and the query'
  if (/[{}]/.test(text.replace(placeholder, '')))
    return 'may have only {listingId}, {nftId} and {externalId} in braces'
  return URL.canParse(text) ? undefined : 'must be a URL'
}

/** The `shopUrl` of a record. URL parsers skip more slashes before the host, so there are two. */
export const ShopUrl = inputText(1000)
  .regex(/^https:\/\/[^/]/, { error: 'must be an https URL', abort: true })
  .superRefine((text, context) => {
    const problem = findProblem(text)
    if (problem) context.addIssue(problem)
  })
