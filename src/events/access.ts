/** Which endpoints a caller may see and change. */
import { and, eq, exists, isNull, notExists, or, type SQL } from 'drizzle-orm'
import { isAdministratorSql, isSessionSql, namespaceOf } from '../auth/access.ts'
import { recordAction } from '../auth/audit.ts'
import { refuseOldSignIn } from '../auth/session.ts'
import type { Guard } from '../db/batch.ts'
import type { AuditAction } from '../db/schema/operations.ts'
import { webhookEndpoints } from '../db/schema/webhooks.ts'
import type { Caller, Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { guard } from '../http/guard.ts'

/** The context of functions that only read. */
export type EndpointReadCtx = Omit<Ctx, 'now'>

/**
 * Matches the endpoints that the caller may see. A master token sees every endpoint, or with the scope
 * `orders` those of its namespace. A user token sees those of its user with the role `user`; the
 * session of an administrator also those with the role `master`.
 */
export const isAccessibleSql = ({ caller }: EndpointReadCtx): SQL | undefined =>
  and(
    isNull(webhookEndpoints.deletedAt),
    caller.role === 'master'
      ? isOfShop(caller)
      : and(
          eq(webhookEndpoints.userId, caller.userId),
          or(
            eq(webhookEndpoints.role, 'user'),
            and(isSessionSql(caller), isAdministratorSql(caller)),
          ),
        ),
  )

/** Matches the endpoints of the caller's namespace, if the token is for the orders of one shop. */
const isOfShop = ({ scope, tokenId }: Caller): SQL | undefined =>
  scope === 'orders' ? eq(webhookEndpoints.namespace, namespaceOf(tokenId)) : undefined

export const isEndpointSql = (ctx: EndpointReadCtx, id: string): SQL | undefined =>
  and(eq(webhookEndpoints.id, id), isAccessibleSql(ctx))

/** Selects the id of an endpoint, if the caller may see it and `condition` holds for it. */
const selectEndpoint = (ctx: EndpointReadCtx, id: string, condition?: SQL) =>
  ctx.db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(and(isEndpointSql(ctx, id), condition))

/** The error for a webhook that the caller may not know of. */
export const endpointNotFound = () => new ApiError('not_found', 'there is no such webhook')

export const refuseUnknownEndpoint = (ctx: EndpointReadCtx, id: string): Guard => ({
  when: notExists(selectEndpoint(ctx, id)),
  error: endpointNotFound,
})

/** Rejects with `conflict` an endpoint for which the condition holds. */
export const refuseIf = (
  ctx: EndpointReadCtx,
  id: string,
  condition: SQL,
  message: string,
): Guard => guard('conflict', message)`${exists(selectEndpoint(ctx, id, condition))}`

/** Rejects a session whose sign-in is too long ago: an endpoint outlives a stolen session. */
export const refuseOldSession = (ctx: Ctx): Guard =>
  refuseOldSignIn(ctx.db, ctx.caller, ctx.now, isSessionSql(ctx.caller))

/** Matches if the endpoint has the role `master`, and the condition holds for it. */
export const isMasterEndpointSql = (ctx: EndpointReadCtx, id: string, condition?: SQL): SQL =>
  exists(selectEndpoint(ctx, id, and(eq(webhookEndpoints.role, 'master'), condition)))

type Change = { action: AuditAction; subject: string; details?: Record<string, unknown> }

/**
 * The statement that records a change in the audit log, if a master token makes it or the endpoint
 * has the role `master`. Put it directly after the statement that changes something.
 */
export const recordChange = (ctx: Ctx, change: Change) =>
  recordAction(ctx, {
    ...change,
    ...(ctx.caller.role !== 'master' && { when: isMasterEndpointSql(ctx, change.subject) }),
  })
