/** Stores what somebody lists: a line of an import, and a proposal of what has to be approved. */
import { type SQL, sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { type ChangeCtx, type Fields, writeLines } from '../catalogue/change.ts'
import { userReference } from '../catalogue/sql.ts'
import { readRoyalty } from '../chain/holding.ts'
import type { Guard } from '../db/batch.ts'
import { takeQuotas } from '../db/quota.ts'
import { raw } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { guard, quotaOf } from '../http/guard.ts'
import { creatorLimits } from '../limits.ts'
import type { Own } from './own.ts'
import { type RecordPlan, released } from './plan.ts'
import { proveToken } from './proof.ts'
import type { Kind } from './record.ts'

export type SaveCtx = ChangeCtx & { settings: Settings }

const lostRace = () => new ApiError('conflict', 'this has changed meanwhile: send it again')

/** Names a user in the catalogue for good: the ids of the user's records begin with it. */
async function nameUser({ db, caller }: Ctx): Promise<void> {
  await writeAs(db, caller, [], {
    named: raw(db)`UPDATE users SET externalId = ${sql.raw(userReference('users'))}
      WHERE id = ${caller.userId} AND externalId IS NULL`,
  })
}

/** Stores a planned record. Throws what `proveToken` and an import throw. */
export async function saveRecord(ctx: SaveCtx, own: Own, plan: RecordPlan): Promise<void> {
  const { db, caller, now, settings } = ctx
  const { user, externalId, stored } = own
  const proven = plan.token
    ? await proveToken(ctx, {
        token: plan.token,
        holder: { ...user, id: caller.userId },
        externalId,
      })
    : []
  const isReleased = plan.line.status === 'released' && stored?.state !== 'released'
  const planned = isReleased ? released(plan.line, now) : plan.line
  const line = plan.token ? await withRoyalty(settings, planned) : planned
  if (!user.isNamed) await nameUser(ctx)
  const newRecords = takeQuotas(
    db,
    now,
    stored ? [] : [quotaOf(creatorLimits.newRecords, caller.userId)],
  )
  await writeLines(ctx, [{ line: JSON.stringify(line), stored: stored?.json ?? null }], {
    isConfirmed: plan.isConfirmed,
    guards: [...ownGuards(ctx, own, plan), ...proven, ...newRecords.guards],
    audited: [],
    also: [
      ...newRecords.uses,
      setProposal(ctx, plan.kind, externalId, plan.proposal),
      refuseOverShare(ctx),
    ],
  }).catch(explainFull)
}

/** Where a record is stored, and whose it is. */
const tables = {
  nft: { table: sql`nfts`, isOwn: sql`creatorId = ` },
  listing: { table: sql`listings`, isOwn: sql`type = 'regular' AND sellerId = ` },
} as const satisfies Record<Kind, { table: SQL; isOwn: SQL }>

/** What the plan was made of has to be as it was, and the user's own. */
function ownGuards({ caller: { userId } }: SaveCtx, own: Own, { kind, line }: RecordPlan): Guard[] {
  const { user, externalId, stored } = own
  const { table, isOwn } = tables[kind]
  const guards = [
    {
      when: sql`NOT EXISTS (SELECT 1 FROM users WHERE id = ${userId}
        AND approved = ${Number(user.isApproved)} AND ethereumPublicAddr = ${user.wallet})`,
      error: lostRace,
    },
    guard('not_found', 'you list nothing under this ref')`EXISTS (SELECT 1 FROM ${table}
      WHERE externalId = ${externalId} AND NOT (${isOwn} ${userId}))`,
    {
      when: sql`(SELECT id FROM ${table} WHERE externalId = ${externalId}) IS NOT ${stored?.number ?? null}
        OR (SELECT version FROM proposals WHERE kind = ${kind} AND subjectId = ${stored?.number ?? null})
          IS NOT ${stored?.proposal?.version ?? null}`,
      error: lostRace,
    },
  ]
  if (kind === 'nft') return guards
  return [
    ...guards,
    guard('nft_not_found', 'you list no such NFT')`NOT EXISTS (SELECT 1 FROM nfts
      WHERE externalId = ${String(line.nft)} AND creatorId = ${userId} AND heldBySeller
        AND status <> 'withdrawn' AND deletedAt IS NULL)`,
  ]
}

/** A token that names no fee has that of its contract (ERC-2981). It is shown, and not promised. */
async function withRoyalty({ NETWORKS }: Settings, line: Fields): Promise<Fields> {
  const network = NETWORKS[String(line.network)]
  if (!network || line.fee !== null || line.feeRecipient !== null) return line
  const royalty = await readRoyalty(network, {
    contract: String(line.contract),
    tokenId: String(line.tokenId),
  })
  return { ...line, ...royalty }
}

/** Replaces what waits of a record. */
export function setProposal(
  { db, caller, now }: Ctx,
  kind: Kind,
  externalId: string,
  proposal: RecordPlan['proposal'],
) {
  const subject = sql`(SELECT id FROM ${tables[kind].table} WHERE externalId = ${externalId})`
  if (!proposal)
    return raw<never>(db)`DELETE FROM proposals WHERE kind = ${kind} AND subjectId = ${subject}`
  return raw<never>(
    db,
  )`INSERT INTO proposals (kind, subjectId, userId, state, fields, version, submittedAt)
    VALUES (${kind}, ${subject}, ${caller.userId}, ${proposal.state}, ${JSON.stringify(proposal.fields)},
      ${crypto.randomUUID()}, ${now.toISOString()})
    ON CONFLICT DO UPDATE SET state = excluded.state, fields = excluded.fields,
      version = excluded.version, reason = NULL, submittedAt = excluded.submittedAt`
}

const FULL = 'own_content_full'

/** Stops the transaction if the files of what a user lists are too many bytes together. */
const refuseOverShare = ({ db, caller, settings }: SaveCtx) =>
  raw<never>(db)`INSERT INTO guard SELECT iif(coalesce((SELECT sum(f.bytes) FROM nfts n
      JOIN contentFiles f ON f.nftId = n.id WHERE n.creatorId = ${caller.userId}), 0)
    > ${Math.floor(settings.MAX_CONTENT_BYTES * creatorLimits.content.max)}, ${FULL}, NULL)`

const explainFull = (error: unknown): never => {
  if (String(error).includes(FULL))
    throw new ApiError('content_full', 'the files of what you list would exceed your share')
  throw error
}
