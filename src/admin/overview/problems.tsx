/** What is wrong at present, at the top of the overview. */

import { LinkButton } from '../../pages/components/button.tsx'
import { Confirm } from '../../pages/components/confirm.tsx'
import { sentence } from '../../pages/components/field.tsx'
import { Icon } from '../../pages/components/icon.tsx'
import { usePage } from '../../pages/components/request.ts'
import { When } from '../../pages/components/time.tsx'
import { upTo } from '../format.ts'
import { listPath } from '../layout.tsx'
import { findTroubles, isCronLate } from './find-problems.ts'
import type { Overview } from './read.ts'

type StateProps = Pick<Overview, 'state'>

/** Says that the page is old, because nothing is looked at without the cron run. */
export const Cron = ({ state: { cron } }: StateProps) =>
  isCronLate(cron, usePage().now) && (
    <p class="notice danger" role="alert">
      <Icon name="alert" /> <strong>The cron run of each minute does not run.</strong>
      <span>
        {cron?.finishedAt ? <When what="It ended" at={cron.finishedAt} /> : 'It has never ended'}.
        Nodes and alarms below are as old, and waiting deliveries may stand still.
      </span>
      <a href="/docs/runbook#cron-job-failed">Runbook</a>
    </p>
  )

/** The runbook has a section for each name, with dashes. */
export const Troubles = ({ state }: StateProps) => {
  const { settings, now } = usePage()
  const troubles = findTroubles(state, settings, now)
  if (troubles.length === 0)
    return (
      <p class="notice">
        <Icon name="succeeded" /> No alarm is raised.
      </p>
    )
  return (
    <ul class="rows alarms" aria-label="Alarms">
      {troubles.map(({ key, name, detail, version, severity, raisedAt, chainId, stopped }) => (
        <li class={`row ${severity}`}>
          <div class="row-head">
            <Icon name="alert" />
            <h2>{sentence(name.replaceAll('_', ' ')).slice(0, -1)}</h2>
            <span class="badge">{severity}</span>
          </div>
          <p>
            {detail}
            {stopped > 0 && ' · '}
            {stopped > 0 && (
              <a href={listPath({ state: 'queued', chain: chainId })}>
                {upTo(stopped)} {stopped === 1 ? 'order waits' : 'orders wait'}
              </a>
            )}
          </p>
          <p class="meta">
            {raisedAt ? <When what="Raised" at={raisedAt} /> : <span>No alarm yet</span>}
          </p>
          <p class="actions">
            <LinkButton href={`/docs/runbook#${name.replaceAll('_', '-')}`} kind="small">
              Runbook<span class="visually-hidden">: {name}</span>
            </LinkButton>
            {version !== null && (
              <Confirm
                id={`acknowledge-${version}`}
                label="Acknowledge"
                subject={key}
                title="Acknowledge this alarm?"
                action={`/operations/alarms/${encodeURIComponent(key)}/acknowledge`}
                submit="Acknowledge alarm"
                values={{ version: String(version) }}
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
