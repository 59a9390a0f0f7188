/**
 * Pictures in R2. An object is written once and never changed, so its address may be cached for
 * ever; its key is its path under `/avatars/`.
 */
import { eq } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { users } from '../db/schema.ts'
import { drawnAvatar } from './drawn.ts'
import { serveAvatar } from './serve.ts'
import { DRAWN, keyOf } from './url.ts'

const isKey = /^[1-9]\d{0,15}\/[0-9a-f]{48}\.jpg$/

/** Hexadecimal digits of a hash that tell the content, of 48; the rest tell the upload. */
const CONTENT_DIGITS = 32

/**
 * What stands in the address of a new object: a hash of its content, then digits of this upload's
 * own. As no two uploads share an object, removing one can never take away another's.
 */
export async function newHash(jpeg: Uint8Array<ArrayBuffer>): Promise<string> {
  const content = hex(await crypto.subtle.digest('SHA-256', jpeg)).slice(0, CONTENT_DIGITS)
  return content + hex(crypto.getRandomValues(new Uint8Array(8)).buffer)
}

const hex = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('hex')

/** The part of a key that all objects of this user with this content share. */
export const contentPart = (key: string) => key.slice(0, key.indexOf('/') + 1 + CONTENT_DIGITS)

export const putAvatar = (bucket: R2Bucket, key: string, jpeg: Uint8Array<ArrayBuffer>) =>
  bucket.put(key, jpeg, { httpMetadata: { contentType: 'image/jpeg' } })

/** Where pictures are drawn and kept. */
export type Studio = { db: Database; bucket: R2Bucket; images: ImagesBinding }

/**
 * The answer to `GET /avatars/<key>`; null when there is none. A drawn picture is drawn when it is
 * first asked for, and only for a user who is there: so each is converted, and paid for, once.
 */
export async function avatarAt(
  studio: Studio,
  key: string,
  request: Headers,
): Promise<Response | null> {
  if (!isKey.test(key)) return null
  const stored = await serveAvatar(studio.bucket, key, request)
  const userId = Number.parseInt(key, 10)
  if (stored || key !== keyOf(userId, DRAWN) || !(await isThere(studio.db, userId))) return stored
  await putAvatar(studio.bucket, key, await drawnAvatar(studio.images, userId))
  return serveAvatar(studio.bucket, key, request)
}

async function isThere(db: Database, userId: number): Promise<boolean> {
  const found = await db.select({ id: users.id }).from(users).where(eq(users.id, userId))
  return found.length > 0
}
