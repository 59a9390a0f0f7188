/**
 * Makes placing orders safe to repeat (`Idempotency-Key`). The response is stored in the same
 * transaction as the orders, so either both exist or neither.
 */
import { and, eq, gt, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { sha256, stringToBytes } from 'viem/utils'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { idempotencyKeys } from '../db/schema/orders.ts'
import { tokens } from '../db/schema/users.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import type { OrderInput } from './input.ts'
import { type OrderSettings, type Placement, placeOrders } from './place.ts'
import { type Plan, placedOrders, type WriteResult } from './plan.ts'
import { nftIdsOf, writeResultJson } from './statements.ts'

/** Milliseconds for which a response is stored. */
export const IDEMPOTENCY_LIFETIME = 24 * 60 * 60 * 1000

/** Bytes. D1 allows 2,000,000 in a value and in a row. */
const MAX_STORED_BYTES = 1_900_000

type Key = Placeholders<{ tokenId: string; key: string; storedAfter: string }>

/**
 * The namespace of the token, so that the stored response is found in the first trip. A namespace
 * belongs to one user or to master tokens, so a replay shows no orders that the caller may not see.
 */
const namespaceOfToken = (tokenId: Placeholder): SQL =>
  sql`(SELECT namespace FROM ${tokens} WHERE id = ${tokenId})`

const storedResponse = prepared((db, { tokenId, key, storedAfter }: Key) =>
  db
    .select({
      requestHash: idempotencyKeys.requestHash,
      plan: idempotencyKeys.plan,
      result: idempotencyKeys.result,
    })
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.namespace, namespaceOfToken(tokenId)),
        eq(idempotencyKeys.key, key),
        gt(idempotencyKeys.createdAt, storedAfter),
      ),
    ),
)

const deleteExpired = prepared((db, { tokenId, key, storedAfter }: Key) =>
  db.all<never>(sql`DELETE FROM "idempotencyKeys"
    WHERE namespace = ${namespaceOfToken(tokenId)} AND "key" = ${key} AND createdAt <= ${storedAfter}`),
)

type NewResponse = {
  tokenId: string
  key: string
  requestHash: string
  plan: string
  nftIds: string
  now: string
}

const insertResponse = prepared((db, response: Placeholders<NewResponse>) =>
  db.all<never>(sql`INSERT INTO "idempotencyKeys"
    (namespace, "key", requestHash, plan, result, createdAt)
    VALUES (${namespaceOfToken(response.tokenId)}, ${response.key}, ${response.requestHash}, ${response.plan},
      ${writeResultJson(response.nftIds)}, ${response.now})`),
)

/** Of what was parsed: blanks, the order of keys, and whether null or nothing is given do not matter. */
const hashOf = (inputs: readonly OrderInput[]) =>
  sha256(stringToBytes(JSON.stringify(inputs, (_, value) => value ?? undefined)))

/**
 * Places orders like `placeOrders`, but a repeated call gets the first response again. Throws
 * `idempotency_key_reused` if the first call had other orders, `payload_too_large`, and what
 * `placeOrders` throws.
 */
export async function placeOrdersOnce(
  db: Database,
  caller: Caller,
  inputs: readonly OrderInput[],
  settings: OrderSettings,
  /** The value of `Idempotency-Key`. */
  key: string,
  now: Date,
): Promise<Placement> {
  const requestHash = hashOf(inputs)
  const storedAfter = new Date(now.getTime() - IDEMPOTENCY_LIFETIME).toISOString()
  const id = { tokenId: caller.tokenId, key, storedAfter }
  return placeOrders(db, caller, inputs, settings, now, {
    read: storedResponse(db, id),
    onRead: ([stored]) => {
      if (!stored) return null
      if (stored.requestHash !== requestHash)
        throw new ApiError(
          'idempotency_key_reused',
          'this Idempotency-Key was used with other orders',
        )
      const plan: Plan = JSON.parse(stored.plan)
      const result: WriteResult = JSON.parse(stored.result)
      return placedOrders(caller, plan, result)
    },
    write: (plan) => [
      deleteExpired(db, id),
      insertResponse(db, {
        tokenId: caller.tokenId,
        key,
        requestHash,
        plan: serialize(plan),
        nftIds: nftIdsOf(plan),
        now: now.toISOString(),
      }),
    ],
  })
}

/** Throws `payload_too_large` if D1 cannot store the plan. */
function serialize(plan: Plan): string {
  const json = JSON.stringify(plan)
  if (new TextEncoder().encode(json).length > MAX_STORED_BYTES)
    throw new ApiError('payload_too_large', 'the response is too large to store; order fewer NFTs')
  return json
}
