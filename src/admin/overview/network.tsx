import type { Network } from '../../env.ts'
import { ExplorerLink } from '../../pages/components/explorer.tsx'
import { sentence } from '../../pages/components/field.tsx'
import { count } from '../../pages/components/numbers.ts'
import { Time } from '../../pages/components/time.tsx'
import { decimal, symbolOf } from '../format.ts'
import type { Overview } from './read.ts'

type Check = Overview['state']['networks'][number]

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
    <p class="meta">
      <span>Chain {network.chainId}</span>
      <span>
        Contract <ExplorerLink network={network} kind="address" value={network.delivery} />
      </span>
      {check?.headNumber && (
        <span>
          Block{' '}
          <ExplorerLink network={network} kind="block" value={check.headNumber}>
            {count(check.headNumber)}
          </ExplorerLink>
          {check.headAt && (
            <>
              , <Time at={check.headAt} />
            </>
          )}
        </span>
      )}
      {check?.gasPrice && <span>Gas {decimal(check.gasPrice, 9)} gwei</span>}
    </p>
    {check?.problem && <p class="problem">{sentence(check.problem)}</p>}
    {check?.signers ? (
      <Signers signers={check.signers} network={network} />
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

type SignersProps = { signers: NonNullable<Check['signers']>; network: Network }

const Signers = ({ signers, network }: SignersProps) => (
  <section class="scroll" tabindex={0} aria-label="Signers">
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Signer</th>
          <th scope="col" class="number">
            Balance
          </th>
          <th scope="col" class="number">
            Enough for
          </th>
          <th scope="col" class="number">
            Limit left
          </th>
        </tr>
      </thead>
      <tbody>
        {signers.map(({ address, balance, deliveries, limit }) => (
          <tr>
            <th scope="row">
              <ExplorerLink network={network} kind="address" value={address} />
            </th>
            <td class="number">
              {decimal(balance, 18)} {symbolOf(network)}
            </td>
            <td class="number">{count(deliveries)} deliveries</td>
            <td class="number">
              {limit
                ? `${count(limit.available)} of ${count(limit.capacity)} pieces`
                : 'No relayer'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
