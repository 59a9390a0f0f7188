/** What the explorer of `wrangler dev` returns. */
type Answer = {
  success: boolean
  errors: unknown[]
  result: [{ results: { columns: string[]; rows: unknown[][] } }] | null
}

/**
 * Runs a statement on the database of a running instance and returns its rows. The Worker runs it:
 * if another process wrote to the database, SQLite would refuse what the Worker writes meanwhile.
 */
export async function queryInstance<Row>(
  url: string,
  sql: string,
  ...params: string[]
): Promise<Row[]> {
  const response = await fetch(`${url}/cdn-cgi/local/explorer/api/d1/database/local/raw`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql, params }),
  })
  const { success, errors, result } = (await response.json()) as Answer
  if (!success || !result) throw new Error(JSON.stringify(errors))
  const { columns, rows } = result[0].results
  return rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])) as Row)
}
