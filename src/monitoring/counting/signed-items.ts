/** Counts what each signer signs for on a day: how long its balance lasts follows from that. */
import { batch } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { raw } from '../../db/statements.ts'
import { DAY } from '../../time.ts'

/** Transactions that a run counts. The next one goes on after them. */
const MAX_PER_RUN = 5000
/** Days of which `selectSigned` tells, with the present one. */
export const SIGNED_DAYS = 7

/** Returns a day (UTC) as in `2026-01-31`. */
const dayBefore = (now: Date, days: number) =>
  new Date(now.getTime() - days * DAY).toISOString().slice(0, 10)

/** Counts the transactions since the last run, and removes days that nobody needs. */
export async function countSigned(db: Database, now: Date): Promise<void> {
  await batch(db, {
    counted: raw<never>(db)`INSERT INTO signedItems (chainId, signer, day, items, lastId)
      SELECT chainId, signer, substr(createdAt, 1, 10), sum(json_array_length(items)), max(id)
      FROM (SELECT * FROM transactions WHERE id > coalesce((SELECT max(lastId) FROM signedItems), 0)
        ORDER BY id LIMIT ${MAX_PER_RUN})
      WHERE true GROUP BY 1, 2, 3
      ON CONFLICT DO UPDATE SET items = items + excluded.items, lastId = excluded.lastId`,
    // The newest row has the transaction after which the next run begins.
    old: raw<never>(db)`DELETE FROM signedItems WHERE day <= ${dayBefore(now, SIGNED_DAYS)}
      AND lastId < (SELECT max(lastId) FROM signedItems)`,
  })
}

/** Selects what each signer has signed for in the last seven days. */
export const selectSigned = (db: Database, now: Date) =>
  raw<{ chainId: number; signer: string; items: number }>(db)`
    SELECT chainId, signer, sum(items) AS items FROM signedItems
    WHERE day > ${dayBefore(now, SIGNED_DAYS)} GROUP BY chainId, signer`
