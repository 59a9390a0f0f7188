/** Takes what somebody lists from the sale. What is paid is delivered all the same. */
import { type ChangeCtx, writeLines } from '../catalogue/change.ts'
import { raw } from '../db/statements.ts'
import { type Own, requireStored, type Stored } from './own.ts'
import type { Kind } from './record.ts'
import { setProposal } from './save.ts'

/** Throws `not_found`. What is withdrawn already stays so. */
export async function withdrawRecord(ctx: ChangeCtx, kind: Kind, own: Own): Promise<void> {
  const stored = requireStored(own)
  if (stored.state === 'withdrawn') return
  const ended =
    kind === 'nft' ? { status: 'withdrawn' } : { active: false, activeTill: ctx.now.toISOString() }
  await writeLines(
    ctx,
    [{ line: JSON.stringify({ ...stored.record, ...ended }), stored: stored.json }],
    {
      isConfirmed: true,
      audited: [],
      also: [setProposal(ctx, kind, own.externalId, null), ...linksOf(ctx, kind, stored)],
    },
  )
}

/** With an NFT, nobody approves links to shops of its listings any more. */
const linksOf = ({ db }: ChangeCtx, kind: Kind, { number }: Stored) =>
  kind === 'listing'
    ? []
    : [
        raw<never>(db)`DELETE FROM proposals WHERE kind = 'listing'
          AND subjectId IN (SELECT id FROM listings WHERE nftId = ${number})`,
      ]
