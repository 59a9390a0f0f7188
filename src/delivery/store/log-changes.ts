/** Log lines about what a step has written. */
import type { Network } from '../../env.ts'
import { withoutAddresses } from '../../ethereum/revert.ts'
import { log } from '../../log.ts'
import type { Decision } from '../rules/decide.ts'
import type { Changes } from './store.ts'

/** Logs the transactions that were signed, and the items that ended. */
export function logChanges({ chainId }: Network, { transactions, items }: Changes): void {
  for (const transaction of transactions) {
    const { raw, hash, nonce, signer, items: carried, replaced } = transaction
    if (!raw) continue
    if (carried)
      log.info('transaction_signed', { chainId, signer, nonce, hash, items: carried.length })
    else log.info('transaction_replaced', { chainId, nonce, hash, replaces: replaced?.at(-1) })
  }
  const idsIn = (state: string) => items.flatMap((item) => (item.state === state ? item.id : []))
  const cancelled = idsIn('cancelled')
  if (cancelled.length > 0) log.info('items_cancelled', { chainId, items: cancelled })
  const transferred = idsIn('transferred')
  if (transferred.length > 0) log.info('items_transferred', { chainId, items: transferred })
  for (const { id, state, reasonCode, reason } of items)
    if (state === 'failed')
      log.error('delivery_failed', {
        itemId: id,
        reasonCode,
        reason: reason && withoutAddresses(reason),
      })
}

/** Logs the transactions that were closed. */
export function logClosed({ chainId }: Network, decisions: readonly Decision[]): void {
  for (const decision of decisions) {
    if (decision.do !== 'close') continue
    const { closing, receipt, transaction } = decision
    const { nonce, signer } = transaction
    const write = closing === 'final' ? log.info : log.error
    const event = closing === 'foreign_transaction' ? closing : (`transaction_${closing}` as const)
    const hash = receipt?.transactionHash ?? transaction.hash
    write(event, { chainId, signer, nonce, hash })
  }
}
