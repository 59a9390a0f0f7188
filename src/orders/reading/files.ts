/** The files and codes of NFTs: what the catalogue says of them, and what orders show. */
import { type SQL, sql } from 'drizzle-orm'

/** A file that is stored, as the statements of NFTs select it. */
export type StoredFile = {
  key: string
  name: string
  type: string
  bytes: number
  sha256: string
  changedAt: string
}

/** SQL of the files of an NFT that are stored, in their order: JSON of `StoredFile[]`. */
export const filesSql = (nftId: SQL): SQL<readonly StoredFile[]> =>
  sql`(SELECT json_group_array(json_object('key', key, 'name', name, 'type', type, 'bytes', bytes,
      'sha256', sha256, 'changedAt', changedAt))
    FROM (SELECT * FROM contentFiles WHERE nftId = ${nftId} AND state = 'stored' ORDER BY place))`.mapWith(
    (json: string) => JSON.parse(json),
  )

/** SQL of the encrypted codes of an order item: JSON of `string[]`. */
export const codesSql = (orderItemId: SQL): SQL<readonly string[]> =>
  sql`(SELECT json_group_array(sealed) FROM (SELECT sealed FROM codes
    WHERE codes.orderItemId = ${orderItemId} ORDER BY codes.id))`.mapWith((json: string) =>
    JSON.parse(json),
  )

/** Returns `payload.downloadableAsset` of an NFT, in the shape of the contract of the marketplace. */
export const toDownloadableAsset = (nftId: number, files: readonly StoredFile[]) =>
  files.map(({ name, type, bytes, sha256, changedAt }, i) => ({
    id: i + 1,
    key: `${nftId}/${name}`,
    type: 'downloadableAsset',
    nftId,
    public: false,
    altName: name,
    preview: null,
    checksum: sha256,
    fileName: name,
    fileType: type,
    metaData: { bytes },
    publicUrl: null,
    storageType: 'r2',
    downloadable: true,
    createdAt: changedAt,
    updatedAt: changedAt,
  }))
