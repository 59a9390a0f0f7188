/** API tokens that end soon, and that something still uses. */
import { sql } from 'drizzle-orm'
import { batch } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import type { tokens } from '../../db/schema/users.ts'
import { raw } from '../../db/statements.ts'
import { type Mailer, mailTokenEnd } from '../../mail/mail.ts'
import { DAY } from '../../time.ts'

/** Days before its end at which a token has an alarm, and its owner gets a mail. */
export const TOLD_BEFORE = [30, 7]
/** Days. A token that was not used for longer is forgotten. */
const USED_WITHIN = 30
/** Tokens with an alarm, the first to end. Those of masters come before those of users. */
const MAX_TOLD = 20

type Token = Pick<typeof tokens.$inferSelect, 'id' | 'userId' | 'role' | 'name' | 'expiresAt'>

/** Whether a token ends within 7 days or, if not, within 30. Rolled ones have a successor. */
function conditions(now: Date) {
  const inDays = (days: number) => new Date(now.getTime() + days * DAY).toISOString()
  const days = sql`iif(expiresAt <= ${inDays(7)}, 7, 30)`
  // The beginning is in the spelling of the index `tokens_ends`. Who has chosen a token of 7 days knows it.
  const endsSoon = sql`kind = 'api' AND revokedAt IS NULL AND rolledAt IS NULL
    AND role IN ('master', 'user') AND expiresAt > ${inDays(0)} AND expiresAt <= ${inDays(30)}
    AND lastUsedAt >= ${inDays(-USED_WITHIN)} AND unixepoch(expiresAt) - unixepoch(createdAt) > 86400 * ${days}`
  return { days, endsSoon }
}

/** Selects the tokens that have an alarm. */
export const selectEnding = (db: Database, now: Date) =>
  raw<Token>(db)`
    SELECT id, userId, role, name, expiresAt FROM tokens WHERE ${conditions(now).endsSoon}
    ORDER BY role, expiresAt LIMIT ${MAX_TOLD}`

/** Owners that a run tells. The next one goes on. */
const MAX_MAILS = 20

/** Tells owners that their tokens end, 30 and 7 days before. Each mail is sent once. */
export async function warnTokenOwners(mailer: Mailer): Promise<void> {
  const { db, now } = mailer
  const { days, endsSoon } = conditions(now)
  const { told } = await batch(db, {
    told: raw<Token & { email: string }>(db)`UPDATE tokens SET warnedBefore = ${days}
      WHERE id IN (SELECT id FROM tokens WHERE ${endsSoon}
        AND (warnedBefore IS NULL OR warnedBefore > ${days}) LIMIT ${MAX_MAILS})
      RETURNING id, userId, role, name, expiresAt,
        (SELECT email FROM users WHERE users.id = userId) AS email`,
  })
  await Promise.all(told.map(({ email, ...token }) => email && mailTokenEnd(mailer, email, token)))
}
