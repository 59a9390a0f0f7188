/** The database of a running instance. */

/** What the explorer of `wrangler dev` returns. */
type Answer = {
  errors: unknown[]
  result: [{ results: { columns: string[]; rows: unknown[][] } }] | null
}

/**
 * Runs a statement on the database of the instance at a URL, and returns its rows. The Worker runs it:
 * if another process wrote to the database, SQLite would refuse what the Worker writes meanwhile.
 */
export async function query<Row>(url: string, sql: string, ...params: string[]): Promise<Row[]> {
  const response = await fetch(`${url}/cdn-cgi/local/explorer/api/d1/database/local/raw`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql, params }),
  })
  const { errors, result } = (await response.json()) as Answer
  if (!result) throw new Error(JSON.stringify(errors))
  const { columns, rows } = result[0].results
  return rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])) as Row)
}

/**
 * Frees the leases of deliveries and webhooks, so that cron wakes them at once. Only one Worker uses
 * the local database, and its queues were lost when it stopped: no run holds them.
 */
export async function freeLeases(workerUrl: string, now: Date): Promise<void> {
  const at = now.toISOString()
  await query(workerUrl, 'UPDATE networks SET lease = NULL, leaseUntil = ?1, wakeAt = ?1', at)
  await query(workerUrl, 'UPDATE webhookEndpoints SET leaseUntil = NULL')
}
