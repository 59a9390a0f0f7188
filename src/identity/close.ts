import { type SQL, sql } from 'drizzle-orm'

/**
 * Closes the accounts of users. What identifies a user becomes empty, so that nobody signs in to this
 * account again. `userIds` selects ids.
 */
export function closeAccounts(userIds: SQL, now: Date): SQL {
  const closedAt = now.toISOString()
  return sql`UPDATE users SET externalId = NULL, email = '', ethereumPublicAddr = '',
      walletChainId = 0, walletProvedByFactory = 0, hadWallet = 0,
      identityHash = lower(hex(randomblob(32))), name = NULL,
      roleId = NULL, username = NULL, shopUrl = NULL, locale = 'en', language = NULL,
      approved = 0, approvedAt = NULL, lastAccessAt = NULL, ipAddress = '', avatarKey = NULL,
      removedAt = coalesce(removedAt, ${closedAt}), updatedAt = ${closedAt}
    WHERE id IN (${userIds}) RETURNING id, removedAt`
}
