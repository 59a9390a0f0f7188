/** What a check of a network begins with, and what it stores. */
import { eq, sql } from 'drizzle-orm'
import { tokensOf } from '../../chain/owner.ts'
import { batch } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { networks } from '../../db/schema/delivery.ts'
import { type NodeRow, networkChecks } from '../../db/schema/operations.ts'
import { raw } from '../../db/statements.ts'
import { type Disagreement, storeDisagreements } from '../../delivery/store/disagreements.ts'
import { type Finding, storeFindings } from '../../delivery/store/findings.ts'
import type { AskedNode } from './ask-nodes.ts'
import { MAX_OWN, type OwnTransaction } from './compare-views.ts'

/** Token contracts that a check reads, each with two calls. Events tell of all within a minute. */
const TOKENS_PER_CHECK = 25

/** Returns what is stored of the nodes, the token contracts to read, and the last one of these to store. */
export async function readKnown(db: Database, name: string, chainId: number) {
  const { stored, sold } = await batch(db, {
    stored: db.select().from(networkChecks).where(eq(networkChecks.chainId, chainId)),
    sold: selectTokens(db, name, chainId),
  })
  return {
    rows: stored[0]?.nodes ?? [],
    tokens: tokensOf(sold.map(({ token }) => token)),
    tokensTo: sold.length === TOKENS_PER_CHECK ? (sold.at(-1)?.token ?? null) : null,
  }
}

/** Selects the next token contracts of a network, by jumping from one to the next in the index. */
const selectTokens = (db: Database, name: string, chainId: number) =>
  raw<{ token: string }>(db)`
    WITH RECURSIVE tokens (token, position) AS (
      SELECT min(contractAddr), 1 FROM nfts WHERE contractNetwork = ${name} AND contractAddr >
        coalesce((SELECT tokensTo FROM networkChecks WHERE chainId = ${chainId}), '')
      UNION ALL SELECT (SELECT min(contractAddr) FROM nfts
          WHERE contractNetwork = ${name} AND contractAddr > token), position + 1
        FROM tokens WHERE token IS NOT NULL AND position < ${TOKENS_PER_CHECK})
    SELECT token FROM tokens WHERE token IS NOT NULL`

/**
 * Returns the transactions of relayers that this instance has signed and nodes may tell of now. Call
 * it after the nodes have answered: a transaction is stored before it is sent, so each of this
 * instance is known by then.
 */
export async function readOwn(
  db: Database,
  chainId: number,
  rows: readonly NodeRow[],
  asked: readonly AskedNode[],
): Promise<OwnTransaction[]> {
  const states = rows.flatMap(({ state }) => state ?? [])
  const since = asked.flatMap(({ view }) =>
    (view?.relayers ?? []).map(({ address }) => {
      const known = states.flatMap(({ relayers: { [address]: relayer } }) => relayer ?? [])
      const nonces = known.flatMap(({ nonce, missing }) => [nonce, ...missing])
      return [address, nonces.length > 0 ? Math.min(...nonces) : 0]
    }),
  )
  const { own } = await batch(db, {
    own: raw<Omit<OwnTransaction, 'hashes'> & { hashes: string }>(db)`
      SELECT t.signer, t.nonce, t.isOpen AS isUnproven,
        json_insert(t.replaced, '$[#]', t.hash) AS hashes,
        (SELECT sum(i.quantity) FROM json_each(t.items) e JOIN orderItems i ON i.id = e.value) AS pieces
      FROM json_each(${JSON.stringify(Object.fromEntries(since))}) s JOIN transactions t ON t.id IN (
        SELECT id FROM transactions WHERE chainId = ${chainId} AND signer = s.key AND nonce >= s.value
          AND deadline > 0 ORDER BY nonce DESC LIMIT ${MAX_OWN})
      WHERE t.isOpen OR t.block IS NOT NULL`,
  })
  return own.map((transaction) => ({ ...transaction, hashes: JSON.parse(transaction.hashes) }))
}

type Check = typeof networkChecks.$inferSelect

type Checked = {
  check: Partial<Check> & Pick<Check, 'chainId' | 'problem'>
  findings: readonly Finding[]
  disagreements: readonly Disagreement[]
  /** Undefined: it stays as it is. */
  maxPieces: number | null | undefined
  hasSecond: boolean
}

/** Stores what a check has found. */
export async function storeCheck(
  db: Database,
  { check, findings, disagreements, maxPieces, hasSecond }: Checked,
  now: Date,
) {
  const { chainId } = check
  // A thief or a transaction that was lost may have used keys of deliveries that wait: they are compared.
  const isTheft = findings.some(({ key }) => key.startsWith('foreign_transaction'))
  await batch(db, {
    check: db
      .insert(networkChecks)
      .values({ checkedAt: now.toISOString(), ...check })
      .onConflictDoUpdate({ target: networkChecks.chainId, set: check }),
    findings: storeFindings(db, chainId, findings, now),
    disagreements:
      disagreements.length > 0 ? storeDisagreements(db, chainId, disagreements, now) : undefined,
    maxPieces: maxPieces === undefined ? undefined : upsertMaxPieces(db, chainId, maxPieces),
    comparison: isTheft
      ? db
          .update(networks)
          .set({ comparedAt: null, comparedId: 0 })
          .where(eq(networks.chainId, chainId))
      : undefined,
    silence: hasSecond ? endSilence(db, chainId) : undefined,
  })
}

/** Orders of more pieces are refused. */
const upsertMaxPieces = (db: Database, chainId: number, maxPieces: number | null) =>
  db
    .insert(networks)
    .values({ chainId, leaseUntil: '', maxPieces })
    .onConflictDoUpdate({
      target: networks.chainId,
      set: { maxPieces },
      setWhere: sql`${networks.maxPieces} IS NOT ${maxPieces}`,
    })

/** A second node answers again. */
const endSilence = (db: Database, chainId: number) =>
  raw<never>(db)`UPDATE networks SET unconfirmedSince = NULL
    WHERE unconfirmedSince IS NOT NULL AND chainId = ${chainId}`
