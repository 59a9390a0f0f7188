/** The leases of runs that ended with the Worker. */
import { query } from './explorer.ts'

/**
 * Frees the leases of deliveries and webhooks, so that cron wakes them at once. Only one Worker uses
 * the local database, and its queues were lost when it stopped: no run holds them.
 */
export async function freeLeases(workerUrl: string, now: Date): Promise<void> {
  const at = now.toISOString()
  await query(workerUrl, 'UPDATE networks SET lease = NULL, leaseUntil = ?1, wakeAt = ?1', at)
  await query(workerUrl, 'UPDATE webhookEndpoints SET leaseUntil = NULL')
}
