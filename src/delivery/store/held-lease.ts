/** The lease under which a step writes. */
import type { Database } from '../../db/client.ts'
import type { Network } from '../../env.ts'
import { log } from '../../log.ts'
import { logFailures } from '../log-failures.ts'
import { LEASE } from './lease.ts'
import { type Changes, NO_CHANGES, store } from './store.ts'

/** The lease that a step has of its network. Only under it may a step write. */
export class HeldLease {
  readonly #db: Database
  readonly #network: Network
  readonly #id: string
  readonly #clock: () => Date
  #renewedAt: number

  constructor(db: Database, network: Network, id: string, clock: () => Date) {
    this.#db = db
    this.#network = network
    this.#id = id
    this.#clock = clock
    this.#renewedAt = clock().getTime()
  }

  /** Writes changes, and renews the lease. Throws `Outdated`. */
  async write(changes: Changes): Promise<void> {
    if (!hasChanges(changes)) return this.renew()
    await this.#store(changes)
  }

  /** Renews the lease if part of it has passed. Throws `Outdated`. */
  async renew(): Promise<void> {
    if (this.#clock().getTime() - this.#renewedAt >= LEASE / 4) await this.#store(NO_CHANGES)
  }

  async #store(changes: Changes): Promise<void> {
    await store(this.#db, this.#network, this.#id, changes, this.#clock())
    this.#renewedAt = this.#clock().getTime()
    logChanges(this.#network, changes)
  }
}

function hasChanges(changes: Changes): boolean {
  const { settled: _, compared, unconfirmedSince, contradictedSince, ...lists } = changes
  return (
    compared !== null ||
    unconfirmedSince !== undefined ||
    contradictedSince !== undefined ||
    Object.values(lists).some((list) => list.length > 0)
  )
}

/** Logs the transactions that were signed, and the items that ended. */
function logChanges({ chainId }: Network, { transactions, items }: Changes): void {
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
  logFailures(items)
}
