/** Where pictures are, and how they are served. */
import { etag } from 'hono/etag'
import { bytesToHex } from 'viem/utils'
import * as z from 'zod'

/**
 * The first 48 hex digits of the SHA-256 of pages/assets/default-avatar.jpg, the picture of users
 * without an avatar. Picture URLs are immutable, so a new file needs a new value.
 */
export const DEFAULT_PICTURE = '691624d52cd7ae0400f8608f8383e0e75c39d90d982d930b'

/** Returns the R2 key of a picture, which is also its path under `/avatars/`. */
export const pictureKey = (userId: number, hash: string) => `${userId}/${hash}.jpg`

/** Matches the R2 keys of pictures. A user id has at most 15 digits, so that it is a safe integer. */
export const pictureKeyPattern = /^[1-9]\d{0,14}\/[0-9a-f]{48}\.jpg$/

/** Returns the R2 key of a cover that the creator of an NFT has uploaded. */
export const uploadedCoverKey = (nftId: number, hash: string) =>
  `${uploadedCoverPrefix(nftId)}${hash}.jpg`

export const uploadedCoverPrefix = (nftId: number) => `uploads/${nftId}/`

/** Matches the R2 keys of these covers. */
export const uploadedCoverPattern = /^uploads\/[1-9]\d{0,14}\/[0-9a-f]{48}\.jpg$/

/** Hex digits that depend on the content only. */
const CONTENT_DIGITS = 32

/**
 * Returns 48 hex digits: 32 of the SHA-256 of the content, then 16 random ones. Each upload has an
 * object of its own, so deleting one object never affects another upload.
 */
export async function newHash(jpeg: Uint8Array<ArrayBuffer>): Promise<string> {
  const content = new Uint8Array(await crypto.subtle.digest('SHA-256', jpeg))
  const random = crypto.getRandomValues(new Uint8Array(8))
  return bytesToHex(content).slice(2, 2 + CONTENT_DIGITS) + bytesToHex(random).slice(2)
}

/** Returns the beginning that the keys of a picture with the same content have, of the same owner. */
export const contentPrefix = (key: string): string =>
  key.slice(0, key.lastIndexOf('/') + 1 + CONTENT_DIGITS)

/** A user with the R2 key of their picture; null if they have no avatar. */
export type AvatarOwner = { id: number; avatarKey: string | null }

export const avatarUrl = (baseUrl: string, user: AvatarOwner): string =>
  `${baseUrl}/avatars/${user.avatarKey ?? pictureKey(user.id, DEFAULT_PICTURE)}`

export const pictureHeaders = {
  'content-type': 'image/jpeg',
  // Pages of any site may embed the file. Opened on its own, it runs nothing.
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

/** What the endpoints that serve pictures have in common. */
export const pictureAnswer = {
  // A cache that gets a 304 updates the headers of its copy, so a 304 needs all of them.
  middleware: [
    etag({ retainedHeaders: ['etag', 'cache-control', ...Object.keys(pictureHeaders)] }),
  ],
  answer: z.file().mime('image/jpeg').describe('The picture.'),
  headers: { ETag: 'Identifies the picture, for `If-None-Match`.' },
  bodiless: { 304: 'The picture has the ETag that `If-None-Match` names.' },
  errors: ['not_found'],
} as const

type Picture = { body: ReadableStream; etag: string }

/**
 * Returns the picture at `/avatars/<key>`, or null if there is none. The default picture exists for
 * every user id.
 */
export async function findPicture(
  bucket: R2Bucket,
  assets: Fetcher,
  key: string,
): Promise<Picture | null> {
  if (!pictureKeyPattern.test(key)) return null
  if (key.endsWith(`/${DEFAULT_PICTURE}.jpg`)) return defaultPicture(assets)
  const object = await bucket.get(key)
  return object && { body: object.body, etag: object.httpEtag }
}

async function defaultPicture(assets: Fetcher): Promise<Picture> {
  // The binding only reads the path of the URL.
  const { ok, status, body } = await assets.fetch('https://assets.local/default-avatar.jpg')
  if (!ok || !body) throw new Error(`default-avatar.jpg: the assets binding answered ${status}`)
  return { body, etag: `"${DEFAULT_PICTURE}"` }
}
