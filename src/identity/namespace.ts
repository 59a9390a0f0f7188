/** Names of tokens, and what stands for users in namespaces: see `auth/sources.ts`. */
import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { sha256, stringToBytes } from 'viem/utils'
import { tokenNamespace } from '../auth/sources.ts'
import { tokens } from '../db/schema/users.ts'
import { identifier } from '../http/inputs.ts'

export const SESSION_NAME = 'session'

export const REFERENCE_NAME = 'API reference'

export const TokenName = identifier(100, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  .refine(
    (name) => name.toLowerCase() !== SESSION_NAME,
    `must not be "${SESSION_NAME}", which is the name of browser sessions`,
  )
  .refine(
    (name) => name.toLowerCase() !== REFERENCE_NAME.toLowerCase(),
    `must not be "${REFERENCE_NAME}", which is the name of tokens of the API reference`,
  )

/**
 * Returns the SHA-256 hash of a wallet (EIP-55; of a contract: `<chain id>:<EIP-55>`) or an e-mail
 * address (lower case), hexadecimal. It identifies a user in namespaces. A user that is created
 * again, in a restored database, may get another id, but has the same hash.
 */
export const hashIdentity = (method: 'wallet' | 'email', value: string): string =>
  sha256(stringToBytes(`${method}:${value}`)).slice(2)

/** Returns the hash of a wallet. `chainId`: of a wallet that is a contract, else 0. */
export const hashWallet = (address: string, chainId: number): string =>
  hashIdentity('wallet', chainId ? `${chainId}:${address}` : address)

/**
 * The hash, or an extended one if a user has it already. That user has unlinked the wallet or the
 * e-mail address since, and keeps the namespaces.
 */
export const unusedHash = (identityHash: SQL): SQL => sql`(SELECT iif(
    EXISTS (SELECT 1 FROM users WHERE users.identityHash = hash),
    hash || '-' || lower(hex(randomblob(8))), hash)
  FROM (SELECT ${identityHash} AS hash))`

/** Selects the live API tokens that have the namespace of this token. */
export const hasNamespaceSql = (token: Parameters<typeof tokenNamespace>[0], now: Date) =>
  and(
    eq(tokens.namespace, tokenNamespace(token)),
    // Literals, so that SQLite uses the partial index `tokens_namespace`.
    eq(tokens.kind, sql`'api'`),
    isNull(tokens.revokedAt),
    // A rolled token has a successor of the same name.
    isNull(tokens.rolledAt),
    gt(tokens.expiresAt, now.toISOString()),
  )
