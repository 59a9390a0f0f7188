/** Stores what a run has sent to an endpoint. */
import { sql } from 'drizzle-orm'
import { batch } from '../../db/batch.ts'
import { type Database, raw } from '../../db/client.ts'
import { webhookEndpoints } from '../../db/schema/webhooks.ts'
import type { Health, Verdict } from './judge.ts'
import { isLeased, type Leased, leasedColumns, leaseFrom } from './lease.ts'

/** Attempts of a message that are kept. */
const MAX_ATTEMPTS = 20

/**
 * Stores a verdict, and renews the lease. What was changed meanwhile stays as it is: a message that
 * was sent again, a position that a replay has set, and an endpoint that its owner has changed.
 * Returns the endpoint as it is now; undefined if the lease was lost. After a crash, the next run
 * sends the same batch again.
 */
export async function commit(
  db: Database,
  endpoint: Leased,
  { verdict, now }: { verdict: Verdict; now: Date },
): Promise<Leased | undefined> {
  const { position, health, records } = verdict
  const { leased } = await batch(db, {
    messages: records.length > 0 ? storeMessages(db, endpoint, JSON.stringify(records)) : undefined,
    health: health ? storeHealth(db, endpoint, { health, now }) : undefined,
    leased: db
      .update(webhookEndpoints)
      .set({ position: moveTo(endpoint, position), leaseUntil: leaseFrom(now) })
      .where(isLeased(endpoint))
      .returning(leasedColumns),
  })
  return leased[0]
}

/** SQL of the position, unless a replay or another choice of events has set it meanwhile. */
function moveTo({ position, events, sources }: Leased, reached: number) {
  const sourcesJson = sources && JSON.stringify(sources)
  return sql`iif(position = ${position} AND events = ${JSON.stringify(events)}
    AND sources IS ${sourcesJson}, ${reached}, position)`
}

/**
 * The statements that store attempts. There is no row for a message that is accepted at the first
 * attempt. Once the lease is lost, no row is added: another run may have delivered the message.
 */
const storeMessages = (db: Database, { id, leaseUntil }: Leased, records: string) => [
  // The events may have been removed meanwhile.
  raw<never>(
    db,
    sql`INSERT INTO webhookMessages (eventId, endpointId, state, tries, dueAt)
      SELECT v.id, ${id}, value ->> 'state', value ->> 'tries', value ->> 'dueAt'
      FROM json_each(${records}) JOIN events v ON v.id = value ->> 'id'
      WHERE value ->> 'state' <> 'delivered' AND EXISTS (SELECT 1 FROM webhookEndpoints
        WHERE id = ${id} AND leaseUntil = ${leaseUntil} AND deletedAt IS NULL)
      ON CONFLICT DO NOTHING`,
  ),
  raw<never>(
    db,
    sql`UPDATE webhookMessages SET state = value ->> 'state', tries = value ->> 'tries',
        dueAt = value ->> 'dueAt'
      FROM json_each(${records})
      WHERE eventId = value ->> 'id' AND endpointId = ${id}
        AND (dueAt IS value ->> 'claimedDueAt'
          OR (dueAt IS NULL AND value ->> 'state' = 'delivered'))`,
  ),
  raw<never>(
    db,
    sql`UPDATE webhookMessages SET attempts = json_insert(
        iif(json_array_length(attempts) < ${MAX_ATTEMPTS}, attempts, json_remove(attempts, '$[0]')),
        '$[#]', value -> 'attempt')
      FROM json_each(${records}) WHERE eventId = value ->> 'id' AND endpointId = ${id}`,
  ),
]

/**
 * The statement that stores how an endpoint stands, unless its owner has changed it meanwhile: the
 * attempts tell nothing about another URL, nor about an endpoint that was enabled since.
 */
function storeHealth(
  db: Database,
  endpoint: Leased,
  { health: { isGone, ...health }, now }: { health: Health; now: Date },
) {
  const { updatedAt, url, failures } = endpoint
  return db
    .update(webhookEndpoints)
    .set({
      ...health,
      ...(health.failingSince === null && { warnedAt: null }),
      ...(isGone && {
        disabledAt: sql`coalesce(disabledAt, ${now.toISOString()})`,
        disabledReason: sql`coalesce(disabledReason, 'gone')`,
      }),
    })
    .where(
      sql`${isLeased(endpoint)} AND (updatedAt, url, failures) = (${updatedAt}, ${url}, ${failures})`,
    )
}
