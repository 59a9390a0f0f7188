/** Issues API tokens for an operator, without a sign-in. */
import { and, desc, eq, isNull, notExists, type SQL, sql } from 'drizzle-orm'
import { tokenNamespace } from '../../../src/auth/sources.ts'
import {
  API_TOKEN_LIFETIME,
  type Issuer,
  newToken,
  signToken,
  type TokenRecord,
} from '../../../src/auth/tokens.ts'
import { ADMINISTRATOR, tokens, users } from '../../../src/db/schema/users.ts'
import { issuerSchema } from '../../../src/env.ts'
import { hasNamespaceSql, TokenName } from '../../../src/identity/namespace.ts'
import { DAY } from '../../../src/time.ts'
import { CommandError } from '../../shell/command.ts'
import type { SqliteDatabase } from '../database/remote.ts'

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
  /** Default: `write`. */
  scope?: 'write' | 'orders' | 'metrics'
  /** The owner. Without it, a master token belongs to the first administrator. */
  userId?: number
  /** The name that the settings page shows. It decides the namespace. */
  name: string
}

/** Parses the name of a token. Throws a `CommandError`. */
export function parseTokenName(name: string): string {
  const { success, data, error } = TokenName.safeParse(name)
  if (!success) throw new CommandError(`--name: ${error.issues[0]?.message}`)
  return data
}

/**
 * Returns the JWT of the live token of this name, role and scope. Stores a new one if none is valid for
 * another day; one that still is valid for less than that works until it expires. Throws a
 * `CommandError` if the token cannot have this owner, or belongs to another one.
 */
export async function issueToken(
  db: SqliteDatabase,
  issuer: Issuer,
  request: TokenRequest,
  now: Date,
): Promise<string> {
  const { role, scope = 'write' } = request
  const name = parseTokenName(request.name)
  const userId = await findOwner(db, request)
  const [live] = await db
    .select()
    .from(tokens)
    .where(hasNamespaceSql({ role, userId, name }, now))
    .orderBy(desc(tokens.createdAt))
    .limit(1)
  if (live && live.userId !== userId)
    throw new CommandError(
      `User ${live.userId} has a live master token with the name "${name}". Choose another --name, or revoke that token in Settings → API Access.`,
    )
  if (live && live.scope !== scope)
    throw new CommandError(
      `There is a live token with the name "${name}" and another permission. Choose another --name, or revoke that token in Settings → API Access.`,
    )
  const tomorrow = new Date(now.getTime() + DAY)
  if (live && live.expiresAt > tomorrow.toISOString()) return signToken(issuer, live)
  const token = newToken(issuer, { userId, role, scope }, API_TOKEN_LIFETIME, now)
  if (!(await storeToken(db, { ...token, name }, tomorrow)))
    throw new CommandError(`Another "${name}" token was generated meanwhile. Run this again.`)
  return signToken(issuer, token)
}

/**
 * Stores a token, unless another one of its name is live at `liveAt`. Returns whether it is stored.
 * One statement checks and writes, because remote databases support no batches.
 */
async function storeToken(
  db: SqliteDatabase,
  token: TokenRecord & { name: string },
  liveAt: Date,
): Promise<boolean> {
  const row = { ...token, kind: 'api', namespace: tokenNamespace(token) }
  const columns = Object.keys(row).map((column) => sql.identifier(column))
  const values = Object.values(row).map((value) => sql`${value}`)
  const taken = db.select({ id: tokens.id }).from(tokens).where(hasNamespaceSql(token, liveAt))
  const stored = await db.all(sql`INSERT INTO ${tokens} (${sql.join(columns, sql`, `)})
    SELECT ${sql.join(values, sql`, `)} WHERE ${notExists(taken)} RETURNING id`)
  return stored.length > 0
}

async function findOwner(db: SqliteDatabase, { role, userId }: TokenRequest): Promise<number> {
  if (userId === undefined) {
    const first = await findAdministrator(db)
    if (first) return first
    throw new CommandError(`There is no administrator yet.\n${appointmentHint('<user id>')}`)
  }
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

/** Returns the id of the first administrator that meets the condition. */
export async function findAdministrator(
  db: SqliteDatabase,
  condition?: SQL,
): Promise<number | undefined> {
  const [user] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.roleId, ADMINISTRATOR), isNull(users.removedAt), condition))
    .orderBy(users.id)
    .limit(1)
  return user?.id
}

const appointmentHint = (userId: number | string) =>
  `To appoint one: npx wrangler d1 execute DB --command "UPDATE users SET roleId = ${ADMINISTRATOR} WHERE id = ${userId}" (for a deployed instance add --remote --env <environment>)`
