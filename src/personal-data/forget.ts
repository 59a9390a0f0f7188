/** Removes a person's data. Orders, amounts and records of the chain stay. */
import { eq, type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { addressTexts, selectAddressIds } from '../addresses/schema.ts'
import { isAdministratorSql, writeAs } from '../auth/access.ts'
import { recordAction } from '../auth/audit.ts'
import { purgePictures } from '../avatars/remove.ts'
import type { Guard } from '../db/batch.ts'
import { webhookEndpoints } from '../db/schema/webhooks.ts'
import { raw } from '../db/statements.ts'
import { cancelUnsigned, hasDeliveriesUnderWaySql } from '../delivery/wallet.ts'
import { deleteEndpoints } from '../events/manage.ts'
import type { Ctx } from '../http/context.ts'
import { guard } from '../http/guard.ts'
import { closeAccounts } from '../identity/close.ts'
import { log } from '../log.ts'
import { isMailLinkSql } from './data.ts'
import type { ForgottenUser } from './schema.ts'

/**
 * Closes the account of a user and removes its personal data, in one transaction; then its pictures.
 * If those stay, cron removes them a day later. What waits to be delivered to the user is
 * cancelled. With `isDryRun` it only checks.
 */
export async function forgetPerson(
  { db, caller, now, bucket }: Ctx & { bucket: R2Bucket },
  { userId, isDryRun }: { userId: number; isDryRun: boolean },
) {
  if (isDryRun) {
    await writeAs(db, caller, forgetGuards(userId), {})
    return { id: userId, removedAt: now.toISOString() }
  }
  const { closed } = await writeAs(db, caller, forgetGuards(userId), {
    // First, because it needs the e-mail address.
    links: raw<never>(db)`DELETE FROM emailLinks WHERE ${isMailLinkSql(userId)}`,
    closed: raw<z.infer<typeof ForgottenUser>>(db)`${closeAccounts(sql`${userId}`, now)}`,
    record: recordAction({ db, caller, now }, { action: 'user.forget', subject: userId }),
    cancelled: cancelUnsigned(db, userId, now),
    removed: removals(userId, now).map((statement) => raw<never>(db)`${statement}`),
    endpoints: deleteEndpoints({ db, now }, eq(webhookEndpoints.userId, userId)),
  })
  const [user] = closed
  if (!user) throw new Error('the transaction returned no user')
  const prefix = `${userId}/`
  await removePictures(bucket, prefix).catch((error: unknown) => {
    log.error('avatar_not_removed', { key: prefix, error })
  })
  await purgePictures([prefix])
  return user
}

function forgetGuards(userId: number): Guard[] {
  return [
    guard('not_found', 'there is no such user')`
      NOT EXISTS (SELECT 1 FROM users WHERE id = ${userId})`,
    guard('conflict', 'the user is an administrator: take that role away first')`
      ${isAdministratorSql({ userId })}`,
    guard('conflict', 'NFTs are on their way to or from the user: wait for them, or cancel them')`
      ${hasDeliveriesUnderWaySql(userId)} OR EXISTS (SELECT 1 FROM orderItems
        JOIN deliveries ON deliveries.id = orderItems.id
        WHERE sellerId = ${userId} AND awaits IS NOT NULL)`,
  ]
}

/** All texts of an address but the country, which orders need. */
const emptyTexts = sql.raw(
  Object.keys(addressTexts)
    .filter((name) => name !== 'country')
    .map((name) => `${name} = NULL`)
    .join(', '),
)

/**
 * Addresses are emptied and not deleted, because SQLite would read all orders to delete one; orders
 * keep the country.
 */
function removals(userId: number, now: Date): SQL[] {
  const updatedAt = now.toISOString()
  return [
    sql`UPDATE addresses SET ${emptyTexts}, isDefault = 0,
        country = iif(id IN (SELECT billingAddressId FROM orders WHERE buyerId = ${userId}),
          country, NULL),
        deletedAt = coalesce(deletedAt, ${updatedAt}), updatedAt = ${updatedAt}
      WHERE id IN ${selectAddressIds(userId)}`,
    sql`UPDATE orders SET custom = NULL WHERE buyerId = ${userId} AND custom IS NOT NULL`,
    sql`DELETE FROM burns WHERE recipient IN (
      SELECT lower(i.ethRecipient) FROM orderItems i JOIN orders o ON o.id = i.orderId
      WHERE o.buyerId = ${userId} AND i.ethRecipient IS NOT NULL)`,
    sql`UPDATE orderItems SET ethRecipient = NULL, recipientChainId = 0
      WHERE orderId IN (SELECT id FROM orders WHERE buyerId = ${userId})`,
    sql`DELETE FROM phoneLinks WHERE userId = ${userId}`,
    sql`DELETE FROM downloads WHERE userId = ${userId}`,
    sql`DELETE FROM reports WHERE userId = ${userId}`,
    sql`DELETE FROM proposals WHERE userId = ${userId}`,
    sql`DELETE FROM mintPermissions WHERE userId = ${userId}`,
    sql`DELETE FROM words WHERE kind = 'user' AND subjectId = ${userId}`,
    sql`DELETE FROM tokens WHERE userId = ${userId}`,
    // Who has bought an NFT sees it on. Cron removes the objects that nothing names any more.
    sql`UPDATE nfts SET coverKey = NULL, updatedAt = ${updatedAt}, changedAt = max(changedAt, ${updatedAt})
      WHERE creatorId = ${userId} AND coverKey LIKE 'uploads/' || id || '/%' AND amount = availableAmount
        AND id NOT IN (SELECT nftId FROM orderItems WHERE sellerId = ${userId})`,
    sql`UPDATE listings SET active = 0, shopUrl = NULL, updatedAt = ${updatedAt}
      WHERE sellerId = ${userId} AND (active OR shopUrl IS NOT NULL)`,
  ]
}

async function removePictures(bucket: R2Bucket, prefix: string): Promise<void> {
  const { objects } = await bucket.list({ prefix })
  if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key))
}
