import type { Network } from '../../env.ts'
import type { StoredState } from '../../monitoring/state.ts'
import { ExplorerLink } from '../../pages/components/explorer.tsx'
import { sentence } from '../../pages/components/field.tsx'
import { count } from '../../pages/components/numbers.ts'
import { Time } from '../../pages/components/time.tsx'
import { decimal, symbolOf } from '../format.ts'
import { Meta, Table } from '../layout.tsx'

type Check = StoredState['networks'][number]

type NetworkPanelProps = { name: string; network: Network; check: Check | undefined }

/** A network, its contract and its signers, as the cron run saw them last. */
export const NetworkPanel = ({ name, network, check }: NetworkPanelProps) => (
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
        ['Contract ', <ExplorerLink network={network} kind="address" value={network.delivery} />],
        check?.headNumber && [
          'Block ',
          <ExplorerLink network={network} kind="block" value={check.headNumber}>
            {count(check.headNumber)}
          </ExplorerLink>,
          check.headAt && [', ', <Time at={check.headAt} />],
        ],
        check?.gasPrice && `Gas ${decimal(check.gasPrice, 9)} gwei`,
      ]}
    />
    {check?.problem && <p class="problem">{sentence(check.problem)}</p>}
    {check?.signers ? (
      <Table
        label="Signers"
        head={['Signer', 'Balance', 'Enough for', 'Limit left']}
        rows={check.signers.map(({ address, balance, deliveries, limit }) => [
          <ExplorerLink network={network} kind="address" value={address} />,
          `${decimal(balance, 18)} ${symbolOf(network)}`,
          `${count(deliveries)} deliveries`,
          limit ? `${count(limit.available)} of ${count(limit.capacity)} pieces` : 'No relayer',
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
