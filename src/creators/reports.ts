/** What people say who think that an NFT is not its creator's. It hides nothing: operators look at it. */
import { type SQL, sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { recordAction } from '../auth/audit.ts'
import { takeQuotas } from '../db/quota.ts'
import { nfts } from '../db/schema/catalogue.ts'
import { raw } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { guard, quotaOf } from '../http/guard.ts'
import { creatorLimits } from '../limits.ts'
import { isPublicSql } from '../marketplace/query.ts'

/** Stores what the caller says of an NFT that everybody may see, in place of what the caller said before. */
export async function reportNft(
  { db, caller, now }: Ctx,
  { nftId, text }: { nftId: number; text: string },
): Promise<void> {
  const at = now.toISOString()
  const { guards, uses } = takeQuotas(db, now, [quotaOf(creatorLimits.reports, caller.userId)])
  const unknown = guard('not_found', 'there is no such NFT')`NOT EXISTS (
    SELECT 1 FROM ${nfts} WHERE id = ${nftId} AND ${isPublicSql(at)})`
  await writeAs(db, caller, [unknown, ...guards], {
    uses,
    report: raw<never>(db)`INSERT INTO reports (nftId, userId, text, createdAt)
      VALUES (${nftId}, ${caller.userId}, ${text}, ${at})
      ON CONFLICT DO UPDATE SET text = excluded.text, createdAt = excluded.createdAt`,
  })
}

/** What pages show of the reports, at most. */
const SHOWN = 500

/** Selects the newest reports, the newest first, by a condition on the report `r`. */
export const selectReports = ({ db }: Pick<Ctx, 'db'>, condition: SQL = sql`true`) =>
  raw<{ nftId: number; title: string; userId: number; text: string; createdAt: string }>(db)`
    SELECT r.nftId, n.title, r.userId, r.text, r.createdAt FROM reports r JOIN nfts n ON n.id = r.nftId
    WHERE ${condition} ORDER BY r.createdAt DESC LIMIT ${SHOWN}`

/** Deletes the reports of an NFT that somebody has looked at: those up to a time. */
export async function dismissReports(
  ctx: Ctx,
  { nftId, until }: { nftId: number; until: string },
): Promise<void> {
  const { db, caller } = ctx
  await writeAs(db, caller, [], {
    dismissed: raw<never>(db)`DELETE FROM reports WHERE nftId = ${nftId} AND createdAt <= ${until}`,
    record: recordAction(ctx, { action: 'report.dismiss', subject: nftId }),
  })
}
