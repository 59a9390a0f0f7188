/** Findings: what nobody but a thief should have done. An alarm lasts until they are acknowledged. */

import type { Database } from '../../db/client.ts'
import { raw } from '../../db/statements.ts'

/** Findings of an alarm that are kept. */
const KEPT = 5

/** Milliseconds by which a node may tell of something later than another one. */
export const LATE = 10 * 60_000

/**
 * `key`: that of the alarm. `nodes`: those that said it, by their position in `rpcUrls`; empty for what
 * a run has found, which is stored once.
 */
export type Finding = { key: string; detail: string; nodes: number[] }

/** The statements that store findings. What another node tells soon after the first is not stored. */
export function storeFindings(
  db: Database,
  chainId: number,
  findings: readonly Finding[],
  now: Date,
) {
  const rows = JSON.stringify(findings)
  const late = new Date(now.getTime() - LATE).toISOString()
  return [
    raw<never>(db)`INSERT INTO findings (chainId, key, detail, nodes, seenAt)
      SELECT ${chainId}, value ->> 'key', value ->> 'detail', value ->> 'nodes', ${now.toISOString()}
      FROM json_each(${rows}) r WHERE NOT EXISTS (
        SELECT 1 FROM findings f WHERE f.key = r.value ->> 'key' AND f.detail = r.value ->> 'detail'
          AND (r.value ->> 'nodes' = '[]' OR f.seenAt >= ${late} AND NOT EXISTS (
            SELECT 1 FROM json_each(f.nodes) JOIN json_each(r.value -> 'nodes') s USING (value))))`,
    raw<never>(db)`
      DELETE FROM findings WHERE key IN (SELECT value ->> 'key' FROM json_each(${rows}))
      AND id NOT IN (SELECT id FROM findings f WHERE f.key = findings.key
        ORDER BY id DESC LIMIT ${KEPT})`,
  ] as const
}
