/** Who the administrators are, and who becomes one. */
import { and, asc, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { writeAs } from '../../auth/access.ts'
import { recordAction } from '../../auth/audit.ts'
import { personColumns, readAsUser, refuseOldSignIn } from '../../auth/session.ts'
import { ADMINISTRATOR, users } from '../../db/schema/users.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError } from '../../http/errors.ts'
import { toAsciiDomain } from '../../http/text.ts'
import { approval } from '../../identity/approval.ts'

const hasRole = eq(users.roleId, ADMINISTRATOR)

/** The statement that writes checks it, so of two dismissals at the same time one fails. */
const canBeDismissed = and(
  hasRole,
  sql`EXISTS (SELECT 1 FROM users other WHERE other.roleId = ${ADMINISTRATOR}
    AND other.removedAt IS NULL AND other.id <> ${users.id})`,
)

/** Nobody has proved the address of a user who has never signed in. */
const canBeAppointed = and(
  sql`${users.roleId} IS NOT ${ADMINISTRATOR}`,
  isNotNull(users.lastAccessAt),
  isNull(users.removedAt),
)

/** Matches the user with this e-mail address or username. */
const isNamed = (text: string): SQL =>
  text.includes('@')
    ? sql`${users.email} = ${toAsciiDomain(text).toLowerCase()} AND ${users.email} <> ''`
    : sql`lower(${users.username}) = lower(${text}) AND ${users.username} IS NOT NULL`

/**
 * Returns the signed-in user, all administrators, and the user whom `text` (an e-mail address or a
 * username) names, if they can be appointed.
 */
export async function readAdministrators(ctx: Omit<Ctx, 'now'>, text?: string) {
  const people = () => ctx.db.select(personColumns).from(users)
  const { found, ...read } = await readAsUser(ctx, {
    administrators: people().where(hasRole).orderBy(asc(users.id)),
    found: text ? people().where(and(isNamed(text), canBeAppointed)) : undefined,
  })
  return { ...read, found: found[0] }
}

/**
 * Appoints or dismisses an administrator. Returns the user, and the e-mail address of the caller. When
 * somebody is dismissed, triggers revoke the master tokens and disable the webhooks of all orders.
 */
export async function setAdministrator(
  ctx: Ctx,
  { userId, isAdministrator }: { userId: number; isAdministrator: boolean },
) {
  const { db, caller, now } = ctx
  const guards = [refuseOldSignIn(db, caller, now)]
  const { changed, own } = await writeAs(db, caller, guards, {
    changed: db
      .update(users)
      .set({
        roleId: isAdministrator ? ADMINISTRATOR : null,
        updatedAt: now.toISOString(),
        ...(isAdministrator && approval(now)),
      })
      .where(and(eq(users.id, userId), isAdministrator ? canBeAppointed : canBeDismissed))
      .returning(personColumns),
    record: recordAction(ctx, {
      action: isAdministrator ? 'administrator.appoint' : 'administrator.dismiss',
      subject: userId,
    }),
    own: db.select({ email: users.email }).from(users).where(eq(users.id, caller.userId)),
  })
  const [person] = changed
  if (!person)
    throw new ApiError(
      'conflict',
      isAdministrator
        ? 'this user is an administrator already, or has never signed in'
        : 'this user is the last administrator, or none any more',
    )
  return { person, ownEmail: own[0]?.email ?? '' }
}
