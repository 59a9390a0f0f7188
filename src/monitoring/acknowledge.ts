/** Acknowledges alarms that last until somebody has looked at what was found. */
import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { writeAs } from '../auth/access.ts'
import { recordAction } from '../auth/audit.ts'
import { refuseOldSignIn } from '../auth/session.ts'
import { findings } from '../db/schema/operations.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { inputText } from '../http/inputs.ts'

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
 * was found since.
 */
export async function acknowledgeAlarm(
  ctx: Ctx,
  { key, version }: { key: string; version: number },
): Promise<void> {
  const { db, caller, now } = ctx
  const unknown = {
    when: sql`NOT EXISTS (SELECT 1 FROM findings WHERE key = ${key} AND id = ${version})`,
    error: () => new ApiError('not_found', 'there is no alarm with this key and version'),
  }
  const recent = caller.requires ? [refuseOldSignIn(db, caller, now)] : []
  await writeAs(db, caller, [unknown, ...recent], {
    acknowledge: db
      .update(findings)
      .set({ acknowledgedAt: now.toISOString() })
      .where(sql`key = ${key} AND id <= ${version} AND acknowledgedAt IS NULL`),
    record: recordAction(ctx, { action: 'alarm.acknowledge', subject: key, details: { version } }),
  })
}
