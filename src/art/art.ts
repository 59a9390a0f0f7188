/** The art of an NFT: converted once for each source and size, and stored in R2. */
import { sql } from 'drizzle-orm'
import { bytesToHex } from 'viem/utils'
import { requireConvertible, toJpeg } from '../avatars/picture.ts'
import { fetchPicture } from '../avatars/source.ts'
import { batch, guarded } from '../db/batch.ts'
import { takeQuotas } from '../db/quota.ts'
import { prepared } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, tryLater } from '../http/errors.ts'
import { atGateway } from '../http/ipfs.ts'
import { peopleLimits } from '../limits.ts'
import { coverOf } from '../marketplace/pictures.ts'
import { hasImageSql, isPublicSql } from '../marketplace/query.ts'

/** The longest edge in pixels. `review`: of what waits to be approved. */
export const artSizes = { card: 480, page: 1200, review: 1200 }

type ArtSettings = Pick<
  Settings,
  'COVERS_URL' | 'IPFS_GATEWAY' | 'LOOPBACK_HOSTS' | 'MAX_ART_PER_DAY'
>
export type ArtCtx = Pick<Ctx, 'db' | 'now'> & {
  settings: ArtSettings
  bucket: R2Bucket
  images: ImagesBinding
}
type ArtName = { id: number; size: keyof typeof artSizes }
export type Art = { body: ReadableStream | Uint8Array<ArrayBuffer>; etag: string }

type Source = { coverKey: string | null; image: string | null }

const selectArt = prepared((db, { id, now }: { id: number; now: string }) =>
  db.all<Source>(sql`SELECT coverKey, iif(${hasImageSql}, payload ->> '$.metadata.image', NULL) AS image
    FROM nfts WHERE id = ${id} AND ${isPublicSql(now)}`),
)

/**
 * Returns the art of an NFT that everybody may see, a JPEG. Null without art; in the hour of a failed
 * download; and on the day (UTC) of a failed conversion, or on which all conversions are used up.
 */
export async function readArt(ctx: ArtCtx, { id, size }: ArtName): Promise<Art | null> {
  const now = ctx.now.toISOString()
  const { nfts } = await batch(ctx.db, { nfts: selectArt(ctx.db, { id, now }) })
  const [nft] = nfts
  return nft ? artOf(ctx, { id, size, ...nft }) : null
}

/** Returns the art of this source, as `readArt` does. The caller has checked who may see the NFT. */
export async function artOf(
  ctx: ArtCtx,
  { id, size, coverKey, image }: ArtName & Source,
): Promise<Art | null> {
  const cover = coverOf(ctx.settings, { id, coverKey })
  if (cover && 'key' in cover) return readUpload(ctx, cover.key)
  const source = cover?.url ?? image
  if (!source) return null
  const hash = await hashOf(source)
  // What somebody has reviewed is what everybody sees, whatever the server answers now.
  const stored =
    (await readStored(ctx, `art/${id}/${size}.jpg`, hash)) ??
    (await readStored(ctx, `art/${id}/review.jpg`, hash))
  if (stored) return stored
  try {
    return await makeArt(ctx, { id, size, source, hash })
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

/** Returns the art that was converted from this source; null if it is of another one. */
async function readStored({ bucket }: ArtCtx, key: string, hash: string): Promise<Art | null> {
  const stored = await bucket.get(key)
  if (stored?.customMetadata?.source === hash) return { body: stored.body, etag: stored.httpEtag }
  await stored?.body.cancel()
  return null
}

/** What was uploaded is converted already, and is of the same size wherever it is shown. */
async function readUpload({ bucket }: ArtCtx, key: string): Promise<Art | null> {
  const object = await bucket.get(key)
  return object && { body: object.body, etag: object.httpEtag }
}

async function hashOf(source: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(source))
  return bytesToHex(new Uint8Array(digest)).slice(2)
}

async function makeArt(
  ctx: ArtCtx,
  { id, size, source, hash }: ArtName & { source: string; hash: string },
): Promise<Art> {
  const { db, now, settings, bucket } = ctx
  const error = (seconds: number) => tryLater('this picture cannot be had now', seconds)
  const own = { name: `art:${hash.slice(0, 16)}:${id}:${size}`, error }
  const download = takeQuotas(db, now, [
    { ...own, per: 'hour', limit: peopleLimits.artDownloads.max },
  ])
  const conversion = takeQuotas(db, now, [
    { ...own, per: 'day', limit: peopleLimits.artConversions.max },
    { name: 'art', per: 'day', limit: settings.MAX_ART_PER_DAY, error },
  ])
  await guarded(db, [...download.guards, ...conversion.guards], { uses: download.uses })
  const picture = await readSource(source, settings)
  await requireConvertible(picture)
  await guarded(db, conversion.guards, { uses: conversion.uses })
  const jpeg = await toJpeg(ctx, picture, artSizes[size])
  const { httpEtag } = await bucket.put(`art/${id}/${size}.jpg`, jpeg, {
    httpMetadata: { contentType: 'image/jpeg' },
    customMetadata: { source: hash },
  })
  return { body: jpeg, etag: httpEtag }
}

async function readSource(source: string, settings: ArtSettings): Promise<Blob> {
  if (/^data:/i.test(source))
    return fetch(source).then(
      (response) => response.blob(),
      () => new Blob(),
    )
  const { IPFS_GATEWAY, LOOPBACK_HOSTS: loopbackHosts } = settings
  const from = { field: 'image', loopbackHosts, isHttpsOnly: true }
  return fetchPicture(atGateway(source, IPFS_GATEWAY), from)
}
