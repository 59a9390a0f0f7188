/** URLs for pages and mails. */

export const coverUrl = (coversUrl: string, key: string): string =>
  `${coversUrl}/${key.split('/').map(encodeURIComponent).join('/')}`

/** Escapes the path of an `ipfs:` URI, where `#` and a bare `%` belong to names of files. */
export const gatewayPath = (path: string): string =>
  path.startsWith('/') ? path.replaceAll('#', '%23').replace(/%(?![\da-f]{2})/gi, '%25') : path

/** Returns the URL of the art of an NFT, in a size of `artSizes`. */
export const artUrl = (baseUrl: string, nftId: number, size: 'card' | 'page'): string =>
  `${baseUrl}/nfts/${nftId}/art/${size}`

/** Returns the URL of what a block explorer shows, as in EIP-3091. `kind` is such as `tx`. */
export const explorerPage = (explorerUrl: string, kind: string, value: string | number): string =>
  `${explorerUrl.replace(/\/+$/, '')}/${kind}/${value}`
