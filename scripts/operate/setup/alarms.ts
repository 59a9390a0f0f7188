/** A test alarm, which shows that mails about alarms arrive. */
import { desc, eq } from 'drizzle-orm'
import { findings } from '../../../src/db/schema/operations.ts'
import type { SqliteDatabase } from '../database/remote.ts'
import { report, type Setup } from './report.ts'

/**
 * Raises an alarm as a test, once: the next cron run mails it, and sends it to webhooks, as any other.
 * Advises to acknowledge it.
 */
export async function ensureTestAlarm(
  { environment, isDryRun, advise }: Setup,
  db: SqliteDatabase,
  now: Date,
): Promise<void> {
  const [raised] = await db
    .select({ acknowledgedAt: findings.acknowledgedAt })
    .from(findings)
    .where(eq(findings.key, 'test'))
    .orderBy(desc(findings.id))
    .limit(1)
  if (raised?.acknowledgedAt) return report('alarm', 'the test was acknowledged: already there')
  if (isDryRun && !raised) return report('alarm', 'a test would be raised')
  if (!raised)
    await db.insert(findings).values({
      chainId: 0,
      key: 'test',
      detail: 'A test of the setup: acknowledge it, because its mail has arrived.',
      nodes: [],
      seenAt: now.toISOString(),
    })
  report('alarm', `a test: ${raised ? 'not acknowledged yet' : 'raised'}`)
  advise(
    `Acknowledge the test alarm at ${environment.publicUrl}/operations once its mail has arrived, within two minutes. If none arrives: docs/runbook.md, "Test".`,
  )
}
