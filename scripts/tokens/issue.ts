/** API tokens that an operator makes, without signing in. */
import { and, desc, eq, gt, isNull } from 'drizzle-orm'
import { ADMINISTRATOR, tokens, users } from '../../src/db/schema.ts'
import { issuerSchema } from '../../src/env.ts'
import { API_TOKEN_LIFE, type Issuer, newToken, signToken } from '../../src/identity/tokens.ts'
import type { Store } from '../database/remote.ts'
import { Failure } from '../shell/command.ts'

/** The issuer that variables and secrets describe. Throws a failure that names what is wrong. */
export function issuerOf(variables: object): Issuer {
  const { success, data, error } = issuerSchema.safeParse(variables)
  if (!success)
    throw new Failure(
      error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'),
    )
  return { url: data.PUBLIC_URL, keys: data.JWT_KEYS.keys }
}

export type Wish = {
  role: 'user' | 'master'
  /** Whose it is; a master token may be any administrator's. */
  userId?: number
  /** What the settings page calls it. */
  name: string
}

/** Stores a token's claims and gives the JWT. Throws a failure when there is no such owner. */
export async function issueToken(
  store: Store,
  issuer: Issuer,
  wish: Wish,
  now: Date,
): Promise<string> {
  const userId = await ownerOf(store, wish)
  const token = newToken(issuer, { userId, role: wish.role }, API_TOKEN_LIFE, now)
  await store.insert(tokens).values({ ...token, kind: 'api', name: wish.name })
  return signToken(issuer, token)
}

/** As `issueToken`, but gives the newest one of that name and role while it has a day to live. */
export async function standingToken(
  store: Store,
  issuer: Issuer,
  wish: Wish,
  now: Date,
): Promise<string> {
  const tomorrow = new Date(now.getTime() + 24 * 60 * 60 * 1000).toISOString()
  const [token] = await store
    .select()
    .from(tokens)
    .where(
      and(
        eq(tokens.name, wish.name),
        eq(tokens.role, wish.role),
        isNull(tokens.revokedAt),
        gt(tokens.expiresAt, tomorrow),
      ),
    )
    .orderBy(desc(tokens.createdAt))
    .limit(1)
  return token ? signToken(issuer, token) : issueToken(store, issuer, wish, now)
}

async function ownerOf(store: Store, { role, userId }: Wish): Promise<number> {
  if (userId === undefined) return anAdministrator(store)
  const [user] = await store
    .select({ roleId: users.roleId, removedAt: users.removedAt })
    .from(users)
    .where(eq(users.id, userId))
  if (!user || user.removedAt) throw new Failure(`There is no user ${userId}.`)
  if (role === 'master' && user.roleId !== ADMINISTRATOR)
    throw new Failure(
      `User ${userId} is no administrator, and only an administrator's master token is taken.\n${howToAppoint(userId)}`,
    )
  return userId
}

async function anAdministrator(store: Store): Promise<number> {
  const [user] = await store
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.roleId, ADMINISTRATOR), isNull(users.removedAt)))
    .orderBy(users.id)
    .limit(1)
  if (user) return user.id
  throw new Failure(`There is no administrator yet.\n${howToAppoint('<user id>')}`)
}

const howToAppoint = (userId: number | string) =>
  `To make one: npx wrangler d1 execute DB --command "UPDATE users SET roleId = ${ADMINISTRATOR} WHERE id = ${userId}" (with --remote --env <environment> for a deployed instance)`
