import type { ReasonCode } from '../../db/schema/delivery.ts'
import { MAX_CHANGED } from '../../delivery/admin/actions.ts'
import { finalReasons, sentences } from '../../delivery/reasons.ts'
import type { Settings } from '../../env.ts'
import { countWork } from '../../operations/health.ts'
import type { Failure } from '../../operations/instance-state.ts'
import type { Overview } from '../../operations/overview.ts'
import type { Range } from '../../operations/periods.ts'
import { Confirm } from '../components/confirm.tsx'
import { sentence } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { count, plural } from '../components/numbers.ts'
import { Time } from '../components/time.tsx'
import { AuditList } from './audit.tsx'
import { OperationsPage, StateBadge, TransferLink } from './layout.tsx'
import { NetworkPanel } from './network.tsx'
import { Plots } from './plots.tsx'

type Retried = { items: number; code: ReasonCode }

type OverviewProps = Omit<Overview, 'account'> & {
  range: Range
  retried: Retried | undefined
  settings: Pick<Settings, 'NETWORKS'>
  now: Date
}

export const OverviewPage = ({
  hours,
  state,
  oldest,
  audit,
  range,
  retried,
  settings,
  now,
}: OverviewProps) => (
  <OperationsPage path="/operations" notice={retried && describeRetry(retried, state.failures)}>
    <Alarms alarms={state.alarms} now={now} />
    <dl class="numbers">
      <Figure name="Queued" value={countWork(state.work, 'queued')} />
      <Figure name="In flight" value={countWork(state.work, 'inFlight')} />
      <Figure name="Without a wallet" value={state.awaitingWallet} />
      <Figure name="Failed" value={state.failed} />
    </dl>
    <section class="flow" aria-labelledby="plots">
      <h2 id="plots">Orders and deliveries</h2>
      <Plots hours={hours} range={range} now={now} />
    </section>
    <section class="flow" aria-labelledby="failures">
      <h2 id="failures">Failures</h2>
      <Failures failures={state.failures} />
    </section>
    <section class="flow" aria-labelledby="oldest">
      <h2 id="oldest">Oldest under way</h2>
      <Oldest oldest={oldest} now={now} />
    </section>
    <section class="flow" aria-labelledby="networks">
      <h2 id="networks">Signers and contracts</h2>
      {Object.entries(settings.NETWORKS).map(([name, network]) => (
        <NetworkPanel
          name={name}
          network={network}
          check={state.networks.find(({ chainId }) => chainId === network.chainId)}
          now={now}
        />
      ))}
    </section>
    <section class="flow" aria-labelledby="webhooks">
      <h2 id="webhooks">Webhooks</h2>
      <dl class="numbers">
        <Figure name="Endpoints with something to send" value={state.webhooks.pending} />
        <Figure name="Failing endpoints" value={state.webhooks.failing} />
        <Figure name="Disabled endpoints" value={state.webhooks.disabled} />
      </dl>
    </section>
    <section class="flow" aria-labelledby="audit">
      <h2 id="audit">Audit log</h2>
      <AuditList entries={audit} now={now} />
      <p class="actions">
        <a class="button" href="/operations/audit">
          All entries
        </a>
      </p>
    </section>
  </OperationsPage>
)

const Figure = ({ name, value }: { name: string; value: number }) => (
  <div>
    <dt>{name}</dt>
    <dd>{count(value)}</dd>
  </div>
)

function describeRetry({ items, code }: Retried, failures: readonly Failure[]): string {
  const left = failures.find(({ reasonCode }) => reasonCode === code)?.items ?? 0
  const rest =
    left > 0
      ? ` ${plural(left, 'transfer')} with this reason ${left === 1 ? 'is' : 'are'} left.`
      : ''
  return `${plural(items, 'transfer')} ${items === 1 ? 'is' : 'are'} queued again.${rest}`
}

/** The runbook has a section for each name, with dashes. */
const Alarms = ({ alarms, now }: { alarms: Overview['state']['alarms']; now: Date }) =>
  alarms.length === 0 ? (
    <p class="notice">
      <Icon name="succeeded" /> No alarm is raised.
    </p>
  ) : (
    <ul class="rows alarms" aria-label="Alarms">
      {alarms.map(({ name, detail, raisedAt }) => (
        <li class="row">
          <div class="row-head">
            <Icon name="alert" />
            <h2>{sentence(name.replaceAll('_', ' ')).slice(0, -1)}</h2>
          </div>
          <p>{detail}</p>
          <p class="meta">
            <span>
              Raised <Time at={raisedAt} now={now} />
            </span>
          </p>
          <p class="actions">
            <a class="button small" href={`/docs/runbook#${name.replaceAll('_', '-')}`}>
              Runbook<span class="visually-hidden">: {name}</span>
            </a>
          </p>
        </li>
      ))}
    </ul>
  )

const Failures = ({ failures }: { failures: readonly Failure[] }) => {
  if (failures.length === 0) return <p class="empty">Nothing has failed.</p>
  return (
    <ul class="rows">
      {failures.map(({ reasonCode, items, oldestId }) => (
        <li class="row">
          <p>{sentence(sentences[reasonCode])}</p>
          <p class="meta">
            <span>{plural(items, 'transfer')}</span>
            <span>
              Oldest: <TransferLink id={oldestId} />
            </span>
          </p>
          {finalReasons.includes(reasonCode) ? (
            <p class="hint">Write each of them off on its page.</p>
          ) : (
            <div class="actions">
              <Confirm
                id={`retry-${reasonCode}`}
                label={
                  <>
                    Retry all<span class="visually-hidden">: {sentences[reasonCode]}</span>
                  </>
                }
                title={`Retry ${plural(Math.min(items, MAX_CHANGED), 'transfer')}?`}
                action="/operations/retry"
                submit="Retry"
                isHarmless
                values={{ code: reasonCode }}
              >
                <p>
                  {sentence(sentences[reasonCode])} What is queued again fails after 10 minutes if
                  nothing has changed.
                </p>
                {items > MAX_CHANGED && (
                  <p>{count(items - MAX_CHANGED)} more are left. Retry them afterwards.</p>
                )}
              </Confirm>
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

const Oldest = ({ oldest, now }: Pick<OverviewProps, 'oldest' | 'now'>) =>
  oldest.length === 0 ? (
    <p class="empty">Everything is delivered, or waits for a wallet.</p>
  ) : (
    <ol class="rows">
      {oldest.map(({ id, orderId, network, status, requestedAction, reason, createdAt, dueAt }) => (
        <li class="row">
          <div class="row-head">
            <h3>
              <TransferLink id={id} />
            </h3>
            <StateBadge state={status} requestedAction={requestedAction} />
          </div>
          <p class="meta">
            <span>Order {orderId}</span>
            <span>{network}</span>
            <span>
              Ordered <Time at={createdAt} now={now} />
            </span>
            {dueAt && (
              <span>
                {dueAt > now.toISOString() ? 'Next attempt' : 'Due'} <Time at={dueAt} now={now} />
              </span>
            )}
          </p>
          {reason && <p>{sentence(reason)}</p>}
        </li>
      ))}
    </ol>
  )
