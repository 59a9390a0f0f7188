/** What the cron run keeps of networks, and what it compares their nodes with. */

import { eq, sql } from 'drizzle-orm'
import { raw } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { networks } from '../db/schema/delivery.ts'
import { type NodeState, networkChecks } from '../db/schema/operations.ts'
import { type Finding, storeFindings } from '../delivery/store/findings.ts'
import { MAX_OWN, type OwnTransaction } from './compare-views.ts'
import type { View } from './node-views.ts'

type Check = typeof networkChecks.$inferSelect

/**
 * Returns the transactions of relayers that this instance has signed and nodes may tell of now. Call
 * it after the nodes have answered: a transaction is stored before it is sent, so each of this
 * instance is known by then.
 */
export async function readOwn(
  db: Database,
  chainId: number,
  states: readonly NodeState[],
  views: readonly View[],
): Promise<OwnTransaction[]> {
  const since = views.flatMap(({ relayers }) =>
    relayers.map(({ address }) => {
      const known = states.flatMap(({ relayers: { [address]: relayer } }) => relayer ?? [])
      const nonces = known.flatMap(({ nonce, missing }) => [nonce, ...missing])
      return [address, nonces.length > 0 ? Math.min(...nonces) : 0]
    }),
  )
  const [rows] = await db.batch([
    raw<Omit<OwnTransaction, 'hashes'> & { hashes: string }>(
      db,
      sql`SELECT t.signer, t.nonce, t.isOpen AS isUnproven,
          json_insert(t.replaced, '$[#]', t.hash) AS hashes,
          (SELECT sum(i.quantity) FROM json_each(t.items) e JOIN orderItems i ON i.id = e.value) AS pieces
        FROM json_each(${JSON.stringify(Object.fromEntries(since))}) s JOIN transactions t ON t.id IN (
          SELECT id FROM transactions WHERE chainId = ${chainId} AND signer = s.key AND nonce >= s.value
            AND deadline > 0 ORDER BY nonce DESC LIMIT ${MAX_OWN})
        WHERE t.isOpen OR t.block IS NOT NULL`,
    ),
  ])
  return rows.map((row) => ({ ...row, hashes: JSON.parse(row.hashes) }))
}

/** `found`: what nobody but a thief should have done, and the node that says so. */
type Changes = {
  check: Partial<Check> & Pick<Check, 'chainId' | 'problem'>
  found?: readonly (Pick<Finding, 'key' | 'detail'> & { node: number })[]
  /** What the nodes say that answered. */
  views?: readonly View[]
}

/** Stores a check. One that failed has only a problem. */
export async function storeCheck(
  db: Database,
  { check, found = [], views = [] }: Changes,
  now: Date,
): Promise<void> {
  const { chainId } = check
  const signers = views.flatMap(({ shown }) => shown.signers)
  const capacities = signers.flatMap(({ limit }) => limit?.capacity ?? [])
  const maxPieces = capacities.length > 0 ? Math.max(...capacities) : null
  const findings: Finding[] = []
  for (const { node, key, detail } of found) {
    const same = findings.find((other) => other.key === key && other.detail === detail)
    if (same) same.nodes.push(node)
    else findings.push({ key, detail, nodes: [node] })
  }
  const isChain = eq(networks.chainId, chainId)
  // A thief or a transaction that was lost may have used keys of items that wait: they are compared.
  const isTheft = findings.some(({ key }) => key.startsWith('foreign_transaction'))
  await db.batch([
    db
      .insert(networkChecks)
      .values({ checkedAt: now.toISOString(), ...check })
      .onConflictDoUpdate({ target: networkChecks.chainId, set: check }),
    ...storeFindings(db, chainId, findings, now),
    ...(views.length > 0 ? [upsertMaxPieces(db, chainId, maxPieces)] : []),
    ...(isTheft
      ? [db.update(networks).set({ comparedAt: null, comparedId: 0 }).where(isChain)]
      : []),
    ...(views.length > 1 ? [endSilence(db, chainId)] : []),
  ])
}

/**
 * The largest number of pieces that a relayer may deliver at once, of what nodes say. Orders of more are
 * refused, and one node must not stop sales.
 */
const upsertMaxPieces = (db: Database, chainId: number, maxPieces: number | null) =>
  db
    .insert(networks)
    .values({ chainId, leaseUntil: '', maxPieces })
    .onConflictDoUpdate({
      target: networks.chainId,
      set: { maxPieces },
      setWhere: sql`${networks.maxPieces} IS NOT ${maxPieces}`,
    })

/** A second node answers again. While something is under way, runs find out whether it confirms that. */
const endSilence = (db: Database, chainId: number) =>
  raw<never>(
    db,
    sql`UPDATE networks SET unconfirmedSince = NULL
      WHERE unconfirmedSince IS NOT NULL AND chainId = ${chainId} AND NOT EXISTS (
        SELECT 1 FROM transactions t WHERE t.chainId = networks.chainId AND isOpen AND items <> '[]')`,
  )
