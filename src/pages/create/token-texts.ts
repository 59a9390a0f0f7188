/** What a token says of itself, with which the form of a new NFT begins: the words of a stranger. */
import * as z from 'zod'
import type { Fields } from '../../catalogue/change.ts'
import { fillId, parseMetadata, readDataUri } from '../../catalogue/metadata.ts'
import { nftShape } from '../../catalogue/record.ts'
import { readTokenUri } from '../../chain/holding.ts'
import type { Settings } from '../../env.ts'
import { type Download, downloadFile } from '../../http/download.ts'
import { invalidField } from '../../http/errors.ts'
import { atGateway } from '../../http/ipfs.ts'
import { cutToLine } from '../../http/text.ts'
import { catalogueLimits } from '../../limits.ts'
import { SECOND, within } from '../../time.ts'
import { ShownUrls } from './record.ts'

/** Milliseconds for nodes and servers together. */
const TIMEOUT = 5 * SECOND
const MAX_NAME = 255
const MAX_URL = 2000

type ReadSettings = Pick<Settings, 'NETWORKS' | 'IPFS_GATEWAY' | 'LOOPBACK_HOSTS'>

/** Returns the metadata of a record with what its token says of itself, as far as that can be read in time. */
export async function readTokenTexts(settings: ReadSettings, record: Fields): Promise<Fields> {
  const metadata = await within(TIMEOUT, readMetadataOf(settings, record)).catch(() => ({}))
  return toTexts(metadata)
}

const tokenIn = ({ NETWORKS }: ReadSettings) =>
  z.object({
    network: z.enum(Object.keys(NETWORKS)),
    contract: nftShape.contract,
    tokenId: nftShape.tokenId.unwrap(),
    amountType: nftShape.amountType,
  })

async function readMetadataOf(settings: ReadSettings, record: Fields): Promise<Fields> {
  const { network: name, amountType, ...token } = tokenIn(settings).parse(record)
  const network = settings.NETWORKS[name]
  if (!network) return {}
  // The choice of the token has set it by the standard.
  const standard = amountType === 'unique' ? 'erc721' : 'erc1155'
  const uri = await readTokenUri(network, { ...token, standard })
  const withId = (text: string) =>
    standard === 'erc1155' ? fillId(text, BigInt(token.tokenId)) : text
  const texts = await readTexts(settings, withId(uri ?? '').trim())
  return { ...parseMetadata(texts.map(withId)) }
}

const tooLarge = () => invalidField('metadata', 'is too large')
const download: Download = {
  accept: 'application/json',
  purpose: 'metadata',
  max: catalogueLimits.metadata.max,
  tooLarge,
}

async function readTexts(
  { IPFS_GATEWAY, LOOPBACK_HOSTS: loopbackHosts }: ReadSettings,
  uri: string,
): Promise<string[]> {
  if (uri.length > catalogueLimits.metadata.max) throw tooLarge()
  if (/^data:/i.test(uri)) return readDataUri(uri)
  const from = { field: 'uri', loopbackHosts, isHttpsOnly: true, timeout: TIMEOUT }
  const file = await downloadFile(atGateway(uri, IPFS_GATEWAY), download, from)
  return [await file.text()]
}

/** Returns what the form has fields for, in which its creator can send it again. */
const toTexts = ({ name, description, external_url: link, image }: Fields): Fields => ({
  name: cutToLine(textOf(name), MAX_NAME),
  description: cutToLines(textOf(description)),
  external_url: urlIn(ShownUrls.shape.link, link),
  image: urlIn(ShownUrls.shape.image, image),
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const cutToLines = (text: string): string =>
  text
    .slice(0, catalogueLimits.description.max)
    .split(/\r\n?|\n/)
    .map((line) => cutToLine(line, line.length))
    .join('\n')
    .trim()

/** Part of a URL would lead elsewhere, so it is taken as it is, or not at all. */
function urlIn(shape: z.ZodType<string>, value: unknown): string {
  const text = textOf(value).trim()
  const url = cutToLine(text, MAX_URL)
  return url === text && shape.safeParse(url).success ? url : ''
}
