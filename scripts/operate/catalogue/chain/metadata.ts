/** The metadata of tokens, from the URIs that their contract returns. */

import { fillId, parseMetadata, readDataUri } from '../../../../src/catalogue/metadata.ts'
import { invalidField } from '../../../../src/http/errors.ts'
import { gatewayPath } from '../../../../src/http/ipfs.ts'
import { abi, type TokenContract, unlessReverted } from './contract.ts'
import { type DownloadOptions, download } from './download.ts'

/** A CID without a scheme: some contracts return it. */
const CID = /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58,})(\/|$)/

/** `ipfsGateway`: the URL of a server of IPFS. */
type Options = DownloadOptions & { ipfsGateway: string }

/** Returns a function that reads the metadata of a token. It throws `invalid_input`. */
export function createReader(
  { node, address, standard }: TokenContract,
  options: Options,
): (id: bigint) => Promise<object> {
  // Tokens that follow each other may share a document.
  let last: { uri: string; texts: Promise<string[]> } | undefined
  const downloads = { ...options, failedHosts: new Set<string>() }
  return async (id) => {
    const isErc1155 = standard === 'erc1155'
    const withId = (text: string) => (isErc1155 ? fillId(text, id) : text)
    const call = { address, abi, functionName: isErc1155 ? 'uri' : 'tokenURI' } as const
    const reading = node.readContract({ ...call, args: [id] })
    const text = await unlessReverted(reading)
    if (text === undefined) await reading.catch(refuseOutOfGas)
    const uri = withId(text ?? '')
    if (last?.uri !== uri) last = { uri, texts: readTexts(uri.trim(), downloads) }
    const texts = await last.texts
    return parseMetadata(texts.map(withId))
  }
}

/** Nodes limit the gas of a call. */
function refuseOutOfGas(error: unknown): void {
  if (/out ?of ?gas/i.test(String(error)))
    throw invalidField('uri', 'needs more gas in the contract than the node allows')
}

/** Returns the document, or several texts of which the first that is JSON is the document. */
export async function readTexts(uri: string, options: Options): Promise<string[]> {
  const { ipfsGateway, loopbackHosts } = options
  if (uri === '') throw invalidField('uri', 'is missing in the contract')
  if (/^data:/i.test(uri)) return readDataUri(uri)
  const [, scheme = CID.test(uri) ? 'ipfs' : '', path = uri] = /^(\w+):\/\/(.*)$/s.exec(uri) ?? []
  switch (scheme.toLowerCase()) {
    case 'http':
    case 'https':
      return [await download(uri, options)]
    case 'ipfs': {
      const url = join(`${ipfsGateway.replace(/\/+$/, '')}/ipfs/`, path.replace(/^ipfs\//, ''))
      // The operator has chosen the gateway.
      const hosts = [...loopbackHosts, new URL(url).host]
      return [await download(url, { ...options, loopbackHosts: hosts })]
    }
    case 'ar':
      return [await download(join('https://arweave.net/', path), options)]
    default:
      throw invalidField('uri', 'must be an http, https, ipfs, ar or data URI')
  }
}

/** The author of the contract has chosen the path. It must not lead to another part of the gateway. */
function join(base: string, path: string): string {
  const [id = ''] = path.split(/[/?#]/)
  const url = URL.parse(id + gatewayPath(path.slice(id.length)), base)
  if (!/^[\w-]+$/.test(id) || !url?.href.startsWith(base + id))
    throw invalidField('uri', 'must have a content identifier after the scheme')
  return url.href
}
