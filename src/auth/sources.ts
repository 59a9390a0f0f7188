/**
 * Who placed an order, as three texts. The kind of the token is in front of the name.
 *
 * - `namespace` stands for one shop: order numbers and idempotency keys are unique within it. `master:<name>`, or
 *   `user:<identity hash>:<name>` for the token of a user. It holds in a restored database, too.
 * - `source` is what shops and events see of it: `master:<name>` or `user:<name>`, without the hash.
 * - `placer` is who gets a share of each batch: `account:<user id>`, or the namespace of a master token.
 *
 * See docs/decisions.md, "Tokens".
 */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { users } from '../db/schema/users.ts'
import type { Caller } from '../http/context.ts'

type NamedToken = { role: Caller['role']; userId: number | SQL; name: string }

/** The namespace of a token, as SQL: the hash of the user is only known in the database. */
export const tokenNamespace = ({ role, userId, name }: NamedToken): SQL =>
  role === 'master'
    ? sql`${`master:${name}`}`
    : sql`(SELECT 'user:' || identityHash || ${`:${name}`} FROM ${users} WHERE id = ${userId})`

/** Returns the kind and the name of the token that has a namespace. */
export function parseNamespace(namespace: string): { kind: 'master' | 'user'; name: string } {
  const name = namespace.replace(/^master:|^user:[^:]*:/, '')
  return { kind: namespace.startsWith('user:') ? 'user' : 'master', name }
}

/** Returns the name of the token that has a source. */
export const nameOfSource = (source: string): string => source.slice(source.indexOf(':') + 1)

/** `nameOfSource` in SQL. */
export const nameOfSourceSql = (source: SQLWrapper): SQL<string> =>
  sql`substr(${source}, instr(${source}, ':') + 1)`

/** Returns the sources of the tokens of this name. */
export const sourcesNamed = (name: string) => [`master:${name}`, `user:${name}`] as const

/** `sourcesNamed` in SQL, in the same order. */
export const sourcesNamedSql = (name: SQL | string | null): readonly [SQL, SQL] => [
  sql`'master:' || ${name}`,
  sql`'user:' || ${name}`,
]

/** The placer of the orders of a namespace. `placedBy`: the user whose token placed them; null for a master token. */
export const placerSql = (placedBy: number | null, namespace: string): SQL<string> =>
  sql`coalesce('account:' || CAST(${placedBy} AS INTEGER), ${namespace})`
