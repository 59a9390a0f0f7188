/** Notifies of alarms: when they begin, each hour while they last, and when they are over. */
import { sql } from 'drizzle-orm'
import { batch, guarded } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import type { AlarmData } from '../../db/schema/webhooks.ts'
import { raw } from '../../db/statements.ts'
import { readSettings } from '../../env.ts'
import { appendAlarms } from '../../events/append.ts'
import { wakeWebhooks } from '../../events/wake.ts'
import { log } from '../../log.ts'
import { HOUR } from '../../time.ts'
import { readState, stateStatements } from '../state.ts'
import { type Alarm, severityOf } from './alarm.ts'
import { findAllAlarms, isAcknowledged } from './alarms.ts'

/** Milliseconds after which an alarm that lasts is repeated. That of a token lasts for weeks. */
const repeatAfter = (name: string) => (name === 'token_ends' ? 24 * HOUR : HOUR)

/** Milliseconds between two messages of an alarm about new members. A critical alarm tells of each at once. */
const newsAfter = (name: Alarm['name']) => (severityOf[name] === 'critical' ? 0 : HOUR)

/** Returns the URL of an alarm's entry in docs/runbook.md, as the instance serves it. */
export const runbookUrl = (publicUrl: string, name: string): string =>
  `${publicUrl}/docs/runbook#${name.replaceAll('_', '-')}`

/** What the log and the webhooks say of an alarm. */
type AlarmNotification = {
  type: 'alarm.raised' | 'alarm.cleared'
  isRepeated?: boolean
  data: AlarmData
}

/** Another cron run has changed the alarms meanwhile. */
class Outdated extends Error {}

/** An alarm that lasts or is over. `mailedAt`: when its last mail was sent; `''` if it has news for one. */
export type RaisedAlarm = Pick<Alarm, 'key' | 'subject' | 'detail'> & {
  name: string
  mailedAt: string
}

/**
 * Compares the state with the stored alarms, stores what has changed, and notifies of it. Returns the alarms
 * that last, and those that are over since the last time.
 */
export async function raiseAlarms(env: Env, db: Database, now: Date) {
  const settings = readSettings(env)
  const state = await readState(env, settings, batch(db, stateStatements({ db, settings, now })))
  const at = now.toISOString()
  const notifications: AlarmNotification[] = []
  const describe = ({ name, subject, detail, raisedAt }: Omit<AlarmData, 'runbookUrl'>) => ({
    data: { name, subject, detail, raisedAt, runbookUrl: runbookUrl(settings.PUBLIC_URL, name) },
  })
  const gone = new Map(state.alarms.map((alarm) => [alarm.key, alarm]))
  const lasting: RaisedAlarm[] = []
  const news: string[] = []
  const found = findAllAlarms(state, settings, now)
  const forgotten = state.acknowledgements.filter(({ key }) => !found.some((a) => a.key === key))
  const told = found.filter((alarm) => !isAcknowledged(state, alarm))
  const rows = told.flatMap((alarm) => {
    const known = gone.get(alarm.key)
    gone.delete(alarm.key)
    const { raisedAt = at, notifiedAt = '', mailedAt = '' } = known ?? {}
    const age = known ? now.getTime() - Date.parse(notifiedAt) : Infinity
    // New members are told of, although the alarm lasts.
    const isNewer = (alarm.version ?? 0) > (known?.version ?? 0) && age >= newsAfter(alarm.name)
    const isDue = isNewer || age >= repeatAfter(alarm.name)
    if (isNewer) news.push(alarm.key)
    lasting.push({ ...alarm, mailedAt: isNewer ? '' : mailedAt })
    if (!isDue)
      return known?.detail === alarm.detail
        ? []
        : { ...alarm, version: known?.version, raisedAt, notifiedAt }
    notifications.push({
      type: 'alarm.raised',
      isRepeated: !!known && !isNewer,
      ...describe({ ...alarm, raisedAt }),
    })
    return { ...alarm, raisedAt, notifiedAt: at }
  })
  const over: readonly RaisedAlarm[] = [...gone.values()]
  for (const alarm of gone.values())
    notifications.push({ type: 'alarm.cleared', ...describe(alarm) })
  if (rows.length + notifications.length + forgotten.length === 0) return { lasting, over }
  try {
    await guarded(db, [{ when: hasChanged(state.alarms), error: () => new Outdated() }], {
      raised: raw<never>(db)`INSERT INTO alarms (key, name, detail, version, raisedAt, notifiedAt)
        SELECT value ->> 'key', value ->> 'name', value ->> 'detail', value ->> 'version',
          value ->> 'raisedAt', value ->> 'notifiedAt'
        FROM json_each(${JSON.stringify(rows)}) WHERE true
        ON CONFLICT (key) DO UPDATE SET detail = excluded.detail, version = excluded.version,
          notifiedAt = excluded.notifiedAt`,
      news: raw<never>(db)`UPDATE alarms SET mailedAt = ''
        WHERE key IN (SELECT value FROM json_each(${JSON.stringify(news)}))`,
      gone: raw<never>(db)`DELETE FROM alarms
        WHERE key IN (SELECT value FROM json_each(${JSON.stringify([...gone.keys()])}))`,
      forgotten: raw<never>(db)`DELETE FROM acknowledgements WHERE key IN
        (SELECT value ->> 'key' FROM json_each(${JSON.stringify(forgotten)}))`,
      events: appendAlarms(db, notifications, now),
    })
  } catch (error) {
    if (error instanceof Outdated) return { lasting: [], over: [] }
    throw error
  }
  for (const { type, isRepeated, data } of notifications) {
    const { raisedAt: _, ...fields } = data
    if (type === 'alarm.raised') log.error('alarm_raised', { ...fields, isRepeated })
    else log.info('alarm_cleared', fields)
  }
  if (notifications.length > 0) await wakeWebhooks(env, db, now)
  return { lasting, over }
}

/** Whether another run has raised, cleared or repeated an alarm since the read. */
const hasChanged = (read: readonly { key: string; notifiedAt: string }[]) => {
  const known = read.map(({ key, notifiedAt }) => `${key} ${notifiedAt}`).sort()
  return sql`(SELECT json_group_array(key || ' ' || notifiedAt ORDER BY key || ' ' || notifiedAt)
    FROM alarms) <> ${JSON.stringify(known)}`
}
