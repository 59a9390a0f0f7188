/** Where the metadata of a token is, from the URI that its contract returns. */
import { MetadataError } from './problem.ts'

/** The servers that serve `ipfs://` (at `/ipfs/`) and `ar://`. */
export type Gateways = { ipfs: string; arweave: string }

export const defaultGateways: Gateways = { ipfs: 'https://ipfs.io', arweave: 'https://arweave.net' }

/** What the URLs of the gateways begin with. */
export const prefixesOf = ({ ipfs, arweave }: Gateways) => ({
  ipfs: `${ipfs.replace(/\/+$/, '')}/ipfs/`,
  arweave: `${arweave.replace(/\/+$/, '')}/`,
})

/** The metadata itself, or the URL to get it from. */
export type Source = { texts: string[] } | { url: string }

/** A CID without a scheme: some contracts return it. */
const CID = /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58,})(\/|$)/

/** Throws `MetadataError` if it is no URI, or one of another kind. */
export function sourceOf(uri: string, gateways: Gateways): Source {
  const text = uri.trim()
  if (text === '')
    throw new MetadataError('uri_missing', 'the contract returned no URI for the token')
  if (/^data:/i.test(text)) return { texts: dataOf(text) }
  const [, scheme = CID.test(text) ? 'ipfs' : '', path = text] =
    /^(\w+):\/\/(.*)$/s.exec(text) ?? []
  switch (scheme.toLowerCase()) {
    case 'http':
    case 'https':
      return { url: text }
    case 'ipfs':
      return { url: join(prefixesOf(gateways).ipfs, path.replace(/^ipfs\//, '')) }
    case 'ar':
      return { url: join(prefixesOf(gateways).arweave, path) }
    default:
      throw new MetadataError('uri_invalid', 'must be an http, https, ipfs, ar or data URI')
  }
}

/** The path is the contract's author's: it must not lead to another part of the gateway. */
function join(base: string, path: string): string {
  const [id = ''] = path.split(/[/?#]/)
  const url = URL.parse(path, base)
  if (!/^[\w-]+$/.test(id) || !url?.href.startsWith(base + id))
    throw new MetadataError('uri_invalid', 'must have a content identifier after the scheme')
  return url.href
}

/**
 * Returns what a data URI (RFC 2397) may contain. Contracts often write text without the escapes
 * that the standard asks for, so the second reading is the text as it is.
 */
function dataOf(uri: string): string[] {
  const comma = uri.indexOf(',')
  if (comma < 0) throw new MetadataError('uri_invalid', 'the data URI has no data')
  const [head, data] = [uri.slice(0, comma), uri.slice(comma + 1)]
  const decoded = percentDecode(data)
  if (/;\s*base64\s*$/i.test(head)) return [Buffer.from(decoded ?? data, 'base64').toString('utf8')]
  return decoded === undefined ? [data] : [decoded, data]
}

function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
