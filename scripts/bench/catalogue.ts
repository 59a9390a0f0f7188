import { readdirSync, readFileSync } from 'node:fs'
import type { SigningKey } from '../../src/env.ts'
import { API_TOKEN_LIFE, newToken, signToken } from '../../src/identity/tokens.ts'
import { type Size, synthetic } from '../catalogue/synthetic.ts'

/** Runs SQL, without parameters, wherever a contender keeps its rows. */
export type Execute = (sql: string) => unknown

export const issuerUrl = 'https://bench.test'

/** The master token of user 1, and the SQL that makes it live. */
export async function masterToken(key: SigningKey): Promise<{ jwt: string; sql: string[] }> {
  const issuer = { url: issuerUrl, keys: [key] }
  const token = newToken(issuer, { userId: 1, role: 'master' }, API_TOKEN_LIFE, new Date())
  const { id, userId, role, keyId, createdAt, expiresAt } = token
  return {
    jwt: await signToken(issuer, token),
    sql: [
      'UPDATE users SET roleId = 1 WHERE id = 1',
      `INSERT INTO tokens (id, userId, kind, role, name, keyId, createdAt, expiresAt) VALUES
       ('${id}', ${userId}, 'api', '${role}', 'bench', '${keyId}', '${createdAt}', '${expiresAt}')`,
    ],
  }
}

/** Migrates an empty database and fills it. */
export async function fill(execute: Execute, size: Size, more: string[]): Promise<void> {
  const none = { users: 0, addresses: 0, nfts: 0, listings: 0, orders: 0, orderItems: 0 }
  for (const sql of [...migrations(), ...synthetic(size, none), ...more]) await execute(sql)
}

const migrations = () =>
  readdirSync('migrations')
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .flatMap((file) => readFileSync(`migrations/${file}`, 'utf8').split('--> statement-breakpoint'))
