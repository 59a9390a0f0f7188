/** The metadata JSON of a token, as its contract names it: https://eips.ethereum.org/EIPS/eip-1155#metadata. */
import { invalidField } from '../http/errors.ts'
import { parseExactly } from './json.ts'

/** Fills in the id of an ERC-1155 token, in the URI of its metadata and in the metadata. */
export const fillId = (text: string, id: bigint): string =>
  text.replaceAll('{id}', id.toString(16).padStart(64, '0'))

/**
 * Returns the texts of a `data:` URI (RFC 2397), of which the first that is JSON is the metadata. Contracts
 * often leave out the escapes that the RFC asks for: the last text is as it is. Throws `invalid_input`.
 */
export function readDataUri(uri: string): string[] {
  const [, head = '', data] = /^([^,]*),(.*)$/s.exec(uri) ?? []
  if (data === undefined) throw invalidField('uri', 'must have data')
  if (/;\s*base64\s*$/i.test(head)) return [Buffer.from(data, 'base64').toString()]
  try {
    return [decodeURIComponent(data), data]
  } catch {
    return [data]
  }
}

/** Returns the first of the texts that is a JSON object. Throws `invalid_input`. */
export function parseMetadata(texts: readonly string[]): object {
  for (const text of texts) {
    const value = parseJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  }
  throw invalidField('metadata', 'must be a JSON object')
}

function parseJson(text: string): unknown {
  try {
    return parseExactly(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
