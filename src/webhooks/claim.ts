import { sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import { ADMINISTRATOR } from '../db/schema/users.ts'

/** Messages of one run. */
const MESSAGES = 20

/** Milliseconds. A run that needs longer is taken for dead: 20 messages, five at a time, take 60 s. */
const LEASE = 90_000

export type ClaimedEndpoint = {
  id: string
  url: string
  secretId: string
  /** Null unless the secret was rotated in the last 24 hours. */
  previousSecretId: string | null
  /** Until when the run has the endpoint. No two runs have the same. */
  sendingUntil: string
}

export type Message = {
  id: string
  /** The body, as JSON. */
  payload: string
  /** Attempts before the next one. */
  attempts: number
  dueAt: string
}

type Claim = { endpoint: ClaimedEndpoint; messages: Message[] }

/**
 * Takes the endpoint and reads its oldest due messages. Returns null if nothing is due or another
 * run has the endpoint. Messages that may not be sent fail: the endpoint is disabled, or its user
 * was removed or is no administrator any more.
 */
export async function claim(db: Database, endpointId: string, now: Date): Promise<Claim | null> {
  const at = now.toISOString()
  const sendingUntil = new Date(now.getTime() + LEASE).toISOString()
  const isDue = sql`endpointId = ${endpointId} AND dueAt <= ${at}`
  const [, [endpoint], messages] = await db.batch([
    raw<never>(
      db,
      sql`UPDATE webhookMessages SET state = 'failed', dueAt = NULL, updatedAt = ${at}
        WHERE ${isDue} AND NOT EXISTS (SELECT 1
          FROM webhookEndpoints e JOIN users u ON u.id = e.userId
          WHERE e.id = ${endpointId} AND e.disabledAt IS NULL AND u.removedAt IS NULL
            AND (e.role = 'user' OR u.roleId = ${ADMINISTRATOR}))`,
    ),
    raw<ClaimedEndpoint>(
      db,
      sql`UPDATE webhookEndpoints SET sendingUntil = ${sendingUntil}
        WHERE id = ${endpointId} AND coalesce(sendingUntil, '') <= ${at}
          AND EXISTS (SELECT 1 FROM webhookMessages WHERE ${isDue})
        RETURNING id, url, secretId, sendingUntil,
          iif(previousSecretUntil > ${at}, previousSecretId, NULL) AS previousSecretId`,
    ),
    raw<Message>(
      db,
      sql`SELECT id, payload, attempts, dueAt FROM webhookMessages WHERE ${isDue}
        ORDER BY dueAt LIMIT ${MESSAGES}`,
    ),
  ])
  return endpoint ? { endpoint, messages } : null
}
