import type { ReasonCode } from '../../db/schema/delivery.ts'
import { MAX_CHANGED } from '../../delivery/admin/actions.ts'
import { finalReasons, sentences } from '../../delivery/reasons.ts'
import { countWork } from '../../operations/health.ts'
import { type Failure, MAX_COUNT } from '../../operations/instance-state.ts'
import type { Overview } from '../../operations/overview.ts'
import type { Range } from '../../operations/periods.ts'
import { LinkButton } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { sentence } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { count, plural } from '../components/numbers.ts'
import { usePage } from '../components/request.ts'
import { Rows } from '../components/rows.tsx'
import { When } from '../components/time.tsx'
import { AuditList } from './audit.tsx'
import { OperationsPage, StateBadge, TransferLink } from './layout.tsx'
import { NetworkPanel } from './network.tsx'
import { Plots } from './plots.tsx'

type Retried = { items: number; code: ReasonCode }

type OverviewProps = Omit<Overview, 'account'> & {
  range: Range
  retried: Retried | undefined
}

export const OverviewPage = ({ hours, state, oldest, audit, range, retried }: OverviewProps) => (
  <OperationsPage path="/operations" notice={retried && describeRetry(retried, state.failures)}>
    <Alarms alarms={state.alarms} />
    <dl class="numbers">
      <Figure name="Queued" value={countWork(state.work, 'queued')} />
      <Figure name="In flight" value={countWork(state.work, 'inFlight')} />
      <Figure name="Without a wallet" value={state.awaitingWallet} />
      <Figure name="Failed" value={state.failed} />
    </dl>
    <section class="flow" aria-labelledby="plots">
      <h2 id="plots">Orders and deliveries</h2>
      <Plots hours={hours} range={range} />
    </section>
    <section class="flow" aria-labelledby="failures">
      <h2 id="failures">Failures</h2>
      <Failures failures={state.failures} />
    </section>
    <section class="flow" aria-labelledby="oldest">
      <h2 id="oldest">Oldest under way</h2>
      <Oldest oldest={oldest} />
    </section>
    <section class="flow" aria-labelledby="networks">
      <h2 id="networks">Signers and contracts</h2>
      {Object.entries(usePage().settings.NETWORKS).map(([name, network]) => (
        <NetworkPanel
          name={name}
          network={network}
          check={state.networks.find(({ chainId }) => chainId === network.chainId)}
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
      <AuditList entries={audit} />
      <p class="actions">
        <LinkButton href="/operations/audit">All entries</LinkButton>
      </p>
    </section>
  </OperationsPage>
)

const Figure = ({ name, value }: { name: string; value: number }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value < MAX_COUNT ? value : `${count(MAX_COUNT)} or more`}</dd>
  </div>
)

function describeRetry({ items, code }: Retried, failures: readonly Failure[]): string {
  const left = failures.find(({ reasonCode }) => reasonCode === code)?.items ?? 0
  const rest =
    left > 0
      ? ` ${left < MAX_COUNT ? '' : 'At least '}${plural(left, 'transfer')} with this reason ${left === 1 ? 'is' : 'are'} left.`
      : ''
  return `${plural(items, 'transfer')} ${items === 1 ? 'is' : 'are'} queued again.${rest}`
}

/** The runbook has a section for each name, with dashes. */
const Alarms = ({ alarms }: { alarms: Overview['state']['alarms'] }) =>
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
            <When what="Raised" at={raisedAt} />
          </p>
          <p class="actions">
            <LinkButton href={`/docs/runbook#${name.replaceAll('_', '-')}`} kind="small">
              Runbook<span class="visually-hidden">: {name}</span>
            </LinkButton>
          </p>
        </li>
      ))}
    </ul>
  )

const Failures = ({ failures }: { failures: readonly Failure[] }) => (
  <Rows
    items={failures}
    empty="Nothing has failed."
    row={({ reasonCode, items, oldestId }) => (
      <li class="row">
        <p>{sentence(sentences[reasonCode])}</p>
        <p class="meta">
          <span>
            {items < MAX_COUNT ? '' : 'At least '}
            {plural(items, 'transfer')}
          </span>
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
    )}
  />
)

const Oldest = ({ oldest }: Pick<OverviewProps, 'oldest'>) => (
  <Rows
    items={oldest}
    empty="Everything is delivered, or waits for a wallet."
    isOrdered
    row={({ id, orderId, network, status, requestedAction, reason, createdAt, dueAt }) => (
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
          <When what="Ordered" at={createdAt} />
          {dueAt && (
            <When what={dueAt > usePage().now.toISOString() ? 'Next attempt' : 'Due'} at={dueAt} />
          )}
        </p>
        {reason && <p>{sentence(reason)}</p>}
      </li>
    )}
  />
)
