import { type SQL, sql } from 'drizzle-orm'

/**
 * Closes the account of a user. What identifies the user becomes empty, so that nobody signs in to
 * this account again.
 */
export function closeAccount(userId: SQL, now: Date): SQL {
  const closedAt = now.toISOString()
  return sql`UPDATE users SET externalId = NULL, companyUser = 0, email = '', ethereumPublicAddr = '',
      walletChainId = 0, walletProvedByFactory = 0,
      identityHash = lower(hex(randomblob(32))), name = NULL,
      chatServiceId = NULL, roleId = NULL, username = NULL, viewMode = 'default',
      paymentConnectId = NULL, payprovExternalId = NULL, onrampId = NULL,
      newsletterAgreement = 0, locale = 'en', approvedAt = NULL, lastAccessAt = NULL,
      onboardedAt = NULL, ipAddress = '', avatarKey = NULL,
      removedAt = coalesce(removedAt, ${closedAt}), updatedAt = ${closedAt}
    WHERE id = ${userId} RETURNING id, removedAt`
}
