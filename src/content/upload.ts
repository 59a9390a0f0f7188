/** Stores the bytes of the files that the catalogue names, and tells which are missing. */
import { eq, sql } from 'drizzle-orm'
import { readAs, writeAs } from '../auth/access.ts'
import { recordIntended } from '../auth/audit.ts'
import type { Database } from '../db/client.ts'
import { nfts } from '../db/schema/catalogue.ts'
import { contentFiles } from '../db/schema/content.ts'
import { raw } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { guard } from '../http/guard.ts'

type UploadCtx = Ctx & { bucket: R2Bucket }

/** The id of an NFT, or the operator's own id of it. */
export type NftRef = number | string

/** `owner`: the user whose NFT it must be; null: of anybody, as operators upload. */
type Target = { nft: NftRef; owner: number | null }

/** `length`: that of the body, in bytes. */
type Upload = Target & { name: string; body: ReadableStream; length: number }

export const isNft = (nft: NftRef) =>
  sql`${typeof nft === 'number' ? nfts.id : nfts.externalId} = ${nft}`

const isTarget = ({ nft, owner }: Target) =>
  sql`${isNft(nft)} AND (${owner} IS NULL OR ${nfts.creatorId} = ${owner})`

/** Selects the versions of the files of an NFT, in the order of the record. */
const selectVersions = (db: Database, nft: NftRef) =>
  db
    .select({ version: contentFiles })
    .from(contentFiles)
    .innerJoin(nfts, eq(nfts.id, contentFiles.nftId))
    .where(sql`${isNft(nft)} AND ${contentFiles.state} <> 'removed'`)
    .orderBy(contentFiles.place)

/** Returns the versions that the catalogue names. What the bucket has lost is missing, too. */
async function findNamed(
  bucket: R2Bucket,
  rows: readonly { version: typeof contentFiles.$inferSelect }[],
) {
  const isNext = (name: string) =>
    rows.some(({ version }) => version.state === 'missing' && version.name === name)
  const named = rows.filter(({ version: { state, name } }) => state === 'missing' || !isNext(name))
  return Promise.all(
    named.map(async ({ version }) => {
      const isStored = version.state === 'stored' && (await bucket.head(version.key)) !== null
      return { ...version, state: isStored ? 'stored' : 'missing' }
    }),
  )
}

/** Returns the files that the catalogue names of an NFT. Throws `not_found`. */
export async function listFiles({ db, caller, bucket }: UploadCtx, target: Target) {
  const { found, rows } = await readAs(db, caller, {
    found: db.select({ id: nfts.id }).from(nfts).where(isTarget(target)),
    rows: selectVersions(db, target.nft),
  })
  if (!found[0]) throw new ApiError('not_found', 'there is no such NFT')
  const files = await findNamed(bucket, rows)
  return files.map(({ name, type, bytes, sha256, state }) => ({ name, type, bytes, sha256, state }))
}

/**
 * Stores a file under the key that the import has given its row, and makes it what people get in place of
 * the version before. Safe to repeat. Throws `not_found`, `file_differs`, `conflict`.
 */
export async function storeFile(ctx: UploadCtx, { name, body, length, ...target }: Upload) {
  const { db, caller, bucket, now } = ctx
  const { files } = await readAs(db, caller, {
    files: db
      .select({ file: contentFiles })
      .from(contentFiles)
      .innerJoin(nfts, eq(nfts.id, contentFiles.nftId))
      .where(
        sql`${isTarget(target)} AND ${contentFiles.name} = ${name} AND ${contentFiles.state} <> 'removed'`,
      )
      // A version that is missing comes before the one that is stored.
      .orderBy(contentFiles.state)
      .limit(1),
  })
  const file = files[0]?.file
  if (!file) throw notNamed()
  const { key, nftId, bytes, sha256 } = file
  const differs = `the catalogue names a file of ${bytes} bytes with the SHA-256 ${sha256}`
  if (length !== bytes)
    throw new ApiError('file_differs', `the body has ${length} bytes: ${differs}`)
  await putObject(bucket, { key, body, bytes, sha256, differs })
  const isRemoved = guard(
    'conflict',
    'another import has changed the file: read the catalogue again',
  )`
    NOT EXISTS (SELECT 1 FROM contentFiles WHERE key = ${key} AND state <> 'removed')`
  const isOther = {
    when: sql`NOT EXISTS (SELECT 1 FROM nfts WHERE ${nfts.id} = ${nftId} AND ${isTarget(target)})`,
    error: notNamed,
  }
  const intent = {
    action: 'content.store',
    subject: nftId,
    details: { name, sha256 },
    when: isMissing(key),
  } as const
  const { left } = await writeAs(db, caller, [isOther, isRemoved], {
    audit: target.owner === null ? recordIntended(ctx, intent) : undefined,
    ...markStored(db, file, now),
    left: db.select({ missingFiles: nfts.missingFiles }).from(nfts).where(eq(nfts.id, nftId)),
  })
  return { name, bytes, sha256, missingFiles: left[0]?.missingFiles ?? 0 }
}

const notNamed = () => new ApiError('not_found', 'the catalogue names no such file of this NFT')

const isMissing = (key: string) =>
  sql`EXISTS (SELECT 1 FROM contentFiles WHERE key = ${key} AND state = 'missing')`

/** Makes a file whose object is stored what people get, unless it is that already. */
function markStored(
  db: Database,
  { key, nftId, name }: Pick<typeof contentFiles.$inferSelect, 'key' | 'nftId' | 'name'>,
  now: Date,
) {
  const at = now.toISOString()
  return {
    sale: raw(db)`UPDATE nfts SET updatedAt = ${at}, changedAt = max(changedAt, ${at})
      WHERE id = ${nftId} AND missingFiles = 1 AND ${isMissing(key)}`,
    replaced: raw(db)`UPDATE contentFiles SET state = 'removed', changedAt = ${at}
      WHERE nftId = ${nftId} AND name = ${name} AND state = 'stored' AND ${isMissing(key)}`,
    stored: raw(db)`UPDATE contentFiles SET state = 'stored', changedAt = ${at}
      WHERE key = ${key} AND state = 'missing'`,
  }
}

/** R2 stores an object as a whole or not at all, and only if its bytes have the hash. */
async function putObject(
  bucket: R2Bucket,
  {
    key,
    body,
    bytes,
    sha256,
    differs,
  }: Record<'key' | 'sha256' | 'differs', string> & {
    body: ReadableStream
    bytes: number
  },
): Promise<void> {
  const { readable, writable } = new FixedLengthStream(bytes)
  const [sent, stored] = await Promise.allSettled([
    body.pipeTo(writable),
    bucket.put(key, readable, { sha256 }),
  ])
  if (stored.status === 'fulfilled') return
  const error = String(stored.reason)
  if (/SHA-256|\(10037\)/.test(error))
    throw new ApiError('file_differs', `the bytes have another hash: ${differs}`)
  if (sent.status === 'rejected' || error.includes('FixedLengthStream'))
    throw new ApiError('invalid_input', `the body broke off, or is longer: ${differs}`)
  throw stored.reason
}
