/** What is wrong at present: the alarms that last, and what is no alarm yet. */
import type { Settings } from '../../env.ts'
import {
  EARLY_LIMITS,
  findAlarms,
  type Severity,
  severities,
  severityOf,
} from '../../monitoring/alarms.ts'
import { countWork } from '../../monitoring/health.ts'
import type { storedState } from '../../monitoring/state.ts'

type StoredState = ReturnType<typeof storedState>

/** Milliseconds after which the end of the last cron run is too long ago. */
const LATE = 2 * 60_000

/** Returns what is wrong, the worst first, then the oldest. */
export function findTroubles(state: StoredState, settings: Settings, now: Date) {
  const found = findAlarms(
    { ...state, queues: {}, storageProblem: null },
    settings,
    now,
    EARLY_LIMITS,
  )
  const alarms = new Map(state.alarms.map((alarm) => [alarm.key, alarm]))
  // What was found just now has the newer sentence.
  const troubles = new Map([...alarms.values(), ...found].map((alarm) => [alarm.key, alarm]))
  return [...troubles.values()]
    .map(({ key, name, subject, detail, version }) => {
      const severity = (severityOf as Record<string, Severity>)[name] ?? 'warning'
      const isStop = severity === 'critical' && version === null
      const stopped = isStop ? countWaiting(state, subject) : 0
      /** Null if the alarm is not raised yet. */
      const raisedAt = alarms.get(key)?.raisedAt ?? null
      return { key, name, detail, version, severity, raisedAt, chainId: subject, stopped }
    })
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

const rank = ({ severity, raisedAt }: { severity: Severity; raisedAt: string | null }) =>
  `${severities.indexOf(severity)} ${raisedAt}`

/** A critical alarm of a chain stops what is queued or in flight there. */
function countWaiting({ work }: StoredState, subject: string): number {
  const there = work.filter(({ chainId }) => String(chainId) === subject)
  return countWork(there, 'queued') + countWork(there, 'inFlight')
}

/** Whether the last cron run has ended too long ago, or none ever has. */
export const isCronLate = (cron: StoredState['cron'], now: Date): boolean =>
  now.getTime() - Date.parse(cron?.finishedAt ?? cron?.startedAt ?? '1970') > LATE
