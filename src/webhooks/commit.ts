/** Commits what a run has sent to an endpoint. */

import { type SQL, sql } from 'drizzle-orm'
import { raw } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { log } from '../log.ts'
import {
  type Batch,
  batchStatements,
  type Cursor,
  type CursorRow,
  cursorColumns,
  leaseFrom,
  type Message,
  positionAfter,
  selectEvents,
  selectRoom,
  toBatch,
} from './cursor.ts'
import type { MailedEndpoint } from './failing.ts'
import { eventName, WINDOW } from './log.ts'
import { pauseUntil, retryAt } from './retry.ts'
import type { Outcome } from './send.ts'
import { type DueEndpoint, isClaimable, isDue } from './wake.ts'

/** Failures in a row after which the rest of a batch has to wait. */
export const MAX_FAILURES = 5

export type Attempt = Outcome & { message: Message }

/** Whether the run goes on: as long as it wants, until another endpoint waits, or not. */
export type Turn = 'free' | 'shared' | 'over'

type Commit = { attempts: readonly Attempt[]; turn: Turn; now: Date }

type Committed = Batch & {
  /** The endpoint, if this disabled it. */
  disabled: MailedEndpoint | undefined
  /** An endpoint of the same user that waits for its turn. */
  next: DueEndpoint | undefined
}

/** 410 Gone: the receiver wants no more messages. */
export const GONE = 410

/**
 * Records the attempts, moves the cursor, and reads the next batch, or releases the lease if there
 * is none or the time of the run is over. A message that was sent again meanwhile stays as it is,
 * and so does a position that a replay has set. Returns undefined if the lease was lost. After a
 * crash, the next run sends the same batch again.
 */
export async function commitBatch(
  db: Database,
  batch: Batch,
  { attempts, turn, now }: Commit,
): Promise<Committed | undefined> {
  const { cursor } = batch
  const at = now.toISOString()
  const [, [updated], due, events, [next]] = await db.batch([
    recordAttempts(db, cursor, attempts),
    moveCursor(db, batch, { attempts, turn, now }),
    ...batchStatements(db, cursor.id, leaseFrom(now)),
    raw<DueEndpoint>(
      db,
      sql`SELECT id, role FROM webhookEndpoints
        WHERE userId = ${cursor.userId} AND id <> ${cursor.id} AND ${isDue(at)}
        ORDER BY dueAt LIMIT 1`,
    ),
  ])
  for (const { message, status, error } of attempts)
    if (error !== null)
      log.info('webhook_failed', {
        endpointId: cursor.id,
        messageId: eventName(message.id),
        attempt: message.tries + 1,
        status,
        reason: error,
      })
  if (!updated) return undefined
  const { email, isDisabled, ...moved } = updated
  const disabled = isDisabled ? { id: moved.id, url: moved.url, email } : undefined
  return { ...toBatch(moved, due, events), disabled, next }
}

/**
 * Keeps a row for what failed. Of what succeeded, and after the lease was lost, only rows that are
 * there are changed. The events may have been removed meanwhile.
 */
function recordAttempts(db: Database, { id, leaseUntil }: Cursor, attempts: readonly Attempt[]) {
  const isUnchanged = sql`(m.eventId IS NULL OR m.dueAt IS value ->> 'claimedDueAt'
    OR (m.dueAt IS NULL AND value ->> 'state' = 'delivered'))`
  return raw<never>(
    db,
    sql`INSERT INTO webhookMessages (eventId, endpointId, state, tries, attempts, dueAt)
      SELECT v.id, ${id}, iif(${isUnchanged}, value ->> 'state', m.state),
        iif(${isUnchanged}, value ->> 'tries', m.tries),
        json_insert(iif(json_array_length(m.attempts) >= ${MAX_ATTEMPTS},
          json_remove(m.attempts, '$[0]'), coalesce(m.attempts, '[]')), '$[#]', value -> 'attempt'),
        iif(${isUnchanged}, value ->> 'dueAt', m.dueAt)
      FROM json_each(${JSON.stringify(attempts.map(toRow))}) JOIN events v ON v.id = value ->> 'id'
        LEFT JOIN webhookMessages m ON m.eventId = v.id AND m.endpointId = ${id}
      WHERE m.eventId IS NOT NULL OR (value ->> 'state' <> 'delivered'
        AND EXISTS (SELECT 1 FROM webhookEndpoints
          WHERE id = ${id} AND leaseUntil = ${leaseUntil} AND deletedAt IS NULL))
      ON CONFLICT DO UPDATE SET state = excluded.state, tries = excluded.tries,
        attempts = excluded.attempts, dueAt = excluded.dueAt`,
  )
}

/** Attempts of a message that are kept. */
const MAX_ATTEMPTS = 20

/** Returns an attempt and the next state of its message, as SQL reads them. */
function toRow({ message, at, duration, status, error, retryAfter }: Attempt) {
  const tries = message.tries + 1
  const failedAt = new Date(at.getTime() + duration)
  const dueAt = error === null ? null : retryAt(tries, retryAfter, failedAt)
  const state = dueAt ? 'pending' : error === null ? 'delivered' : 'failed'
  const attempt = { at, duration, status, error }
  return { id: message.id, claimedDueAt: message.dueAt, state, tries, dueAt, attempt }
}

type MovedRow = CursorRow & Pick<MailedEndpoint, 'email'> & { isDisabled: 0 | 1 }

/** So many failures that no pause is longer. */
const MOST_FAILURES = 14

/** SQL of what the attempts mean for the endpoint, if its owner has not changed it meanwhile. */
function judge({ failures }: Cursor, { attempts, now }: Commit, isSame: SQL) {
  const hasAccepted = attempts.some(({ error }) => error === null)
  const hasAnswered = attempts.every(({ status }) => status !== null)
  const isRejecting = !hasAccepted && (failures > 0 || attempts.length >= MAX_FAILURES)
  const added = !hasAnswered ? 4 : isRejecting ? 2 : -1
  const judged = Math.min(Math.max(failures + added, 0), MOST_FAILURES)
  const pausedUntil = added > 0 ? pauseUntil(judged, now).toISOString() : null
  const failingSince = hasAccepted ? sql`NULL` : sql`coalesce(failingSince, ${now.toISOString()})`
  const counts = sql`(${+(attempts.length > 0)} AND ${isSame})`
  return sql`iif(${counts}, ${judged}, failures) AS failures,
    coalesce(iif(${counts}, ${pausedUntil}, pausedUntil), '') AS pausedUntil,
    iif(${counts}, ${failingSince}, failingSince) AS failingSince`
}

function moveCursor(db: Database, { cursor, messages, end }: Batch, commit: Commit) {
  const { attempts, turn, now } = commit
  const { id, role, url, position, failures, updatedAt, leaseUntil } = cursor
  const { lease, at } = leaseFrom(now)
  const sent = attempts.map(({ message }) => message)
  const reached = sent.length === messages.length ? end : positionAfter(cursor, sent)
  const isSame = sql`(updatedAt, url, webhookEndpoints.failures) = (${updatedAt}, ${url}, ${failures})`
  const isVerified = sql`(${+attempts.some(({ isChallenge }) => isChallenge)} AND ${isSame})`
  const isGone = sql`(${+attempts.some(({ status }) => status === GONE)} AND ${isSame})`
  const isOthersTurn = sql`EXISTS (SELECT 1 FROM webhookEndpoints
    WHERE role = ${role} AND id <> ${id} AND ${isClaimable(at)})`
  const pending = sql`FROM webhookMessages WHERE endpointId = ${id} AND dueAt IS NOT NULL`
  const isOver = { free: sql`FALSE`, shared: isOthersTurn, over: sql`TRUE` }[turn]
  return raw<MovedRow>(
    db,
    sql`WITH moved AS (SELECT hasEvents,
          iif(position = ${position} AND json_array(events, sources) = ${cursor.filter}, ${reached},
            position) AS position,
          coalesce(verifiedAt, iif(${isVerified}, ${at}, NULL)) AS verifiedAt,
          ${judge(cursor, commit, isSame)}
        FROM webhookEndpoints WHERE id = ${id}),
      looked AS (SELECT position, verifiedAt, failures, pausedUntil, failingSince, hasEvents AND (
            EXISTS (${selectEvents(id, sql`moved.position`)})
            OR EXISTS (SELECT 1 FROM events WHERE id > moved.position LIMIT 1 OFFSET ${WINDOW - 1})
          ) AS hasEvents,
          iif(verifiedAt IS NOT NULL, (SELECT min(dueAt) ${pending}), (SELECT min(dueAt) ${pending}
            AND (SELECT type FROM events WHERE id = eventId) = 'webhook.test')) AS retryAt
        FROM moved),
      next AS (SELECT *, max(pausedUntil, iif(hasEvents AND verifiedAt IS NOT NULL
            AND ${selectRoom(id)} > 0, ${at}, retryAt)) AS dueAt FROM looked)
      UPDATE webhookEndpoints SET position = next.position, verifiedAt = next.verifiedAt,
        hasEvents = next.hasEvents, dueAt = next.dueAt, wakeAt = next.dueAt,
        leaseUntil = iif(next.dueAt <= ${at} AND disabledAt IS NULL AND NOT ${isGone}
          AND NOT ${isOver}, ${lease}, NULL),
        failures = next.failures, pausedUntil = nullif(next.pausedUntil, ''),
        failingSince = next.failingSince, warnedAt = iif(next.failingSince IS NULL, NULL, warnedAt),
        disabledReason = iif(${isGone}, coalesce(disabledReason, 'gone'), disabledReason),
        disabledAt = iif(${isGone}, coalesce(disabledAt, ${at}), disabledAt)
      FROM next WHERE id = ${id} AND leaseUntil = ${leaseUntil}
      RETURNING ${cursorColumns(id, at)}, (SELECT email FROM users WHERE users.id = userId) AS email,
        disabledReason = 'gone' AND disabledAt = ${at} AS isDisabled`,
  )
}
