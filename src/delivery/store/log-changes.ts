/** What the log says of what a step has written. */

import { withoutAddresses } from '../../ethereum/revert.ts'
import { log } from '../../log.ts'
import { describeReason } from '../reasons.ts'
import type { DeliveryChange } from '../rules/delivery-changes.ts'
import type { Changes } from './changes.ts'

export function logChanges(chainId: number, { transactions, deliveries }: Changes): void {
  for (const transaction of transactions) {
    const { raw, hash, nonce, signer, items: carried, replaced } = transaction
    if (!raw) continue
    if (carried)
      log.info('transaction_signed', { chainId, signer, nonce, hash, items: carried.length })
    else log.info('transaction_replaced', { chainId, nonce, hash, replaces: replaced?.at(-1) })
  }
  const idsOf = (name: DeliveryChange['transition']) =>
    deliveries.flatMap(({ id, transition }) => (transition === name ? id : []))
  const cancelled = idsOf('cancel')
  if (cancelled.length > 0) log.info('items_cancelled', { chainId, items: cancelled })
  const transferred = idsOf('deliver')
  if (transferred.length > 0) log.info('items_transferred', { chainId, items: transferred })
  logFailedDeliveries(deliveries)
}

export function logFailedDeliveries(changes: readonly DeliveryChange[]): void {
  for (const change of changes) {
    if (change.transition !== 'fail') continue
    const { id, reasonCode } = change
    const reason = withoutAddresses(describeReason(change) ?? '')
    log.error('delivery_failed', { itemId: id, reasonCode, reason })
  }
}
