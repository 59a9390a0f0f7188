/** Where the pictures of NFTs are, for pages and mails. */
import { uploadedCoverPattern, uploadedCoverPrefix } from '../avatars/serve.ts'
import type { Settings } from '../env.ts'

const coverUrl = (coversUrl: string, key: string): string =>
  `${coversUrl}/${key.split('/').map(encodeURIComponent).join('/')}`

/**
 * Returns where the cover of an NFT is: the R2 key of one that its creator has uploaded, or the URL of one of
 * the operator; null without one. A key that was made for another NFT, as in the catalogue of another instance,
 * is none.
 */
export function coverOf(
  { COVERS_URL }: Pick<Settings, 'COVERS_URL'>,
  { id, coverKey }: { id: number; coverKey: string | null },
): { key: string } | { url: string } | null {
  if (coverKey === null) return null
  if (uploadedCoverPattern.test(coverKey))
    return coverKey.startsWith(uploadedCoverPrefix(id)) ? { key: coverKey } : null
  return COVERS_URL ? { url: coverUrl(COVERS_URL, coverKey) } : null
}

/** Returns the URL of the art of an NFT, in a size of `artSizes`. */
export const artUrl = (baseUrl: string, nftId: number, size: 'card' | 'page'): string =>
  `${baseUrl}/nfts/${nftId}/art/${size}`
