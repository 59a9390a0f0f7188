/** URLs of the pictures of NFTs, for pages and mails. */

export const coverUrl = (coversUrl: string, key: string): string =>
  `${coversUrl}/${key.split('/').map(encodeURIComponent).join('/')}`

/** Returns the URL of the art of an NFT, in a size of `artSizes`. */
export const artUrl = (baseUrl: string, nftId: number, size: 'card' | 'page'): string =>
  `${baseUrl}/nfts/${nftId}/art/${size}`
