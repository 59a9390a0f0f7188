/** Tells of alarms: when they begin, each hour while they last, and when they are over. */
import { sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import { guardedBatch } from '../db/guard.ts'
import { settingsOf } from '../env.ts'
import { log } from '../log.ts'
import { addAlarms, wakeWebhooks } from '../webhooks/outbox.ts'
import { alarmsOf } from './alarms.ts'
import { readState, stateStatements } from './state.ts'

/** Milliseconds after which an alarm is told again. */
const REPEAT_AFTER = 60 * 60 * 1000

/** The entry of an alarm in docs/runbook.md, as the instance serves it. */
export const runbookUrlOf = (publicUrl: string, name: string): string =>
  `${publicUrl}/docs/runbook#${name.replaceAll('_', '-')}`

/** A row of `alarms`, with what the log and the webhooks tell of it. */
type Told = {
  type: 'alarm.raised' | 'alarm.cleared'
  isRepeated?: boolean
  data: { name: string; subject: string; detail: string; raisedAt: string; runbookUrl: string }
}

/** Another cron run has told of alarms meanwhile. */
class Outdated extends Error {}

/** Compares the state with the alarms that last, and tells what has changed. */
export async function raiseAlarms(env: Env, db: Database, now: Date): Promise<void> {
  const settings = settingsOf(env)
  const state = await readState(env, settings, db.batch(stateStatements(db, settings, now)))
  const at = now.toISOString()
  const told: Told[] = []
  const toldOf = ({ name, subject, detail, raisedAt }: Omit<Told['data'], 'runbookUrl'>) => ({
    data: { name, subject, detail, raisedAt, runbookUrl: runbookUrlOf(settings.PUBLIC_URL, name) },
  })
  const gone = new Map(state.alarms.map((alarm) => [alarm.key, alarm]))
  const rows = alarmsOf(state, settings.NETWORKS, now).flatMap((alarm) => {
    const known = gone.get(alarm.key)
    gone.delete(alarm.key)
    const { raisedAt = at, notifiedAt = '' } = known ?? {}
    const isDue = !known || now.getTime() - Date.parse(notifiedAt) >= REPEAT_AFTER
    if (isDue)
      told.push({ type: 'alarm.raised', isRepeated: !!known, ...toldOf({ ...alarm, raisedAt }) })
    if (!isDue && known.detail === alarm.detail) return []
    return { ...alarm, raisedAt, notifiedAt: isDue ? at : notifiedAt }
  })
  for (const alarm of gone.values()) told.push({ type: 'alarm.cleared', ...toldOf(alarm) })
  if (rows.length + told.length === 0) return
  try {
    await guardedBatch(
      db,
      [{ when: hasChanged(state.alarms), error: () => new Outdated() }],
      [upsert(db, rows), remove(db, [...gone.keys()]), addAlarms(db, told, now)],
    )
  } catch (error) {
    if (error instanceof Outdated) return
    throw error
  }
  for (const { type, isRepeated, data } of told) {
    const { raisedAt: _, ...fields } = data
    if (type === 'alarm.raised') log.error('alarm_raised', { ...fields, isRepeated })
    else log.info('alarm_cleared', fields)
  }
  if (told.length > 0) await wakeWebhooks(env.WEBHOOKS, db, now)
}

/** Whether another run has raised, cleared or repeated an alarm since the read. */
const hasChanged = (alarms: readonly { key: string; notifiedAt: string }[]) => {
  const known = JSON.stringify(alarms.map(({ key, notifiedAt }) => ({ key, notifiedAt })))
  return sql`(SELECT count(*) FROM alarms) <> ${alarms.length}
    OR (SELECT count(*) FROM json_each(${known}) JOIN alarms a
      ON a.key = value ->> 'key' AND a.notifiedAt = value ->> 'notifiedAt') <> ${alarms.length}`
}

const upsert = (db: Database, rows: readonly object[]) =>
  raw<never>(
    db,
    sql`INSERT INTO alarms (key, name, detail, raisedAt, notifiedAt)
      SELECT value ->> 'key', value ->> 'name', value ->> 'detail', value ->> 'raisedAt',
        value ->> 'notifiedAt' FROM json_each(${JSON.stringify(rows)}) WHERE true
      ON CONFLICT (key) DO UPDATE SET detail = excluded.detail, notifiedAt = excluded.notifiedAt`,
  )

const remove = (db: Database, keys: readonly string[]) =>
  raw<never>(
    db,
    sql`DELETE FROM alarms WHERE key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`,
  )
