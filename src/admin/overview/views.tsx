import type { DeliveryState } from '../../db/schema/delivery.ts'
import { rules } from '../../delivery/reasons.ts'
import { countWork } from '../../monitoring/health.ts'
import { MAX_COUNT } from '../../monitoring/state.ts'
import { LinkButton } from '../../pages/components/button.tsx'
import { Fact } from '../../pages/components/facts.tsx'
import { sentence } from '../../pages/components/field.tsx'
import { money } from '../../pages/components/numbers.ts'
import { usePage } from '../../pages/components/request.ts'
import { Rows } from '../../pages/components/rows.tsx'
import { AuditList } from '../audit/list.tsx'
import { upTo } from '../format.ts'
import { Live, listPath, OperationsPage, TransferLink } from '../layout.tsx'
import { describeRetry } from '../transfers/outcome.tsx'
import type { Group } from './groups.ts'
import { NetworkPanel } from './network.tsx'
import type { Range } from './periods.ts'
import { Plots } from './plots.tsx'
import { Cron, Troubles } from './problems.tsx'
import type { Overview } from './read.ts'

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

type GroupsProps = { groups: readonly Group[]; state: 'failed' | 'queued'; empty: string }

/** Transfers with the same reason, with their number and what buyers paid for them. */
const Groups = ({ groups, state, empty }: GroupsProps) => (
  <Rows
    items={groups}
    empty={empty}
    row={({ reasonCode: code, chainId, items, totals, oldestId }) => (
      <li class="row">
        <p>{sentence(rules[code].sentence)}</p>
        <p class="meta">
          <span>
            <a href={listPath({ state, code, chain: chainId })}>
              {upTo(items)} {items === 1 ? 'transfer' : 'transfers'}
              <span class="visually-hidden">: {rules[code].sentence}</span>
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
