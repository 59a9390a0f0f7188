import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { selectAddressIds } from '../addresses/schema.ts'
import { readAs } from '../auth/access.ts'
import { avatarUrl } from '../avatars/serve.ts'
import { shownColumns } from '../db/columns.ts'
import { downloads } from '../db/schema/content.ts'
import { mintPermissions, proposals, reports } from '../db/schema/creators.ts'
import { auditLog } from '../db/schema/operations.ts'
import { addresses, emailLinks, phoneLinks, tokens, users } from '../db/schema/users.ts'
import { webhookEndpoints } from '../db/schema/webhooks.ts'
import type { Settings } from '../env.ts'
import { endpointColumns, toWebhook } from '../events/read.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { isOptedOut } from '../mail/mail.ts'
import { selectPage, selectSummaries, toPage, toSummaryPage } from '../orders/reading/list.ts'
import { viewOf } from '../orders/reading/viewer.ts'
import {
  AdministratorAction,
  BookEntry,
  DownloadRecord,
  ExportedToken,
  MailLink,
  MintPermissionRecord,
  PersonRecord,
  PhoneLink,
  ProposalRecord,
  ReportRecord,
} from './schema.ts'

const PAGE_SIZE = 100

const personColumns = {
  ...shownColumns(users, PersonRecord.omit({ avatarUrl: true, wantsNoMails: true })),
  avatarKey: users.avatarKey,
}

/** Matches links that were sent to the person or requested by them. Cron deletes links after 15 minutes. */
export const isMailLinkSql = (userId: number): SQL => sql`(userId = ${userId}
  OR email = (SELECT email FROM users WHERE id = ${userId} AND email <> ''))`

/**
 * Returns what the instance stores of a person, with a page of the orders that they bought and
 * sold, as they see them. `cursor` is the `nextCursor` of the previous answer; without it, the page
 * begins with the newest order.
 */
export async function readPersonalData(
  { db, caller, settings }: Omit<Ctx, 'now'> & { settings: Pick<Settings, 'PUBLIC_URL'> },
  { userId, cursor }: { userId: number; cursor?: number | undefined },
) {
  const viewer = viewOf(userId)
  const request = { limit: PAGE_SIZE, cursor: cursor === undefined ? cursor : { id: cursor } }
  const found = await readAs(db, caller, {
    ...selectPage(db, viewer, request),
    summaries: selectSummaries(db, viewer, request),
    persons: db.select(personColumns).from(users).where(eq(users.id, userId)),
    addresses: db
      .select(shownColumns(addresses, BookEntry.unwrap()))
      .from(addresses)
      .where(inArray(addresses.id, selectAddressIds(userId))),
    tokens: db
      .select(shownColumns(tokens, ExportedToken.unwrap()))
      .from(tokens)
      .where(eq(tokens.userId, userId)),
    mailLinks: db
      .select(shownColumns(emailLinks, MailLink.unwrap()))
      .from(emailLinks)
      .where(isMailLinkSql(userId)),
    phoneLinks: db
      .select(shownColumns(phoneLinks, PhoneLink.unwrap()))
      .from(phoneLinks)
      .where(eq(phoneLinks.userId, userId)),
    webhooks: db
      .select(endpointColumns)
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.userId, userId), isNull(webhookEndpoints.deletedAt))),
    downloads: db
      .select(shownColumns(downloads, DownloadRecord.unwrap()))
      .from(downloads)
      .where(eq(downloads.userId, userId)),
    proposals: db
      .select(shownColumns(proposals, ProposalRecord.unwrap()))
      .from(proposals)
      .where(eq(proposals.userId, userId)),
    mintPermissions: db
      .select(shownColumns(mintPermissions, MintPermissionRecord.unwrap()))
      .from(mintPermissions)
      .where(eq(mintPermissions.userId, userId)),
    reports: db
      .select(shownColumns(reports, ReportRecord.unwrap()))
      .from(reports)
      .where(eq(reports.userId, userId)),
    actions: db
      .select(shownColumns(auditLog, AdministratorAction.unwrap()))
      .from(auditLog)
      .where(eq(auditLog.userId, userId)),
  })
  const [person] = found.persons
  if (!person) throw new ApiError('not_found', 'there is no such user')
  const { avatarKey, ...user } = person
  return {
    user: {
      ...user,
      avatarUrl: avatarUrl(settings.PUBLIC_URL, { id: userId, avatarKey }),
      wantsNoMails: user.email !== '' && (await isOptedOut({ db }, user.email)),
    },
    addresses: found.addresses,
    tokens: found.tokens,
    mailLinks: found.mailLinks,
    phoneLinks: found.phoneLinks,
    webhooks: found.webhooks.map(toRecord),
    downloads: found.downloads,
    proposals: found.proposals.map(({ fields, ...row }) => ({
      ...row,
      fields: JSON.parse(fields),
    })),
    mintPermissions: found.mintPermissions,
    reports: found.reports,
    actions: found.actions,
    summaries: toSummaryPage(request, found.summaries).orders,
    ...toPage(viewer, request, found),
  }
}

function toRecord(row: Parameters<typeof toWebhook>[0]) {
  const { userId, enabled, disabledReason, previousSecretUntil, ...record } = toWebhook(row)
  return record
}
