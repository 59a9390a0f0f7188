/** Appoints the first administrator. */
import { eq, isNull, sql } from 'drizzle-orm'
import { ADMINISTRATOR, users } from '../../../src/db/schema/users.ts'
import { EmailAddress } from '../../../src/http/inputs.ts'
import { approval } from '../../../src/identity/approval.ts'
import { hashIdentity, unusedHash } from '../../../src/identity/namespace.ts'
import { CommandError } from '../../shell/command.ts'
import type { SqliteDatabase } from '../database/remote.ts'
import { findAdministrator } from '../tokens/issue.ts'
import { report, type Setup } from './report.ts'

/** Without an address, only looks whether there is an administrator. */
export async function ensureAdministrator(
  { isDryRun, advise }: Setup,
  db: SqliteDatabase,
  address: string | undefined,
  now: Date,
): Promise<void> {
  const email = address === undefined ? undefined : EmailAddress.parse(address)
  const existing = await findAdministrator(db, email ? eq(users.email, email) : undefined)
  if (existing)
    return report('administrator', `user ${existing}${email ? `, ${email}` : ''}: already there`)
  if (!email) return advise('Appoint the first administrator: --administrator <e-mail address>')
  if (isDryRun) return report('administrator', `${email}: would be appointed`)
  const [user] = await appoint(db, email, now)
  if (!user) throw new CommandError(`The account of ${email} is closed. Name another address.`)
  report('administrator', `user ${user.id}, ${email}: appointed`)
}

/**
 * Promotes the user who has the address, or adds one whom the first sign-in by mail finds. One
 * statement, so that a sign-in meanwhile changes nothing. Returns no row if the account is closed.
 */
function appoint(db: SqliteDatabase, email: string, now: Date) {
  const time = now.toISOString()
  return db
    .insert(users)
    .values({
      provider: 'email',
      email,
      identityHash: unusedHash(sql`${hashIdentity('email', email)}`),
      roleId: ADMINISTRATOR,
      approved: true,
      approvedAt: time,
      createdAt: time,
      updatedAt: time,
    })
    .onConflictDoUpdate({
      target: users.email,
      targetWhere: sql`${users.email} <> ''`,
      // Nobody has proved the wallet of an imported user, and it would sign in as an administrator.
      set: {
        roleId: ADMINISTRATOR,
        ...approval(now),
        updatedAt: time,
        ethereumPublicAddr: sql`iif(${users.lastAccessAt} IS NULL, '', ${users.ethereumPublicAddr})`,
      },
      setWhere: isNull(users.removedAt),
    })
    .returning({ id: users.id })
}
