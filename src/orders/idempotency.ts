/**
 * Makes placing orders safe to repeat (`Idempotency-Key`). The response is stored in the same
 * transaction as the orders, so either both exist or neither.
 */
import { and, eq, gt, sql } from 'drizzle-orm'
import { sha256, stringToBytes } from 'viem/utils'
import type { Database, Statement } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { idempotencyKeys } from '../db/schema/orders.ts'
import { tokens } from '../db/schema/users.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { type Plan, placedOrders, type Written } from './plan.ts'
import type { NewOrder, PlacedOrder } from './schema.ts'
import { nftIdsJson, writtenJson } from './write.ts'

/** Milliseconds for which a response is stored. */
export const IDEMPOTENCY_LIFETIME = 24 * 60 * 60 * 1000

/** Bytes. D1 allows 2,000,000 in a value and in a row. */
const MAX_STORED_BYTES = 1_900_000

/** A call with an idempotency key. */
export type IdempotentCall = { key: string; requestHash: string; storedAfter: string }

/**
 * Describes a call. Its hash is of what was parsed: blanks, the order of keys, and whether null or
 * nothing is given do not matter.
 */
export const idempotentCall = (
  key: string,
  inputs: readonly NewOrder[],
  now: Date,
): IdempotentCall => ({
  key,
  requestHash: sha256(stringToBytes(JSON.stringify(inputs, (_, value) => value ?? undefined))),
  storedAfter: new Date(now.getTime() - IDEMPOTENCY_LIFETIME).toISOString(),
})

type Stored = { requestHash: string; plan: string; written: string }

/**
 * Selects by the namespace of the token, so that the stored response is found in the first trip. A
 * namespace belongs to one user or to master tokens, so a replay shows no orders that the caller may
 * not see.
 */
export const selectStored = prepared(
  (
    db,
    {
      tokenId,
      key,
      storedAfter,
    }: Placeholders<{ tokenId: string; key: string; storedAfter: string }>,
  ) =>
    db
      .select({
        requestHash: idempotencyKeys.requestHash,
        plan: idempotencyKeys.plan,
        written: idempotencyKeys.result,
      })
      .from(idempotencyKeys)
      .where(
        and(
          eq(
            idempotencyKeys.namespace,
            sql`(SELECT namespace FROM ${tokens} WHERE id = ${tokenId})`,
          ),
          eq(idempotencyKeys.key, key),
          gt(idempotencyKeys.createdAt, storedAfter),
        ),
      ),
)

/**
 * Returns the stored response of a call. Throws `idempotency_key_reused` if it is that of other
 * orders.
 */
export function replay(caller: Caller, call: IdempotentCall, stored: Stored): PlacedOrder[] {
  if (stored.requestHash !== call.requestHash)
    throw new ApiError('idempotency_key_reused', 'this Idempotency-Key was used with other orders')
  const plan: Plan = JSON.parse(stored.plan)
  const written: Written = JSON.parse(stored.written)
  return placedOrders(caller, plan, written)
}

type NamespacedKey = { namespace: string; key: string; storedAfter: string }

const deleteExpired = prepared((db, { namespace, key, storedAfter }: Placeholders<NamespacedKey>) =>
  db.all<never>(sql`DELETE FROM "idempotencyKeys"
    WHERE namespace = ${namespace} AND "key" = ${key} AND createdAt <= ${storedAfter}`),
)

type NewResponse = {
  namespace: string
  key: string
  requestHash: string
  plan: string
  nftIds: string
  now: string
}

const insertResponse = prepared((db, response: Placeholders<NewResponse>) =>
  db.all<never>(sql`INSERT INTO "idempotencyKeys"
    (namespace, "key", requestHash, plan, result, createdAt)
    VALUES (${response.namespace}, ${response.key}, ${response.requestHash}, ${response.plan},
      ${writtenJson(response.nftIds)}, ${response.now})`),
)

/**
 * Returns the statements that store the response of a call, after those that write its orders.
 * Throws `payload_too_large` if D1 cannot store it.
 */
export function storeResponse(
  db: Database,
  { namespace, plan }: { namespace: string; plan: Plan },
  { storedAfter, ...call }: IdempotentCall,
): Statement[] {
  const json = JSON.stringify(plan)
  if (new TextEncoder().encode(json).length > MAX_STORED_BYTES)
    throw new ApiError('payload_too_large', 'the response is too large to store; order fewer NFTs')
  const nftIds = nftIdsJson(plan)
  return [
    deleteExpired(db, { namespace, key: call.key, storedAfter }),
    insertResponse(db, { ...call, namespace, plan: json, nftIds, now: plan.placedAt }),
  ]
}
