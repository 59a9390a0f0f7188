/** Issues API tokens for an operator, without a sign-in. */
import { and, desc, eq, gt, isNull } from 'drizzle-orm'
import { API_TOKEN_LIFETIME, type Issuer, newToken, signToken } from '../../src/auth/tokens.ts'
import { ADMINISTRATOR, tokens, users } from '../../src/db/schema.ts'
import { issuerSchema } from '../../src/env.ts'
import type { SqliteDatabase } from '../database/remote.ts'
import { CommandError } from '../shell/command.ts'

const DAY = 24 * 60 * 60 * 1000

/** Parses variables and secrets. Throws a `CommandError` that names the invalid ones. */
export function parseIssuer(variables: object): Issuer {
  const { success, data, error } = issuerSchema.safeParse(variables)
  if (!success)
    throw new CommandError(
      error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'),
    )
  return { url: data.PUBLIC_URL, keys: data.JWT_KEYS.keys }
}

export type TokenRequest = {
  role: 'user' | 'master'
  /** The owner. Without it, a master token belongs to the first administrator. */
  userId?: number
  /** The name that the settings page shows. */
  name: string
}

/**
 * Returns the JWT of the owner's newest token of this name and role. Stores a new one if none is
 * valid for another day. Throws a `CommandError` if the token cannot have this owner.
 */
export async function issueToken(
  db: SqliteDatabase,
  issuer: Issuer,
  request: TokenRequest,
  now: Date,
): Promise<string> {
  const { role, name } = request
  const userId = await findOwner(db, request)
  const [live] = await db
    .select()
    .from(tokens)
    .where(
      and(
        eq(tokens.userId, userId),
        eq(tokens.kind, 'api'),
        eq(tokens.name, name),
        eq(tokens.role, role),
        isNull(tokens.revokedAt),
        gt(tokens.expiresAt, new Date(now.getTime() + DAY).toISOString()),
      ),
    )
    .orderBy(desc(tokens.createdAt))
    .limit(1)
  if (live) return signToken(issuer, live)
  const token = newToken(issuer, { userId, role }, API_TOKEN_LIFETIME, now)
  await db.insert(tokens).values({ ...token, kind: 'api', name })
  return signToken(issuer, token)
}

async function findOwner(db: SqliteDatabase, { role, userId }: TokenRequest): Promise<number> {
  if (userId === undefined) return findAdministrator(db)
  const [user] = await db
    .select({ roleId: users.roleId, removedAt: users.removedAt })
    .from(users)
    .where(eq(users.id, userId))
  if (!user || user.removedAt) throw new CommandError(`There is no user ${userId}.`)
  if (role === 'master' && user.roleId !== ADMINISTRATOR)
    throw new CommandError(
      `User ${userId} is not an administrator. Only administrators can have master tokens.\n${appointmentHint(userId)}`,
    )
  return userId
}

async function findAdministrator(db: SqliteDatabase): Promise<number> {
  const [user] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.roleId, ADMINISTRATOR), isNull(users.removedAt)))
    .orderBy(users.id)
    .limit(1)
  if (user) return user.id
  throw new CommandError(`There is no administrator yet.\n${appointmentHint('<user id>')}`)
}

const appointmentHint = (userId: number | string) =>
  `To appoint one: npx wrangler d1 execute DB --command "UPDATE users SET roleId = ${ADMINISTRATOR} WHERE id = ${userId}" (for a deployed instance add --remote --env <environment>)`
