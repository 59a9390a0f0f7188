/** Where the art of an NFT comes from. */
import { fetchPicture } from '../avatars/remote.ts'
import type { Settings } from '../env.ts'
import { coverUrl, gatewayPath } from '../http/links.ts'

export type SourceSettings = Pick<Settings, 'COVERS_URL' | 'IPFS_GATEWAY' | 'LOOPBACK_HOSTS'>
export type Source = { coverKey: string | null; image: string | null }

/** Returns the URL of the stored cover, or else the image of the metadata; null without both. */
export const sourceOf = ({ coverKey, image }: Source, { COVERS_URL }: SourceSettings) =>
  COVERS_URL && coverKey ? coverUrl(COVERS_URL, coverKey) : image

/** Downloads a source: https, data or ipfs. Throws `invalid_input`, `payload_too_large`. */
export async function readSource(source: string, settings: SourceSettings): Promise<Blob> {
  if (/^data:/i.test(source))
    return fetch(source).then(
      (response) => response.blob(),
      () => new Blob(),
    )
  const { IPFS_GATEWAY, LOOPBACK_HOSTS: loopbackHosts } = settings
  const [, cid, path = ''] = /^ipfs:\/\/(?:ipfs\/)?([a-z\d]{46,})(.*)$/is.exec(source) ?? []
  const url = cid && IPFS_GATEWAY ? urlBelow(`${IPFS_GATEWAY}/${cid}`, gatewayPath(path)) : source
  return fetchPicture(url, { field: 'image', loopbackHosts, isHttpsOnly: true })
}

/** Returns the URL, unless the path leads to another part of the gateway. */
function urlBelow(root: string, path: string): string {
  const { href } = new URL(root + path)
  return href.startsWith(new URL(root).href) ? href : ''
}
