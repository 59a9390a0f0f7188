/** Acknowledges alarms: that somebody has looked at what was found, or leaves it as it is. */
import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { writeAs } from '../../auth/access.ts'
import { recordAction } from '../../auth/audit.ts'
import { refuseOldSignIn } from '../../auth/session.ts'
import { findings } from '../../db/schema/operations.ts'
import { raw } from '../../db/statements.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError } from '../../http/errors.ts'
import { inputText } from '../../http/inputs.ts'

export const AlarmKey = z.object({
  key: inputText(200).describe('Name and subject of the alarm, separated by a colon.'),
})

export const Acknowledgement = z
  .object({
    version: z.int().min(1).describe('The `version` of the alarm that was looked at.'),
  })
  .meta({ id: 'Acknowledgement', description: 'What was looked at.' })

/**
 * Acknowledges what an alarm has told up to a version. It ends with the next cron run, unless something
 * was found, or has joined, since.
 */
export async function acknowledgeAlarm(
  ctx: Ctx,
  { key, version }: { key: string; version: number },
): Promise<void> {
  const { db, caller, now } = ctx
  // The version of an alarm without findings is a time, of which a page may know before the cron run.
  const isLasting = sql`EXISTS (SELECT 1 FROM alarms WHERE key = ${key} AND version IS NOT NULL
    AND ${version} <= ${now.getTime()} AND NOT EXISTS (SELECT 1 FROM findings WHERE key = ${key}))`
  const isKnown = sql`EXISTS (SELECT 1 FROM acknowledgements WHERE key = ${key} AND version >= ${version})`
  const unknown = {
    when: sql`NOT (EXISTS (SELECT 1 FROM findings WHERE key = ${key} AND id = ${version})
      OR ${isLasting} OR ${isKnown})`,
    error: () => new ApiError('not_found', 'there is no alarm with this key and version'),
  }
  const action = { action: 'alarm.acknowledge', subject: key, details: { version } } as const
  const recent = caller.requires ? [refuseOldSignIn(db, caller, now)] : []
  await writeAs(db, caller, [unknown, ...recent], {
    acknowledge: db
      .update(findings)
      .set({ acknowledgedAt: now.toISOString() })
      .where(sql`key = ${key} AND id <= ${version} AND acknowledgedAt IS NULL`),
    record: recordAction(ctx, action),
    leave: raw<never>(db)`INSERT INTO acknowledgements (key, version)
      SELECT ${key}, ${version} WHERE ${isLasting}
      ON CONFLICT DO UPDATE SET version = excluded.version WHERE version < excluded.version`,
    recordLeaving: recordAction(ctx, action),
  })
}
