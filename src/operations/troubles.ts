/** What is wrong at present: the alarms that last, and what is no alarm yet. */
import type { Settings } from '../env.ts'
import { EARLY_LIMITS, findAlarms, type Severity, severities, severityOf } from './alarms.ts'
import type { storedState } from './instance-state.ts'

/** What D1 knows of the state. */
export type StoredState = ReturnType<typeof storedState>

/** Milliseconds after which the end of the last cron run is too long ago. */
const LATE = 2 * 60_000

export type Trouble = {
  name: string
  /** A sentence without personal data. */
  detail: string
  severity: Severity
  /** Null if the alarm is not raised yet. */
  raisedAt: string | null
  /** The chain that stands still, and its items that are queued or in flight. */
  stopped: { chainId: number; items: number } | null
}

/** Returns what is wrong, the worst first, then the oldest. */
export function findTroubles(state: StoredState, settings: Settings, now: Date): Trouble[] {
  const alarms = new Map(state.alarms.map((alarm) => [alarm.key, alarm]))
  const unknown = { queues: {}, storageProblem: null }
  const found = findAlarms({ ...state, ...unknown }, settings, now, EARLY_LIMITS).map((alarm) => ({
    ...alarm,
    raisedAt: alarms.get(alarm.key)?.raisedAt ?? null,
  }))
  // What was found just now has the newer sentence.
  const troubles = new Map([...alarms.values(), ...found].map((alarm) => [alarm.key, alarm]))
  const rank = ({ severity, raisedAt }: Trouble) => `${severities.indexOf(severity)} ${raisedAt}`
  return [...troubles.values()]
    .map(({ name, subject, detail, raisedAt }): Trouble => {
      const severity = (severityOf as Record<string, Severity>)[name] ?? 'warning'
      return { name, detail, severity, raisedAt, stopped: findStopped(state, severity, subject) }
    })
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

/** A critical alarm whose subject is a chain stops its deliveries. */
function findStopped({ work }: StoredState, severity: Severity, subject: string) {
  const groups = work.filter(({ chainId }) => String(chainId) === subject)
  const items = groups.reduce((sum, { queued, inFlight }) => sum + queued + inFlight, 0)
  return severity === 'critical' && items > 0 ? { chainId: Number(subject), items } : null
}

/** Whether the last cron run has ended too long ago, or none ever has. */
export const isCronLate = ({ cron }: StoredState, now: Date): boolean =>
  now.getTime() - Date.parse(cron?.finishedAt ?? cron?.startedAt ?? '1970') > LATE
