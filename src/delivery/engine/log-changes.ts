import type { Network } from '../../env.ts'
import { log } from '../../log.ts'
import type { Fate } from './decide.ts'
import { loggedReason } from './moves.ts'
import type { Changes } from './store.ts'

/** Logs what a step has written: a line for each transaction, and for each item that ended. */
export function logChanges({ chainId }: Network, fates: readonly Fate[], changes: Changes): void {
  for (const { hash, signer, nonce, items } of changes.transactions)
    log.info('transaction_signed', { chainId, signer, nonce, hash, items: items.length })
  for (const { transaction, hash } of changes.replacements)
    log.info('transaction_replaced', {
      chainId,
      nonce: transaction.nonce,
      hash,
      replaces: transaction.hash,
    })
  for (const fate of fates) {
    if (fate.do !== 'close') continue
    const { nonce, hash, signer } = fate.transaction
    const write = fate.closing === 'final' ? log.info : log.error
    write(
      `transaction_${fate.closing}`.replace(
        'transaction_foreign_transaction',
        'foreign_transaction',
      ),
      {
        chainId,
        signer,
        nonce,
        hash: fate.receipt?.transactionHash ?? hash,
      },
    )
  }
  const cancelled = changes.moves.filter(({ state }) => state === 'cancelled')
  if (cancelled.length > 0)
    log.info('items_cancelled', { chainId, items: cancelled.map(({ id }) => id) })
  const delivered = changes.moves.filter(({ state }) => state === 'transferred')
  if (delivered.length > 0)
    log.info('items_transferred', { chainId, items: delivered.map(({ id }) => id) })
  for (const { id, state, reasonCode, reason } of changes.moves)
    if (state === 'failed')
      log.error('delivery_failed', { itemId: id, reasonCode, reason: loggedReason(reason) })
}
