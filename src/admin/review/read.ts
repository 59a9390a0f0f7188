/** What operators look at before they approve it, or reject it. */
import { type SQL, sql } from 'drizzle-orm'
import { readAsUser } from '../../auth/session.ts'
import { type Fields, parseRecord, selectRecord } from '../../catalogue/change.ts'
import type { Kind } from '../../creators/record.ts'
import { selectReports } from '../../creators/reports.ts'
import { type Proposal, selectProposal, selectWaiting, toProposal } from '../../creators/review.ts'
import { raw } from '../../db/statements.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError } from '../../http/errors.ts'
import { MAX_COUNT } from '../../monitoring/state-rows.ts'
import { LIMIT } from '../components/layout.tsx'
import { selectFoundNfts } from '../components/nfts.tsx'

type Report = { userId: number; text: string; createdAt: string }
export type ReportedNft = { nftId: number; title: string; reports: [Report, ...Report[]] }

/** Returns the oldest of what waits, and the NFTs with reports, those with the most first. */
export async function readReview(ctx: Ctx) {
  const { account, waiting, reports } = await readAsUser(ctx, {
    waiting: selectWaiting(ctx, LIMIT),
    reports: selectReports(ctx),
  })
  const reported = [...Map.groupBy(reports, ({ nftId }) => nftId).values()].flatMap(
    ([first, ...others]): ReportedNft[] =>
      first ? [{ nftId: first.nftId, title: first.title, reports: [first, ...others] }] : [],
  )
  return {
    account,
    waiting: waiting.map(toProposal),
    reported: reported.sort((a, b) => b.reports.length - a.reports.length),
  }
}

type Named = { kind: Kind; number: number }

/** The id of the NFT of what is named. */
const nftIdSql = ({ kind, number }: Named): SQL<number> =>
  kind === 'nft' ? sql`${number}` : sql`(SELECT nftId FROM listings WHERE id = ${number})`

type Creator = { approvedAt: string | null; createdAt: string; nfts: number }

/** Returns something that waits, as it would be, with who lists it and what else tells whose it is. Throws `not_found`. */
export async function readWaiting(ctx: Ctx, named: Named) {
  const { db } = ctx
  const id = nftIdSql(named)
  const own = sql`SELECT * FROM nfts WHERE id = ${id}`
  const { account, rows, nfts, creators, others, reports } = await readAsUser(ctx, {
    rows: selectProposal(ctx, named.kind, named.number),
    nfts: selectRecord(ctx, { type: 'nft', id, owner: null }),
    creators: raw<Creator>(db)`SELECT u.approvedAt, u.createdAt,
        (SELECT count(*) FROM (SELECT 1 FROM nfts WHERE creatorId = u.id LIMIT ${MAX_COUNT})) AS nfts
      FROM proposals p JOIN users u ON u.id = p.userId
      WHERE p.kind = ${named.kind} AND p.subjectId = ${named.number}`,
    others: selectFoundNfts(
      db,
      sql`n.id IN (SELECT o.id FROM (${own}) own JOIN nfts o ON o.contractNetwork = own.contractNetwork
        AND o.contractAddr = own.contractAddr AND o.tokenId = own.tokenId AND o.id <> own.id)`,
    ),
    reports: selectReports(ctx, sql`r.nftId = ${id}`),
  })
  const [row] = rows
  const [nft] = nfts
  const [creator] = creators
  if (!row || !nft || !creator)
    throw new ApiError('not_found', 'nothing of this number waits to be approved')
  const proposal = toProposal(row)
  return {
    account,
    proposal,
    nft: nftAsProposed(proposal, parseRecord(nft.record)),
    creator,
    others,
    reports,
  }
}

/** The record of the NFT, with what waits of it. */
const nftAsProposed = ({ kind, fields }: Proposal, nft: Fields): Fields =>
  kind === 'nft' ? { ...nft, ...fields } : nft
