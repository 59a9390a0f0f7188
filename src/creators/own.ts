/** What a user lists: the records, and what waits of them. */
import { type SQL, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { parseRecord } from '../catalogue/change.ts'
import { listingRecord, nftRecord, userReference } from '../catalogue/sql.ts'
import type { proposals } from '../db/schema/creators.ts'
import { raw } from '../db/statements.ts'
import { isUnlimitedSql } from '../db/stock.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { type Kind, refOf, stateOf } from './record.ts'

type Row = {
  /** What comes before `/` and the `ref` in the ids of the user's records. */
  owner: string
  isNamed: 0 | 1
  approved: 0 | 1
  wallet: string
  walletChainId: number
  number: number | null
  externalId: string | null
  status: string | null
  record: string | null
  available: number | null
  isEnded: 0 | 1
  /** The state of what waits of the NFT. */
  waits: ProposalRow['state']
} & ProposalRow

type ProposalColumns = Pick<
  typeof proposals.$inferSelect,
  'state' | 'fields' | 'version' | 'reason' | 'submittedAt'
>
type ProposalRow = ProposalColumns | { [K in keyof ProposalColumns]: null }

/** The tables of a record of the user `u`, after FROM. `id`: a condition on it. */
const sources = {
  nft: (id: SQL) => sql`LEFT JOIN nfts n ON n.creatorId = u.id AND n.deletedAt IS NULL AND ${id}
    LEFT JOIN proposals p ON p.kind = 'nft' AND p.subjectId = n.id`,
  listing: (
    id: SQL,
  ) => sql`LEFT JOIN listings l ON l.sellerId = u.id AND l.type = 'regular' AND ${id}
    LEFT JOIN nfts n ON n.id = l.nftId LEFT JOIN proposals p ON p.kind = 'listing' AND p.subjectId = l.id
    LEFT JOIN proposals w ON w.kind = 'nft' AND w.subjectId = n.id`,
} as const satisfies Record<Kind, (id: SQL) => SQL>

/** Whether the listing `l` is withdrawn. */
export const isWithdrawnListingSql = sql`(NOT l.active AND l.activeTill <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`

const columns = {
  nft: sql`n.id AS number, n.externalId, iif(n.id IS NULL, NULL, ${sql.raw(nftRecord())}) AS record,
    0 AS isEnded, p.state AS waits`,
  listing: sql`l.id AS number, l.externalId, iif(l.id IS NULL, NULL, ${sql.raw(listingRecord)}) AS record,
    ${isWithdrawnListingSql} AS isEnded, w.state AS waits`,
} as const satisfies Record<Kind, SQL>

const owner = sql.raw(userReference('u'))

const ownSql = ({ caller }: Pick<Ctx, 'caller'>, kind: Kind, id: SQL) =>
  sql`SELECT ${owner} AS owner, u.externalId IS NOT NULL AS isNamed, u.approved,
      u.ethereumPublicAddr AS wallet, u.walletChainId, ${columns[kind]}, n.status,
      iif(${isUnlimitedSql('n')}, NULL, n.availableAmount) AS available,
      p.state, p.fields, p.version, p.reason, p.submittedAt
    FROM users u ${sources[kind](id)} WHERE u.id = ${caller.userId}`

type OwnCtx = Pick<Ctx, 'db' | 'caller'>

/** Selects the user who calls, and the record that the user calls `ref`, for `toOwn`. */
export function selectOwn(ctx: OwnCtx, kind: Kind, ref: string) {
  const id = sql`${sql.raw(kind === 'nft' ? 'n' : 'l')}.externalId = ${owner} || '/' || ${ref}`
  return raw<Row>(ctx.db)`${ownSql(ctx, kind, id)}`
}

/** The user who calls, and the stored record, or null. */
export type Own = ReturnType<typeof toOwn>

export function toOwn([row]: readonly Row[], ref: string) {
  if (!row) throw new ApiError('not_found', 'there is no such user')
  const { owner: reference, isNamed, approved, wallet, walletChainId } = row
  return {
    user: { reference, isNamed: isNamed === 1, isApproved: approved === 1, wallet, walletChainId },
    externalId: `${reference}/${ref}`,
    stored: toStored(row),
  }
}

/** Returns the user who calls, and the record that the user calls `ref`, if there is one. */
export async function readOwnRecord(ctx: Ctx, kind: Kind, ref: string) {
  const { rows } = await readAs(ctx.db, ctx.caller, { rows: selectOwn(ctx, kind, ref) })
  return toOwn(rows, ref)
}

function toStored(row: Row) {
  const { number, externalId, status, record, available } = row
  if (number === null || externalId === null || record === null || status === null) return null
  return {
    number,
    ref: refOf(externalId, row.owner),
    json: record,
    record: parseRecord(record),
    state: row.isEnded ? 'withdrawn' : stateOf(status, row.waits),
    available,
    proposal: toProposal(row),
  } as const
}

const toProposal = ({ state, fields, version, reason, submittedAt }: ProposalRow) =>
  state === null ? null : { state, version, reason, submittedAt, fields: parseRecord(fields) }

export type Stored = NonNullable<ReturnType<typeof toStored>>

export const requireStored = ({ stored }: Own): Stored => {
  if (!stored) throw new ApiError('not_found', 'you list nothing under this ref')
  return stored
}

type OwnPage = { before: number; limit: number }

/** Selects a page of the records of the user who calls, the newest first, for `toOwnPage`. `before`: a number. */
export function selectOwnPage(ctx: OwnCtx, kind: Kind, { before, limit }: OwnPage) {
  const table = sql.raw(kind === 'nft' ? 'n' : 'l')
  return raw<Row>(ctx.db)`${ownSql(ctx, kind, sql`${table}.id < ${before}`)}
    AND ${table}.id IS NOT NULL ORDER BY ${table}.id DESC LIMIT ${limit + 1}`
}

export function toOwnPage(rows: readonly Row[], { limit }: Pick<OwnPage, 'limit'>) {
  const found = rows.flatMap((row) => toStored(row) ?? [])
  const page = found.slice(0, limit)
  return { page, next: found.length > limit ? (page.at(-1)?.number ?? null) : null }
}

/** Returns a page of the records of the user who calls. */
export async function listOwn(ctx: Ctx, kind: Kind, page: OwnPage) {
  const { rows } = await readAs(ctx.db, ctx.caller, { rows: selectOwnPage(ctx, kind, page) })
  return toOwnPage(rows, page)
}
