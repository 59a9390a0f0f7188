import { COUNTED_ORDERS, type Selling, type SellingContract } from '../../orders/selling.ts'
import { Submit } from '../components/button.tsx'
import { CopyField } from '../components/copy-field.tsx'
import { ExplorerLink } from '../components/explorer.tsx'
import { sentence } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { Pager } from '../components/navigation.tsx'
import { count, money, plural } from '../components/numbers.ts'
import { usePage } from '../components/request.ts'
import { Rows } from '../components/rows.tsx'
import { Time } from '../components/time.tsx'
import { laterThanSoon } from '../orders/waiting.tsx'
import { SettingsPage } from '../settings.tsx'
import { WalletAction } from '../wallet/action.tsx'

type SellingProps = Omit<Selling, 'account'> & { isFirstPage: boolean }

/** The contracts and the listings of a seller. */
export const SellingSettings = ({ contracts, listings, next, ...props }: SellingProps) => (
  <SettingsPage section="selling">
    <h2>Selling</h2>
    <p class="lead">
      What you sell is transferred from your wallet, or minted, by the delivery contract of this
      marketplace. Allow it once for each of your contracts. It delivers paid orders only, and you
      can take that back in your wallet.
    </p>
    {contracts.length > 0 && !usePage().account?.ethereumPublicAddr && (
      <p class="notice warn">
        <Icon name="wallet" />
        <span>No wallet is linked that could hold what you sell.</span>
        <a href="/settings/account">Link a wallet</a>
      </p>
    )}
    <h3 id="contracts">Contracts</h3>
    <Rows
      items={contracts}
      labelledby="contracts"
      empty={props.isFirstPage ? 'You sell nothing yet.' : 'There are no more contracts.'}
      row={(contract) => <Contract contract={contract} />}
    />
    <h3 id="listings">Listings</h3>
    <Rows
      items={listings}
      labelledby="listings"
      empty={props.isFirstPage ? 'You have no listings yet.' : 'There are no more listings.'}
      row={(listing) => <Listing listing={listing} />}
    />
    {props.isCapped && (
      <p class="hint">“Sold” and “waiting” count your newest {count(COUNTED_ORDERS)} orders.</p>
    )}
    <Pager
      noun="listings"
      first={props.isFirstPage ? null : '/settings/selling'}
      next={next === null ? null : `/settings/selling?before=${next}`}
    />
  </SettingsPage>
)

const badges: Record<SellingContract['state']['is'], [text: string, kind: string]> = {
  allowed: ['Allowed', 'good'],
  not_needed: ['Held by the marketplace', ''],
  missing: ['Missing', 'warn'],
  unknown: ['Unknown', ''],
}

/** The script `wallet-action.js` compares `data-state` of the row with this id. */
const Contract = ({ contract }: { contract: SellingContract }) => {
  const { network, contract: address, fulfilment, contractName, state, blocked } = contract
  const [text, kind] = badges[state.is]
  const settings = usePage().settings.NETWORKS[network]
  return (
    <li class="row" id={`${network}-${address}-${fulfilment}`} data-state={state.is}>
      <div class="row-head">
        <h4>
          <bdi>{contractName}</bdi>
        </h4>
        <span class={`badge ${kind}`}>{text}</span>
      </div>
      <p class="meta">
        <span>{settings?.name ?? network}</span>
        <ExplorerLink network={settings} kind="address" value={address} />
        {fulfilment === 'mint' && <span>Minted on delivery</span>}
        {blocked > 0 && <span>{plural(blocked, 'order')} waiting</span>}
      </p>
      {state.is === 'unknown' && (
        <p class="row-text">{sentence(state.reason)} Load this page again to ask once more.</p>
      )}
      {state.is === 'missing' && <Missing contract={contract} data={state.data} />}
      {blocked > 0 && <Retry contract={contract} />}
    </li>
  )
}

const Missing = ({ contract, data }: { contract: SellingContract; data: string | null }) => {
  const { account, settings } = usePage()
  const { network, contract: to, fulfilment } = contract
  const wallet = account?.ethereumPublicAddr
  const delivery = settings.NETWORKS[network]?.delivery
  if (data === null)
    return (
      <p class="row-text">
        This contract has no role for minters. Its owner has to let{' '}
        <span class="code">{delivery}</span> mint.
      </p>
    )
  return (
    <>
      {wallet && (
        <WalletAction
          label={fulfilment === 'mint' ? 'Allow minting' : 'Allow delivery'}
          subject={contract.contractName}
          networkName={network}
          account={wallet}
          request={{ send: { to, data } }}
        />
      )}
      <details>
        <summary>Without a wallet in this browser</summary>
        <p>
          {fulfilment === 'mint'
            ? `An administrator of the contract gives MINTER_ROLE to ${delivery}`
            : `Your wallet calls setApprovalForAll(${delivery}, true) of the contract`}
          : a transaction to <span class="code">{to}</span> with this data.
        </p>
        <CopyField id={`data-${network}-${to}-${fulfilment}`} label="Data" text={data} rows={3} />
      </details>
    </>
  )
}

/** Shown if nothing is missing any more, or if the script sends it after the transaction. */
const Retry = ({ contract }: { contract: SellingContract }) => {
  const { network, contract: address, fulfilment, state } = contract
  const nextAt = laterThanSoon(contract.nextAt)
  return (
    <form method="post" action="/settings/selling/retry" class="row-text">
      {Object.entries({ network, contract: address, fulfilment }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {nextAt && (
        <p>
          The next try is <Time at={nextAt} />.
        </p>
      )}
      {state.is === 'allowed' && <Submit kind="small">Try now</Submit>}
    </form>
  )
}

const Listing = ({ listing }: { listing: Selling['listings'][number] }) => {
  const { id, title, priceCents, priceCurrency, isActive, available, sold, waiting } = listing
  return (
    <li class="row">
      <div class="row-head">
        <h4>
          <bdi>{title}</bdi>
        </h4>
        {!isActive && <span class="badge">Not active</span>}
      </div>
      <p class="meta">
        <span>
          Listing{' '}
          <span class="code" id={`listing-${id}`}>
            {id}
          </span>
        </span>
        <span>{money(priceCents, priceCurrency)}</span>
        <span>{available === null ? 'No limit' : `${count(available)} left`}</span>
        <span>{count(sold)} sold</span>
        <span>{count(waiting)} waiting</span>
      </p>
      <p class="actions">
        <button class="button small" type="button" data-copy={`listing-${id}`} hidden>
          <Icon name="copy" />
          Copy id<span class="visually-hidden"> {id}</span>
        </button>
        <span class="status" role="status" />
      </p>
    </li>
  )
}
