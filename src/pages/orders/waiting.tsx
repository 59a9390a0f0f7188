/** What an order waits for, in the words of its buyer and its seller. */
import { findWait, type Wait } from '../../delivery/waits.ts'
import type { HistoryEntry, Side } from '../../orders/history.ts'
import { sentence } from '../components/field.tsx'
import { usePage } from '../components/request.ts'
import { Time } from '../components/time.tsx'

/** Returns what the item of an order waits for. */
export function waitOf({ item, delivery }: HistoryEntry): Wait | null {
  const { settings, now } = usePage()
  const hasTreasury = settings.NETWORKS[item.nft.contractNetwork]?.treasury !== undefined
  const patience = settings.DELIVERY_ALARM_MINUTES * 60_000
  return findWait(delivery, { hasTreasury, patience, now })
}

const names: Record<Side, Record<Wait['cause'], string>> = {
  bought: {
    seller: 'the seller',
    recipient: 'your wallet',
    network: 'the network',
    marketplace: 'the marketplace',
  },
  sold: {
    seller: 'you',
    recipient: 'the buyer’s wallet',
    network: 'the network',
    marketplace: 'the marketplace',
  },
}

/** Returns a text such as `Waiting for the seller`. */
export const waitLabel = ({ cause }: Wait, side: Side) => `Waiting for ${names[side][cause]}`

/** Returns the time of the next try, unless that is within a minute. */
export const laterThanSoon = (at: string | null): string | null =>
  at && Date.parse(at) > usePage().now.getTime() + 60_000 ? at : null

type WaitingProps = { entry: HistoryEntry; side: Side }

/** Why an order waits and until when, and what its seller can do. */
export const Waiting = ({ entry, side }: WaitingProps) => {
  const wait = waitOf(entry)
  if (!wait) return null
  const { now } = usePage()
  const { until } = wait
  const nextAt = laterThanSoon(wait.nextAt)
  return (
    <p class="order-message held">
      {side === 'sold' && wait.cause === 'seller' ? (
        <SellerTask wait={wait} contractName={entry.item.nft.contractName} />
      ) : (
        sentence(wait.sentence)
      )}{' '}
      {nextAt && (
        <>
          The next try is <Time at={nextAt} />.{' '}
        </>
      )}
      {until === null ? (
        'It is tried until it works.'
      ) : (
        <>
          If nothing changes, the delivery fails{' '}
          {Date.parse(until) > now.getTime() ? <Time at={until} /> : 'soon'}.
        </>
      )}
    </p>
  )
}

const SellerTask = ({ wait, contractName }: { wait: Wait; contractName: string }) => {
  const { reasonCode } = wait
  const isMint = reasonCode === 'minter_role_missing'
  if (!isMint && reasonCode !== 'holder_not_approved') return sentence(wait.sentence)
  return (
    <>
      You have not allowed {isMint ? 'minting' : 'delivery'} of{' '}
      <em>
        <bdi>{contractName}</bdi>
      </em>
      . <a href="/settings/selling">Allow it</a>.
    </>
  )
}
