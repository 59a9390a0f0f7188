/** Findings are what nobody but a thief should have done: an alarm lasts until they are acknowledged. */

import type { Database } from '../../db/client.ts'
import { raw } from '../../db/statements.ts'

/** Findings that are kept of an alarm and of the nodes that have said them: one node drives out no other. */
const KEPT = 5
/** Milliseconds by which a node may tell of something later than another one. */
export const LATE = 10 * 60_000

/**
 * `key`: that of the alarm. `nodes`: those that said it, by their position in `rpcUrls`; empty for what
 * a run has found, which is stored once.
 */
export type Finding = { key: string; detail: string; nodes: number[] }

/**
 * The statements that store findings. One that repeats while nobody has acknowledged it stays one, which names
 * all nodes that said so. What another node tells soon after it was acknowledged is not stored.
 */
export function storeFindings(
  db: Database,
  chainId: number,
  findings: readonly Finding[],
  now: Date,
) {
  const rows = JSON.stringify(findings)
  const late = new Date(now.getTime() - LATE).toISOString()
  return [
    raw<never>(db)`UPDATE findings SET seenAt = ${now.toISOString()}, nodes = (
        SELECT json_group_array(value) FROM (SELECT value FROM json_each(findings.nodes)
          UNION SELECT value FROM json_each(r.value -> 'nodes') ORDER BY 1))
      FROM json_each(${rows}) r WHERE findings.key = r.value ->> 'key'
        AND findings.detail = r.value ->> 'detail' AND findings.acknowledgedAt IS NULL`,
    raw<never>(db)`INSERT INTO findings (chainId, key, detail, nodes, seenAt)
      SELECT ${chainId}, value ->> 'key', value ->> 'detail', value ->> 'nodes', ${now.toISOString()}
      FROM json_each(${rows}) r WHERE NOT EXISTS (
        SELECT 1 FROM findings f WHERE f.key = r.value ->> 'key' AND f.detail = r.value ->> 'detail'
          AND (f.acknowledgedAt IS NULL OR r.value ->> 'nodes' = '[]' OR f.seenAt >= ${late} AND NOT EXISTS (
            SELECT 1 FROM json_each(f.nodes) JOIN json_each(r.value -> 'nodes') s USING (value))))`,
    raw<never>(db)`
      DELETE FROM findings WHERE key IN (SELECT value ->> 'key' FROM json_each(${rows}))
      AND id NOT IN (SELECT id FROM findings f WHERE f.key = findings.key AND f.nodes = findings.nodes
        ORDER BY id DESC LIMIT ${KEPT})`,
  ] as const
}
