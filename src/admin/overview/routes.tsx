/** The overview: what is wrong, what waits, and what was done. */

import * as z from 'zod'
import type { DeliveryState } from '../../db/schema/delivery.ts'
import { rules } from '../../delivery/reasons.ts'
import type { Network } from '../../env.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { idText } from '../../http/inputs.ts'
import { AlarmKey, acknowledgeAlarm } from '../../monitoring/alarms/acknowledge.ts'
import { countDeliveries, type StoredState } from '../../monitoring/state.ts'
import { MAX_COUNT } from '../../monitoring/state-rows.ts'
import { LinkButton } from '../../pages/components/forms.tsx'
import { Fact, Meta, Rows, Section } from '../../pages/components/lists.tsx'
import { usePage } from '../../pages/components/request.ts'
import { formatCount, formatMoney, sentence } from '../../pages/components/text.ts'
import { ExplorerLink, Time } from '../../pages/components/values.tsx'
import { sent, shown } from '../../pages/page.tsx'
import { AuditList } from '../components/audit-list.tsx'
import { formatDecimal, symbolOf, upTo } from '../components/format.ts'
import {
  AdminLayout,
  adminPage,
  Live,
  listPath,
  liveScripts,
  PageLink,
  REFRESH,
  Table,
} from '../components/layout.tsx'
import { describeRetry } from '../components/transfers.tsx'
import type { Range } from './periods.ts'
import { Plots } from './plots.tsx'
import { CronProblem, Problems } from './problems.tsx'
import { type Overview, type ReasonGroup, readOverview } from './read.ts'

const OverviewQuery = z.object({ range: z.enum(['hours', 'days']).catch('hours') })

const acknowledge = sent.administrator({ param: AlarmKey, form: z.object({ version: idText }) })

export const overviewRoutes = new Endpoints()
  .get('/operations', shown.administrator({ query: OverviewQuery }), async (c, { query }) => {
    const { account, ...overview } = await readOverview(c.var)
    const scripts = [...liveScripts, 'plots.js']
    const view = <OverviewPage {...overview} range={query.range} />
    return adminPage(c, { title: 'Operations', account, scripts, refresh: REFRESH }, view)
  })
  .post('/operations/alarms/:key/acknowledge', acknowledge, async (c, { param, form }) => {
    await acknowledgeAlarm(c.var, { ...param, ...form })
    return c.redirect('/operations?notice=acknowledged', 303)
  })

type OverviewProps = Omit<Overview, 'account'> & { range: Range }

const OverviewPage = ({ hours, state, audit, range, failures, waiting }: OverviewProps) => (
  <AdminLayout
    path="/operations"
    notice={
      usePage().notice === 'acknowledged' &&
      'The alarm is acknowledged. It ends with the next cron run, in a minute.'
    }
  >
    <Live>
      <CronProblem state={state} />
      <Problems state={state} />
      <dl class="numbers">
        <Figure name="Queued" value={countDeliveries(state.underWay, 'queued')} state="queued" />
        <Figure
          name="In flight"
          value={countDeliveries(state.underWay, 'inFlight')}
          state="in_flight"
        />
        <Figure name="Without a wallet" value={state.awaitingWallet} state="awaiting_wallet" />
        <Figure name="Failed" value={state.failed} state="failed" />
      </dl>
      {state.awaitingSince && (
        <Meta
          facts={[
            ['First without a wallet: ', <Time at={state.awaitingSince} />],
            state.unclaimed > 0 && `${upTo(state.unclaimed)} unclaimed after 21 days`,
          ]}
        />
      )}
      <Section id="failures" title="Failures">
        <Groups groups={failures} state="failed" empty="Nothing has failed." />
      </Section>
      <Section id="waiting" title="Waiting for more than their turn">
        <Groups groups={waiting} state="queued" empty="What is queued waits only for its turn." />
      </Section>
      <Section id="plots" title="Orders and deliveries">
        <Plots hours={hours} range={range} />
      </Section>
      <Section id="networks" title="Signers and contracts">
        {Object.entries(usePage().settings.NETWORKS).map(([name, network]) => (
          <NetworkPanel
            name={name}
            network={network}
            check={state.networks.find(({ chainId }) => chainId === network.chainId)}
          />
        ))}
        <DropHint state={state} />
      </Section>
      <Section id="webhooks" title="Webhooks">
        <dl class="numbers">
          <Figure name="Endpoints with something to send" value={state.webhooks.pending} />
          <Figure name="Failing endpoints" value={state.webhooks.failing} />
          <Figure name="Disabled endpoints" value={state.webhooks.disabled} />
        </dl>
      </Section>
      <Section id="audit" title="Audit log">
        <AuditList entries={audit} />
        <p class="actions">
          <LinkButton href="/operations/audit">All entries</LinkButton>
        </p>
      </Section>
    </Live>
  </AdminLayout>
)

/** A number. One of transfers leads to their list. */
const Figure = ({ name, value, state }: { name: string; value: number; state?: DeliveryState }) => (
  <Fact name={name}>{state ? <a href={listPath({ state })}>{upTo(value)}</a> : upTo(value)}</Fact>
)

type GroupsProps = { groups: readonly ReasonGroup[]; state: 'failed' | 'queued'; empty: string }

/** Transfers with the same reason, with their number and what buyers paid for them. */
const Groups = ({ groups, state, empty }: GroupsProps) => (
  <Rows
    items={groups}
    empty={empty}
    row={({ reasonCode: code, chainId, transfers, totals, oldestId }) => (
      <li class="row">
        <p>{sentence(rules[code].sentence)}</p>
        <Meta
          facts={[
            <a href={listPath({ state, code, chain: chainId })}>
              {upTo(transfers)} {transfers === 1 ? 'transfer' : 'transfers'}
              <span class="visually-hidden">: {rules[code].sentence}</span>
            </a>,
            chainId && `Chain ${chainId}`,
            ...Object.entries<number>(JSON.parse(totals)).map(
              ([currency, amount]) =>
                `${transfers >= MAX_COUNT ? 'at least ' : ''}${formatMoney(amount, currency)}`,
            ),
            ['Oldest: ', <PageLink to="transfers" id={oldestId} />],
          ]}
        />
        {state === 'failed' && <p class="hint">{describeRetry(code)}</p>}
      </li>
    )}
  />
)

/** What else bounds a drop, and where an operator reads how to raise it. */
const DropHint = ({ state: { quotas } }: { state: StoredState }) => {
  const { MAX_ORDER_MAILS_PER_DAY: limit } = usePage().settings
  const used = quotas.find(({ name }) => name === 'order-mails')?.used ?? 0
  return (
    <p class="hint">
      Mails about orders today: {formatCount(used)} of {formatCount(limit)}.{' '}
      <a href="/docs/operations#before-a-drop">Before a drop</a> says what to raise, and how long
      ahead.
    </p>
  )
}

type Check = StoredState['networks'][number]

type NetworkPanelProps = { name: string; network: Network; check: Check | undefined }

/** A network, its contract and its signers, as the cron run saw them last. */
const NetworkPanel = ({ name, network, check }: NetworkPanelProps) => (
  <section class="panel" aria-label={name}>
    <div class="row-head">
      <h3>{network.name ?? name}</h3>
      {check?.problem && <span class="badge failed">Not reachable</span>}
      {check?.isPaused && <span class="badge failed">Paused</span>}
      {check?.isRetired && <span class="badge failed">Retired</span>}
    </div>
    <Meta
      facts={[
        `Chain ${network.chainId}`,
        ['Contract ', <ExplorerLink network={name} kind="address" value={network.delivery} />],
        check?.headNumber && [
          'Block ',
          <ExplorerLink
            network={name}
            kind="block"
            value={check.headNumber}
            text={formatCount(check.headNumber)}
          />,
          check.headAt && [', ', <Time at={check.headAt} />],
        ],
        check?.gasPrice && `Gas ${formatDecimal(check.gasPrice, 9)} gwei`,
      ]}
    />
    {check?.problem && <p class="problem">{sentence(check.problem)}</p>}
    {check?.signers ? (
      <Table
        label="Signers"
        head={['Signer', 'Balance', 'Enough for', 'Limit left', 'In 24 hours']}
        rows={check.signers.map(({ address, balance, deliveries, limit }) => [
          <ExplorerLink network={name} kind="address" value={address} />,
          `${formatDecimal(balance, 18)} ${symbolOf(network)}`,
          `${formatCount(deliveries)} deliveries`,
          limit
            ? `${formatCount(limit.available)} of ${formatCount(limit.capacity)} pieces`
            : 'No relayer',
          limit ? `${formatCount(limit.available + limit.perDay)} pieces` : '',
        ])}
      />
    ) : (
      <p class="hint">
        {check
          ? 'The signers are not known.'
          : 'Not checked yet: the cron run does it each minute.'}
      </p>
    )}
    {check && (
      <p class="hint">
        Checked <Time at={check.checkedAt} />
      </p>
    )}
  </section>
)
