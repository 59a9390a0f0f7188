/** What waits to be approved, and what operators decide. */
import { sql } from 'drizzle-orm'
import { type ArtCtx, artOf } from '../art/art.ts'
import { readAs, writeAs } from '../auth/access.ts'
import { recordAction } from '../auth/audit.ts'
import { parseRecord, writeLines } from '../catalogue/change.ts'
import { listingRecord, nftRecord } from '../catalogue/sql.ts'
import type { StoredBytes } from '../content/download.ts'
import { orderableStatuses } from '../db/schema/catalogue.ts'
import type { proposals } from '../db/schema/creators.ts'
import { readLocaleSql } from '../db/schema/users.ts'
import { raw } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { guard } from '../http/guard.ts'
import { released, tokenOf } from './plan.ts'
import { proveToken } from './proof.ts'
import type { Kind } from './record.ts'
import { type SaveCtx, setProposal } from './save.ts'

type Row = Pick<
  typeof proposals.$inferSelect,
  'kind' | 'subjectId' | 'userId' | 'fields' | 'version' | 'submittedAt'
> & {
  record: string
  nftId: number
  available: number
  missingFiles: number
  title: string
  creator: string | null
  email: string
  locale: string
  wallet: string
  walletChainId: number
  approved: 0 | 1
}

const columns = sql`p.kind, p.subjectId, p.userId, p.fields, p.version, p.submittedAt, n.id AS nftId,
  n.availableAmount AS available, n.missingFiles, n.title, coalesce(u.name, u.username) AS creator,
  u.email, ${readLocaleSql('u')} AS locale, u.ethereumPublicAddr AS wallet, u.walletChainId, u.approved,
  iif(p.kind = 'nft', ${sql.raw(nftRecord())}, ${sql.raw(listingRecord)}) AS record`

/** Of a listing `n` is its NFT. */
const source = sql`proposals p JOIN users u ON u.id = p.userId
  LEFT JOIN listings l ON p.kind = 'listing' AND l.id = p.subjectId
  JOIN nfts n ON n.id = iif(p.kind = 'nft', p.subjectId, l.nftId)`

export const toProposal = ({ record, fields, subjectId: number, ...row }: Row) => ({
  ...row,
  number,
  record: parseRecord(record),
  fields: parseRecord(fields),
})

export type Proposal = ReturnType<typeof toProposal>

/** Selects the oldest of what waits. */
export const selectWaiting = ({ db }: Pick<Ctx, 'db'>, limit: number) =>
  raw<Row>(db)`SELECT ${columns} FROM ${source}
    WHERE p.state = 'in_review' ORDER BY p.submittedAt LIMIT ${limit}`

/** Returns the oldest of what waits, and how much waits. */
export async function listWaiting(ctx: Ctx, { limit }: { limit: number }) {
  const { rows, counts } = await readAs(ctx.db, ctx.caller, {
    rows: selectWaiting(ctx, limit),
    counts: raw<{ total: number }>(ctx.db)`SELECT count(*) AS total FROM proposals
      WHERE state = 'in_review'`,
  })
  return { proposals: rows.map(toProposal), total: counts[0]?.total ?? 0 }
}

export const selectProposal = ({ db }: Pick<Ctx, 'db'>, kind: Kind, number: number) =>
  raw<Row>(db)`SELECT ${columns} FROM ${source} WHERE p.kind = ${kind} AND p.subjectId = ${number}
    AND p.state = 'in_review'`

type Named = { kind: Kind; number: number; version: string }

/** A review is of what was looked at: `conflict` if that has changed. */
const refuseOther = ({ kind, number, version }: Named) =>
  guard('conflict', 'this has changed since it was shown: look at it again')`NOT EXISTS (
    SELECT 1 FROM proposals WHERE kind = ${kind} AND subjectId = ${number}
      AND version = ${version} AND state = 'in_review')`

const notFound = () => new ApiError('not_found', 'nothing of this number waits to be approved')

/** Returns what waits of a record. Throws `not_found`. */
async function readProposal(ctx: Ctx, { kind, number }: Omit<Named, 'version'>): Promise<Proposal> {
  const { rows } = await readAs(ctx.db, ctx.caller, { rows: selectProposal(ctx, kind, number) })
  const [row] = rows
  if (!row) throw notFound()
  return toProposal(row)
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)

/** What an NFT would show once all that waits of it is approved. */
function sourceOf({ record, fields }: Pick<Proposal, 'record' | 'fields'>) {
  const { coverKey, metadata } = { ...record, ...fields }
  return { coverKey: textOrNull(coverKey), image: textOrNull(Object(metadata).image) }
}

/**
 * Returns the art of an NFT as it waits to be approved; null if it has none, or none can be had now. Throws
 * `not_found`.
 */
export async function readProposedArt(ctx: Ctx & ArtCtx, id: number) {
  const proposal = await readProposal(ctx, { kind: 'nft', number: id })
  return artOf(ctx, { id, size: 'review', ...sourceOf(proposal) })
}

/** Returns a file of an NFT that waits to be approved. Throws `not_found`. */
export async function findProposedFile(
  { db, caller }: Ctx,
  { number, name }: { number: number; name: string },
): Promise<StoredBytes> {
  const { files } = await readAs(db, caller, {
    files: raw<StoredBytes>(db)`SELECT f.key, f.name, f.type, f.bytes, f.sha256
      FROM proposals p JOIN contentFiles f ON f.nftId = p.subjectId
      WHERE p.kind = 'nft' AND p.subjectId = ${number} AND p.state = 'in_review'
        AND f.state = 'stored' AND f.name = ${name}`,
  })
  const [file] = files
  if (!file) throw new ApiError('not_found', 'no such file waits to be approved')
  return file
}

/** Refuses a picture that nobody could look at: its server might answer another one later. */
async function requirePicture(
  ctx: ArtCtx,
  proposal: Pick<Proposal, 'number' | 'record' | 'fields'>,
): Promise<void> {
  const source = sourceOf(proposal)
  if (source.coverKey || !/^https?:/i.test(source.image ?? '')) return
  const art = await artOf(ctx, { id: proposal.number, size: 'review', ...source })
  if (!art) throw new ApiError('conflict', 'its picture cannot be loaded: try later, or reject it')
  if (art.body instanceof ReadableStream) await art.body.cancel()
}

/**
 * Puts on sale what was looked at. Throws `not_found`, `conflict`, `content_missing`, and what `proveToken` throws:
 * pieces may have left the wallet.
 */
export async function approveProposal(ctx: SaveCtx & ArtCtx, named: Named): Promise<Proposal> {
  const { db, caller } = ctx
  const { rows } = await readAs(db, caller, { rows: selectProposal(ctx, named.kind, named.number) })
  const [row] = rows
  if (!row) throw notFound()
  const { userId: id, wallet, walletChainId, ...proposal } = toProposal(row)
  const { record, fields } = proposal
  const isNew = named.kind === 'nft' && !orderableStatuses.includes(String(record.status))
  const externalId = String(record.id)
  const token = tokenOf(record, proposal)
  if (named.kind === 'nft') await requirePicture(ctx, proposal)
  const proven = isNew
    ? await proveToken(ctx, { token, holder: { id, wallet, walletChainId }, externalId })
    : []
  const line = isNew ? released({ ...record, ...fields }, ctx.now) : { ...record, ...fields }
  await writeLines(ctx, [{ line: JSON.stringify(line), stored: row.record }], {
    isConfirmed: true,
    guards: [
      refuseOther(named),
      guard('content_missing', 'its files are not uploaded yet')`EXISTS (SELECT 1 FROM nfts
        WHERE ${named.kind === 'nft'} AND id = ${named.number} AND missingFiles > 0)`,
      ...proven,
    ],
    audited: [{ action: `${named.kind}.approve`, subject: named.number }],
    also: [setProposal(ctx, named.kind, externalId, null)],
  })
  return toProposal(row)
}

/** Says why something is not put on sale. Throws `not_found`, `conflict`. */
export async function rejectProposal(
  ctx: Ctx,
  { reason, ...named }: Named & { reason: string },
): Promise<Proposal> {
  const { db, caller } = ctx
  const { rows } = await writeAs(db, caller, [refuseOther(named)], {
    rows: selectProposal(ctx, named.kind, named.number),
    changed: raw<never>(db)`UPDATE proposals SET state = 'rejected', reason = ${reason}
      WHERE kind = ${named.kind} AND subjectId = ${named.number} AND version = ${named.version}`,
    record: recordAction(ctx, { action: `${named.kind}.reject`, subject: named.number }),
  })
  const [row] = rows
  if (!row) throw notFound()
  return toProposal(row)
}
