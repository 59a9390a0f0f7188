/** Permissions of administrators: a user lists pieces that a contract mints, without owning the contract. */
import { isUnknownUserSql, writeAs } from '../auth/access.ts'
import { recordAction } from '../auth/audit.ts'
import type { mintPermissions } from '../db/schema/creators.ts'
import { raw } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { rejected } from '../http/errors.ts'
import { guard } from '../http/guard.ts'

export type MintPermission = typeof mintPermissions.$inferSelect

export const selectMintPermissions = ({ db }: Pick<Ctx, 'db'>, userId: number) =>
  raw<MintPermission>(db)`SELECT * FROM mintPermissions WHERE userId = ${userId}
    ORDER BY network, contract`

type Permission = Omit<MintPermission, 'createdAt'>

/** Throws `network_not_found`, and `conflict` for a user whose data were removed. */
export async function permitMint(
  ctx: Ctx & { settings: Pick<Settings, 'NETWORKS'> },
  { userId, network, contract }: Permission,
): Promise<void> {
  const { db, caller, now, settings } = ctx
  if (!settings.NETWORKS[network])
    throw rejected([{ path: 'network', code: 'network_not_found', message: 'is not configured' }])
  const unknown = guard(
    'conflict',
    'there is no such user, or no more',
  )`${isUnknownUserSql(userId)}`
  await writeAs(db, caller, [unknown], {
    permitted: raw<never>(db)`INSERT INTO mintPermissions (userId, network, contract, createdAt)
      VALUES (${userId}, ${network}, ${contract}, ${now.toISOString()}) ON CONFLICT DO NOTHING`,
    record: recordAction(ctx, {
      action: 'user.permit_mint',
      subject: userId,
      details: { network, contract },
    }),
  })
}

/** What is listed already stays on sale. */
export async function forbidMint(
  ctx: Ctx,
  { userId, network, contract }: Permission,
): Promise<void> {
  const { db, caller } = ctx
  await writeAs(db, caller, [], {
    forbidden: raw<never>(db)`DELETE FROM mintPermissions
      WHERE userId = ${userId} AND network = ${network} AND contract = ${contract}`,
    record: recordAction(ctx, {
      action: 'user.forbid_mint',
      subject: userId,
      details: { network, contract },
    }),
  })
}
