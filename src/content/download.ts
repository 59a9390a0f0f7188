/** Serves files to who has a URL of `release.ts`, or is signed in as the buyer. */
import { sql } from 'drizzle-orm'
import type { Context } from 'hono'
import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import type { contentFiles } from '../db/schema/content.ts'
import { raw } from '../db/statements.ts'
import type { App, Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'

/** What releases a file: an order item, or null if it is for who holds the token. `user`: for whom it is counted. */
type Claims = { key: string; item: number | null; user: number }

/** What is served of a stored file. */
export type StoredBytes = Pick<
  typeof contentFiles.$inferSelect,
  'key' | 'name' | 'type' | 'bytes' | 'sha256'
>

/** A file that is released, and for whom it is counted. */
export type ReleasedFile = StoredBytes & {
  nftId: number
  user: number
  /** 0 for who holds the token. */
  item: number
}

/** Media types that browsers play. Anything else is only saved: a page of strangers must not run here. */
export const audioTypes = [
  'audio/aac',
  'audio/flac',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/webm',
] as const

/** Returns a file by its key, if it is released now. */
export async function findFile(
  db: Database,
  { key, item, user }: Claims,
): Promise<ReleasedFile | undefined> {
  const isReleased =
    item === null
      ? sql`nfts.contentRelease = 'holder'`
      : sql`EXISTS (SELECT 1 FROM orderItems JOIN deliveries ON deliveries.id = orderItems.id
          WHERE orderItems.id = ${item} AND orderItems.nftId = nfts.id AND deliveries.state = 'transferred')`
  const { found } = await batch(db, {
    found: raw<Omit<ReleasedFile, 'user' | 'item'>>(db)`
      SELECT f.key, f.name, f.type, f.bytes, f.sha256, f.nftId
      FROM contentFiles f JOIN nfts ON nfts.id = f.nftId
      WHERE f.key = ${key} AND f.state = 'stored' AND ${isReleased}`,
  })
  return found[0] && { ...found[0], item: item ?? 0, user }
}

/** Counts a download in its day. */
const countDownload = (db: Database, { nftId, name, user, item }: ReleasedFile, now: Date) =>
  batch(db, {
    counted: raw<never>(db)`INSERT INTO downloads (day, nftId, name, userId, orderItemId, count)
      VALUES (${now.toISOString().slice(0, 10)}, ${nftId}, ${name}, ${user}, ${item}, 1)
      ON CONFLICT DO UPDATE SET count = count + 1`,
  })

type Part = { offset: number; length: number }

/** Returns the part that a header asks for; null for the whole, also for several parts (RFC 9110, 14.2). */
function parseRange(header: string | undefined, bytes: number): Part | 'not_satisfiable' | null {
  const [, from = '', to = ''] = header?.match(/^bytes=(\d*)-(\d*)$/) ?? []
  if (from === '' && to === '') return null
  const offset = from === '' ? Math.max(bytes - Number(to), 0) : Number(from)
  const last = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1)
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null
  return offset > last ? 'not_satisfiable' : { offset, length: last - offset + 1 }
}

/** What answers a request for a file. `isFirst`: whether it is the beginning of a download. */
type Served = {
  status: 200 | 206 | 304
  headers: Record<string, string>
  body: ReadableStream | null
  isFirst: boolean
}

/**
 * Returns the answer with a file, or with a part of it; null if its object is not there.
 * Throws `range_not_satisfiable`.
 */
export async function serveFile(
  bucket: R2Bucket,
  { key, name, type, bytes, sha256 }: StoredBytes,
  req: Pick<Context['req'], 'method' | 'header'>,
): Promise<Served | null> {
  const etag = `"${sha256}"`
  const headers = {
    'accept-ranges': 'bytes',
    'content-disposition': `attachment; filename*=UTF-8''${encodeFileName(name)}`,
    'content-type': audioTypes.find((audio) => audio === type) ?? 'application/octet-stream',
    etag,
    'x-content-type-options': 'nosniff',
  }
  const known =
    req
      .header('if-none-match')
      ?.split(',')
      .map((tag) => tag.trim()) ?? []
  if (known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag))
    return { status: 304, headers, body: null, isFirst: false }
  // RFC 9110, 14.2: ranges are for GET only.
  const isSame = req.method === 'GET' && (req.header('if-range') ?? etag) === etag
  const range = isSame ? parseRange(req.header('range'), bytes) : null
  if (range === 'not_satisfiable')
    throw new ApiError('range_not_satisfiable', `the file has ${bytes} bytes`, {
      'Content-Range': `bytes */${bytes}`,
    })
  const object = await bucket.get(key, range ? { range } : {})
  if (!object) return null
  const { body } = object
  if (!range) {
    const whole = { ...headers, 'content-length': String(bytes) }
    return { status: 200, headers: whole, body, isFirst: true }
  }
  const { offset, length } = range
  const part = {
    ...headers,
    'content-length': String(length),
    'content-range': `bytes ${offset}-${offset + length - 1}/${bytes}`,
  }
  // Safari asks for two bytes first.
  const isFirst = offset === 0 && (length > 2 || length === bytes)
  return { status: 206, headers: part, body, isFirst }
}

/** Encodes a name for `filename*` (RFC 8187). */
const encodeFileName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** The context of a request, with or without a caller. */
type RequestContext = Pick<Context<App>, 'env' | 'req' | 'executionCtx' | 'newResponse'> & {
  var: Pick<Ctx, 'db' | 'now'>
}

/** Answers with a file, and counts it. Throws `not_found`, `range_not_satisfiable`. */
export async function answerFile(
  c: RequestContext,
  file: ReleasedFile | undefined,
): Promise<Response> {
  const { db, now } = c.var
  const served = file && (await serveFile(c.env.CONTENT, file, c.req))
  if (!served) throw new ApiError('not_found', 'the file is not there, or is not released any more')
  if (served.isFirst && c.req.method === 'GET')
    c.executionCtx.waitUntil(countDownload(db, file, now))
  return c.newResponse(served.body, served.status, served.headers)
}
