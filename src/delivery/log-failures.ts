import { withoutAddresses } from '../ethereum/revert.ts'
import { log } from '../log.ts'
import { describeReason } from './reasons.ts'
import type { ItemChange } from './rules/item-changes.ts'

/** Logs the deliveries that have failed. */
export function logFailures(changes: readonly ItemChange[]): void {
  for (const change of changes) {
    if (change.state !== 'failed') continue
    const { id, reasonCode } = change
    const reason = withoutAddresses(describeReason(change) ?? '')
    log.error('delivery_failed', { itemId: id, reasonCode, reason })
  }
}
