/** What is wrong at present, at the top of the overview: the alarms that last, and what is no alarm yet. */
import type { Settings } from '../../env.ts'
import {
  EARLY_LIMITS,
  type Severity,
  severities,
  severityOf,
} from '../../monitoring/alarms/alarm.ts'
import { findAlarms } from '../../monitoring/alarms/alarms.ts'
import { countDeliveries, type StoredState } from '../../monitoring/state.ts'
import { Confirm, LinkButton } from '../../pages/components/forms.tsx'
import { Icon } from '../../pages/components/icon.tsx'
import { Meta } from '../../pages/components/lists.tsx'
import { usePage } from '../../pages/components/request.ts'
import { sentence } from '../../pages/components/text.ts'
import { Time, When } from '../../pages/components/values.tsx'
import { MINUTE } from '../../time.ts'
import { upTo } from '../components/format.ts'
import { listPath } from '../components/layout.tsx'

/** Milliseconds after which the end of the last cron run is too long ago. */
const LATE = 2 * MINUTE

type StateProps = { state: StoredState }

/** Says that the page is old, because nothing is looked at without the cron run. */
export const CronProblem = ({ state: { cron } }: StateProps) => {
  const lastAt = Date.parse(cron?.finishedAt ?? cron?.startedAt ?? '1970')
  if (usePage().now.getTime() - lastAt <= LATE) return null
  return (
    <p class="notice danger" role="alert">
      <Icon name="alert" /> <strong>The cron run of each minute does not run.</strong>
      <span>
        {cron?.finishedAt ? <When what="It ended" at={cron.finishedAt} /> : 'It has never ended'}.
        Nodes and alarms below are as old, and waiting deliveries may stand still.
      </span>
      <a href="/docs/runbook#cron-job-failed">Runbook</a>
    </p>
  )
}

/** Returns what is wrong, the worst first, then the oldest. */
function findProblems(state: StoredState, settings: Settings, now: Date) {
  const complete = { ...state, queues: {}, storageProblem: null }
  const found = findAlarms(complete, settings, now, EARLY_LIMITS)
  const raised = new Map(state.alarms.map((alarm) => [alarm.key, alarm]))
  // What was found just now has the newer sentence.
  const problems = new Map([...state.alarms, ...found].map((alarm) => [alarm.key, alarm]))
  const rank = ({ severity, raisedAt }: { severity: Severity; raisedAt: string | null }) =>
    `${severities.indexOf(severity)} ${raisedAt}`
  return [...problems.values()]
    .map((problem) => {
      const severity = (severityOf as Record<string, Severity>)[problem.name] ?? 'warning'
      /** Null if the alarm is not raised yet. */
      const raisedAt = raised.get(problem.key)?.raisedAt ?? null
      // A critical alarm of a chain stops what is queued or in flight there.
      const isStop = severity === 'critical' && problem.version === null
      const underWay = state.underWay.filter(
        ({ chainId }) => isStop && `${chainId}` === problem.subject,
      )
      const stopped = countDeliveries(underWay, 'queued') + countDeliveries(underWay, 'inFlight')
      // What has failed is known to the endpoint once its alarm is raised, and a finding at once.
      const isKnown = raisedAt !== null || state.findings.some(({ key }) => key === problem.key)
      const canAcknowledge = problem.version !== null && isKnown
      return { ...problem, severity, raisedAt, stopped, canAcknowledge }
    })
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

/** The runbook has a section for each name, with dashes. */
export const Problems = ({ state }: StateProps) => {
  const { settings, now } = usePage()
  const problems = findProblems(state, settings, now)
  if (problems.length === 0)
    return (
      <p class="notice done">
        <Icon name="succeeded" /> No alarm is raised.
      </p>
    )
  return (
    <ul class="rows alarms" aria-label="Alarms">
      {problems.map(({ key, name, subject, detail, version, severity, raisedAt, ...problem }) => (
        <li class={`row ${severity}`}>
          <div class="row-head">
            <Icon name="alert" />
            <h2>{sentence(name.replaceAll('_', ' ')).slice(0, -1)}</h2>
            <span class="badge">{severity}</span>
          </div>
          <p>
            {detail}
            {problem.stopped > 0 && ' · '}
            {problem.stopped > 0 && (
              <a href={listPath({ state: 'queued', chain: subject })}>
                {upTo(problem.stopped)} {problem.stopped === 1 ? 'order waits' : 'orders wait'}
              </a>
            )}
          </p>
          <Meta facts={[raisedAt ? ['Raised ', <Time at={raisedAt} />] : 'No alarm yet']} />
          <p class="actions">
            <LinkButton href={`/docs/runbook#${name.replaceAll('_', '-')}`} kind="small">
              Runbook<span class="visually-hidden">: {name}</span>
            </LinkButton>
            {problem.canAcknowledge && (
              <Confirm
                id={`acknowledge-${version}`}
                label="Acknowledge"
                subject={key}
                title="Acknowledge this alarm?"
                action={`/operations/alarms/${encodeURIComponent(key)}/acknowledge`}
                submit="Acknowledge alarm"
                values={{ version }}
              >
                <p>
                  {detail} The alarm ends with the next cron run. What was found since this page was
                  loaded raises it again.
                </p>
              </Confirm>
            )}
          </p>
        </li>
      ))}
    </ul>
  )
}
