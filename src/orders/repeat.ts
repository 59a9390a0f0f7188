/** Calls that are safe to repeat: the `Idempotency-Key` header. Decisions: "Orders". */
import { and, eq, gt, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { idempotencyKeys } from '../db/schema.ts'
import { ApiError } from '../http/errors.ts'
import type { PlacedOrder } from './answer.ts'
import { answerOf, type Draft } from './draft.ts'

/** How long an answer is kept, in milliseconds. */
const KEPT_FOR = 24 * 60 * 60 * 1000
/** Bytes. D1 takes 2,000,000 in a value and in a row. */
const LARGEST_ANSWER = 1_900_000
/** How many answers of others that are out of date one call takes away. */
const CLEARED_AT_ONCE = 100

/** What makes two calls the same one. */
export type Repeatable = {
  userId: number
  key: string
  /** SHA-256 of the body, hex. */
  requestHash: string
}

export async function repeatable(userId: number, key: string, body: ArrayBuffer) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', body))
  const requestHash = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { userId, key, requestHash }
}

/** Answers from this time or before are kept no longer. */
const horizonOf = (now: Date) => new Date(now.getTime() - KEPT_FOR).toISOString()

type Key = Placeholders<{ userId: number; key: string; horizon: string }>

const keptOf = prepared((db, at: Key) =>
  db
    .select({
      requestHash: idempotencyKeys.requestHash,
      answer: idempotencyKeys.answer,
      outcome: idempotencyKeys.outcome,
    })
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.userId, at.userId),
        eq(idempotencyKeys.key, at.key),
        gt(idempotencyKeys.createdAt, at.horizon),
      ),
    ),
)

/** What a call with the same key was answered, if there was one. */
export type Kept = Pick<typeof idempotencyKeys.$inferSelect, 'requestHash' | 'answer' | 'outcome'>

export const kept = (db: Database, call: Repeatable | null, now: Date) =>
  keptOf(db, { userId: call?.userId ?? 0, key: call?.key ?? '', horizon: horizonOf(now) })

/** The first answer again. Throws `idempotency_key_reused` when it was one to another body. */
export function replay({ requestHash, answer, outcome }: Kept, call: Repeatable): PlacedOrder[] {
  if (requestHash !== call.requestHash)
    throw new ApiError('idempotency_key_reused', 'this Idempotency-Key came with another body')
  return answerOf(JSON.parse(answer), JSON.parse(outcome))
}

const cleared = prepared((db, at: Key) =>
  db.all<never>(sql`DELETE FROM idempotencyKeys WHERE
    (userId = ${at.userId} AND "key" = ${at.key} AND createdAt <= ${at.horizon})
    OR rowid IN (SELECT rowid FROM idempotencyKeys WHERE createdAt <= ${at.horizon}
      LIMIT ${sql.raw(String(CLEARED_AT_ONCE))})`),
)

/** Forgets what is out of date: what was answered to this key, and some of the others. */
export const forget = (db: Database, { userId, key }: Repeatable, now: Date) =>
  cleared(db, { userId, key, horizon: horizonOf(now) })

/** What is kept of a draft. Throws `payload_too_large` when that is more than D1 can keep. */
export function answerText(draft: Draft): string {
  const text = JSON.stringify(draft)
  if (new TextEncoder().encode(text).length > LARGEST_ANSWER)
    throw new ApiError('payload_too_large', 'the answer is too large to keep; order fewer at once')
  return text
}
