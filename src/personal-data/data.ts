import { eq, inArray } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { avatarUrlOf } from '../avatars/url.ts'
import { auditLog } from '../db/schema/operations.ts'
import { addresses, emailLinks, tokens, users } from '../db/schema/users.ts'
import { webhookEndpoints } from '../db/schema/webhooks.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { listOrders } from '../orders/list.ts'
import type { PersonalData } from './answer.ts'
import {
  actionColumns,
  bookColumns,
  endpointColumns,
  linkColumns,
  personColumns,
  tokenColumns,
} from './columns.ts'
import { addressIdsOf, isLinkOf } from './owned.ts'

/** Orders of one answer. */
const PAGE_SIZE = 100

type Request = {
  userId: number
  /** The `nextCursor` of the answer before; undefined begins with the newest order. */
  cursor?: number | undefined
}

/**
 * Returns what the instance stores of a person, with a page of the orders that they bought and
 * sold, as they see them. Throws `unauthenticated`, `not_found`.
 */
export async function readPersonalData(
  { db, caller }: Pick<Ctx, 'db' | 'caller'>,
  { userId, cursor }: Request,
  baseUrl: string,
): Promise<PersonalData> {
  const [[person], book, tokenRows, mailLinks, webhooks, actions] = await readAs(db, caller, [
    db.select(personColumns).from(users).where(eq(users.id, userId)),
    db
      .select(bookColumns)
      .from(addresses)
      .where(inArray(addresses.id, addressIdsOf(userId))),
    db.select(tokenColumns).from(tokens).where(eq(tokens.userId, userId)),
    db.select(linkColumns).from(emailLinks).where(isLinkOf(userId)),
    db.select(endpointColumns).from(webhookEndpoints).where(eq(webhookEndpoints.userId, userId)),
    db.select(actionColumns).from(auditLog).where(eq(auditLog.userId, userId)),
  ])
  if (!person) throw new ApiError('not_found', 'there is no such user')
  const { avatarKey, ...user } = person
  const viewer = { role: 'user', userId } as const
  const page = { limit: PAGE_SIZE, cursor }
  const { orders, nextCursor } = await listOrders({ db, caller }, {}, page, viewer)
  return {
    user: { ...user, avatarUrl: avatarUrlOf(baseUrl, { id: userId, avatarKey }) },
    addresses: book,
    tokens: tokenRows,
    mailLinks,
    webhooks,
    actions,
    orders,
    nextCursor,
  }
}
