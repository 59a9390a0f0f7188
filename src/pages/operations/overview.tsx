import type { DeliveryState } from '../../db/schema/delivery.ts'
import { sentences } from '../../delivery/reasons.ts'
import type { Group } from '../../operations/groups.ts'
import { countWork } from '../../operations/health.ts'
import { MAX_COUNT } from '../../operations/instance-state.ts'
import type { Overview } from '../../operations/overview.ts'
import type { Range } from '../../operations/periods.ts'
import { findTroubles, isCronLate } from '../../operations/troubles.ts'
import { LinkButton } from '../components/button.tsx'
import { Fact } from '../components/facts.tsx'
import { sentence } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { money } from '../components/numbers.ts'
import { usePage } from '../components/request.ts'
import { Rows } from '../components/rows.tsx'
import { When } from '../components/time.tsx'
import { AuditList } from './audit.tsx'
import { Live, listPath, OperationsPage, TransferLink } from './layout.tsx'
import { NetworkPanel } from './network.tsx'
import { describeRetry } from './outcome.tsx'
import { Plots } from './plots.tsx'
import { upTo } from './transfers.tsx'

type OverviewProps = Omit<Overview, 'account'> & { range: Range }

export const OverviewPage = ({ hours, state, audit, range, ...groups }: OverviewProps) => (
  <OperationsPage path="/operations">
    <Live>
      <Cron state={state} />
      <Troubles state={state} />
      <dl class="numbers">
        <Figure name="Queued" value={countWork(state.work, 'queued')} state="queued" />
        <Figure name="In flight" value={countWork(state.work, 'inFlight')} state="in_flight" />
        <Figure name="Without a wallet" value={state.awaitingWallet} state="awaiting_wallet" />
        <Figure name="Failed" value={state.failed} state="failed" />
      </dl>
      <section class="flow" aria-labelledby="failures">
        <h2 id="failures">Failures</h2>
        <Groups groups={groups.failures} state="failed" empty="Nothing has failed." />
      </section>
      <section class="flow" aria-labelledby="waiting">
        <h2 id="waiting">Waiting for more than their turn</h2>
        <Groups
          groups={groups.delays}
          state="queued"
          empty="What is queued waits only for its turn."
        />
      </section>
      <section class="flow" aria-labelledby="plots">
        <h2 id="plots">Orders and deliveries</h2>
        <Plots hours={hours} range={range} />
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
    </Live>
  </OperationsPage>
)

type FigureProps = { name: string; value: number; state?: DeliveryState }

/** A number. One of transfers leads to their list. */
const Figure = ({ name, value, state }: FigureProps) => (
  <Fact name={name}>{state ? <a href={listPath({ state })}>{upTo(value)}</a> : upTo(value)}</Fact>
)

type StateProps = Pick<OverviewProps, 'state'>

/** Says that the page is old, because nothing is looked at without the cron run. */
const Cron = ({ state: { cron } }: StateProps) =>
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
const Troubles = ({ state }: StateProps) => {
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
      {troubles.map(({ name, detail, severity, raisedAt, chainId, stopped }) => (
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
          </p>
        </li>
      ))}
    </ul>
  )
}

type GroupsProps = { groups: readonly Group[]; state: 'failed' | 'queued'; empty: string }

/** Transfers with the same reason, with their number and what buyers paid for them. */
const Groups = ({ groups, state, empty }: GroupsProps) => (
  <Rows
    items={groups}
    empty={empty}
    row={({ reasonCode: code, chainId, items, totals, oldestId }) => (
      <li class="row">
        <p>{sentence(sentences[code])}</p>
        <p class="meta">
          <span>
            <a href={listPath({ state, code, chain: chainId })}>
              {upTo(items)} {items === 1 ? 'transfer' : 'transfers'}
              <span class="visually-hidden">: {sentences[code]}</span>
            </a>
          </span>
          {chainId && <span>Chain {chainId}</span>}
          {Object.entries<number>(JSON.parse(totals)).map(([currency, amount]) => (
            <span>
              {items >= MAX_COUNT && 'at least '}
              {money(amount, currency)}
            </span>
          ))}
          <span>
            Oldest: <TransferLink id={oldestId} />
          </span>
        </p>
        {state === 'failed' && <p class="hint">{describeRetry(code)}</p>}
      </li>
    )}
  />
)
