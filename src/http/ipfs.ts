/** URIs of IPFS, which a gateway serves by https. */

/** Escapes the path of an `ipfs:` URI, where `#` and a bare `%` belong to names of files. */
export const gatewayPath = (path: string): string =>
  path.startsWith('/') ? path.replaceAll('#', '%23').replace(/%(?![\da-f]{2})/gi, '%25') : path

/**
 * Returns the URL below the gateway of an `ipfs:` URI; empty if its path leads to another part of the gateway.
 * Any other URI, and each one without a gateway, is returned as it is.
 */
export function atGateway(uri: string, gateway: string | undefined): string {
  const [, cid, path = ''] = /^ipfs:\/\/(?:ipfs\/)?([a-z\d]{46,})(.*)$/is.exec(uri) ?? []
  if (!cid || !gateway) return uri
  const root = `${gateway}/${cid}`
  const { href } = new URL(root + gatewayPath(path))
  return href.startsWith(new URL(root).href) ? href : ''
}
