import * as z from 'zod'
import { cacheControl } from '../http/cache-control.ts'
import { DAY, SECOND } from '../time.ts'
import { DEFAULT_PICTURE, pictureKeyPattern } from './url.ts'

export const pictureHeaders = {
  'content-type': 'image/jpeg',
  'cache-control': `${cacheControl((365 * DAY) / SECOND)}, immutable`,
  // Pages of any site may embed the file. Opened on its own, it runs nothing.
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

/** What the OpenAPI document says of an answer with a picture. */
export const pictureAnswer = {
  answer: z.file().mime('image/jpeg').describe('The picture.'),
  headers: {
    ETag: 'Identifies the picture, for `If-None-Match`.',
    'Cache-Control': 'For how long caches may keep the response.',
  },
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
