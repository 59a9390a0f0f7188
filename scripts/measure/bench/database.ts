/** The database of the bench: a synthetic catalogue and the master token of user 1. */
import { globSync, readFileSync } from 'node:fs'
import { API_TOKEN_LIFETIME, type Issuer, newToken, signToken } from '../../../src/auth/tokens.ts'
import { NO_IDS, type Size, synthetic } from '../../../test/support/synthetic.ts'

/** Delivery addresses of user 1. */
const ADDRESSES = 5

/** Creates a master token of user 1. Returns the JWT and the SQL that stores its record. */
export async function createMasterToken(issuer: Issuer): Promise<{ jwt: string; sql: string[] }> {
  const token = newToken(issuer, { userId: 1, role: 'master' }, API_TOKEN_LIFETIME, new Date())
  const { id, userId, role, keyId, createdAt, expiresAt } = token
  return {
    jwt: await signToken(issuer, token),
    sql: [
      'UPDATE users SET roleId = 1 WHERE id = 1',
      `INSERT INTO tokens (id, userId, kind, role, name, namespace, keyId, createdAt, expiresAt) VALUES
       ('${id}', ${userId}, 'api', '${role}', 'bench', 'master:bench', '${keyId}', '${createdAt}', '${expiresAt}')`,
    ],
  }
}

/** Returns the SQL that migrates an empty database and fills it. */
export function databaseSql(size: Size): string[] {
  const migrations = globSync('migrations/*.sql')
    .sort()
    .flatMap((file) => readFileSync(file, 'utf8').split('--> statement-breakpoint'))
  const address = `INSERT INTO addresses (kind, userId, name, street, city, createdAt, updatedAt)
    SELECT kind, userId, name, street, city, createdAt, updatedAt FROM addresses
    WHERE userId = 1 AND kind = 'delivery' LIMIT 1`
  // The synthetic catalogue has one delivery address per user.
  const addresses = Array.from({ length: ADDRESSES - 1 }, () => address)
  return [...migrations, ...synthetic(size, NO_IDS), ...addresses]
}
