/** Which endpoints a caller may see and change. */
import { and, eq, exists, notExists, or, type SQL } from 'drizzle-orm'
import { recordAction } from '../auth/audit.ts'
import { requireRecentSignIn } from '../auth/session.ts'
import type { Database } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { ADMINISTRATOR, tokens, users } from '../db/schema/users.ts'
import { webhookEndpoints } from '../db/schema/webhooks.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'

/** The token of the caller, if it is a session. */
const selectSession = (db: Database, { tokenId }: Caller) =>
  db
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(eq(tokens.id, tokenId), eq(tokens.kind, 'session')))

/** The user of the caller, if the token is a session and the user is an administrator. */
const selectAdministratorSession = (db: Database, { tokenId }: Caller) =>
  db
    .select({ id: users.id })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(and(eq(tokens.id, tokenId), eq(tokens.kind, 'session'), eq(users.roleId, ADMINISTRATOR)))

/**
 * A master token sees every endpoint. A user token sees those of its user with the role `user`; the
 * session of an administrator also those with the role `master`.
 */
export const isAccessible = (db: Database, caller: Caller): SQL | undefined =>
  caller.role === 'master'
    ? undefined
    : and(
        eq(webhookEndpoints.userId, caller.userId),
        or(eq(webhookEndpoints.role, 'user'), exists(selectAdministratorSession(db, caller))),
      )

export const isEndpoint = (db: Database, caller: Caller, id: string): SQL | undefined =>
  and(eq(webhookEndpoints.id, id), isAccessible(db, caller))

/** Selects the id of an endpoint that the caller may see, if `condition` holds for it. */
export const selectEndpoint = (db: Database, caller: Caller, id: string, condition?: SQL) =>
  db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(and(isEndpoint(db, caller, id), condition))

export const endpointNotFound = () => new ApiError('not_found', 'there is no such webhook')

/** Rejects a caller who may not see the endpoint. */
export const requireEndpoint = (db: Database, caller: Caller, id: string): Guard => ({
  when: notExists(selectEndpoint(db, caller, id)),
  error: endpointNotFound,
})

/** Rejects a session whose sign-in is too long ago: an endpoint outlives a stolen session. */
export const requireRecentSession = (db: Database, caller: Caller, now: Date): Guard =>
  requireRecentSignIn(db, caller, now, exists(selectSession(db, caller)))

/** Whether the endpoint has the role `master`. */
export const isMasterEndpoint = (db: Database, id: string): SQL =>
  exists(
    db
      .select({ id: webhookEndpoints.id })
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.role, 'master'))),
  )

type Change = { action: string; subject: string; details?: Record<string, unknown> }

/**
 * The statement that records a change in the audit log, if a master token makes it or the endpoint
 * has the role `master`. Put it directly after the statement that changes something.
 */
export const recordChange = (db: Database, caller: Caller, change: Change, now: Date) =>
  recordAction(
    { db, caller, now },
    {
      ...change,
      ...(caller.role !== 'master' && { when: isMasterEndpoint(db, change.subject) }),
    },
  )
