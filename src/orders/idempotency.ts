/**
 * Makes placing orders and reserving safe to repeat (`Idempotency-Key`). The response is stored in
 * the same transaction as what it is about, so either both exist or neither.
 */
import { and, eq, gt, sql } from 'drizzle-orm'
import { sha256, stringToBytes } from 'viem/utils'
import type { Database, Statement } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { idempotencyKeys, nftPayloads } from '../db/schema/orders.ts'
import { tokens } from '../db/schema/users.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import type { NewOrder } from './new-order.ts'
import type { Nft } from './nft.ts'
import { type Plan, placedOrders, type ShownPlan, type Written } from './plan.ts'
import type { PlacedOrder } from './schema.ts'
import { nftIdsJson, writtenJson } from './write.ts'

/** Milliseconds for which a response is stored. */
export const IDEMPOTENCY_LIFETIME = 24 * 60 * 60 * 1000

/** Bytes. D1 allows 2,000,000 in a value and in a row. */
const MAX_STORED_BYTES = 1_900_000

/** A call with an idempotency key. */
export type IdempotentCall = { key: string; requestHash: string; storedAfter: string }

/**
 * Describes a call. Its hash is of the endpoint and of what was parsed: blanks, the order of keys,
 * and whether null or nothing is given do not matter.
 */
export const idempotentCall = (
  key: string,
  call: { orders: readonly NewOrder[] } | { reservations: readonly NewOrder[] },
  now: Date,
): IdempotentCall => ({
  key,
  requestHash: sha256(stringToBytes(JSON.stringify(call, (_, value) => value ?? undefined))),
  storedAfter: new Date(now.getTime() - IDEMPOTENCY_LIFETIME).toISOString(),
})

/** `payloads`: JSON of the metadata to which the plan refers, by hash. */
export type Stored = { requestHash: string; plan: string; written: string; payloads: string }

/** With the hash of its metadata in place of each NFT's `payload`. */
type StoredPlan = Omit<ShownPlan, 'nfts'> & {
  nfts: (Omit<Nft, 'payload'> & { payload: string })[]
}

/** The day (UTC) of a time, for `nftPayloads.day`. */
export const dayOf = (time: string): string => time.slice(0, 10)

const storedPayloads = sql<string>`(SELECT json_group_object(hash, json(payload))
  FROM ${nftPayloads} WHERE day = substr(${idempotencyKeys.plan} ->> 'placedAt', 1, 10)
    AND hash IN (SELECT value ->> 'payload' FROM json_each(${idempotencyKeys.plan}, '$.nfts')))`

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
        payloads: storedPayloads.as('payloads'),
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

/** Throws `idempotency_key_reused` if a stored response is that of another call. */
export function requireSameCall(call: IdempotentCall, stored: Stored): void {
  if (stored.requestHash !== call.requestHash)
    throw new ApiError('idempotency_key_reused', 'this Idempotency-Key was used with another call')
}

/** Returns the stored orders of a call. Throws `idempotency_key_reused`. */
export function replay(caller: Caller, call: IdempotentCall, stored: Stored): PlacedOrder[] {
  requireSameCall(call, stored)
  const plan: StoredPlan = JSON.parse(stored.plan)
  const written: Written = JSON.parse(stored.written)
  const payloads: Record<string, Nft['payload']> = JSON.parse(stored.payloads)
  const nfts = plan.nfts.map((nft) => {
    const payload = payloads[nft.payload]
    if (!payload) throw new Error(`the metadata ${nft.payload} is not stored`)
    return { ...nft, payload }
  })
  return placedOrders(caller, { ...plan, nfts }, written)
}

/** Returns what is stored of a plan, and the metadata to which it refers, by hash. */
function splitPlan({ newUsers, newAddresses, orders, nfts, ...plan }: Plan) {
  const payloads = new Map<string, Nft['payload']>()
  const stored: StoredPlan = {
    ...plan,
    nfts: nfts.map((nft) => {
      const hash = sha256(stringToBytes(JSON.stringify(nft.payload))).slice(2)
      payloads.set(hash, nft.payload)
      return { ...nft, payload: hash }
    }),
    orders: orders.map(({ order, buyer, billing, item, delivery }) => {
      const { state, reason } = delivery
      return { order, buyer, billing, item, delivery: { state, reason } }
    }),
    newUsers: { length: newUsers.length },
    newAddresses: { length: newAddresses.length },
  }
  const rows = [...payloads].map(([hash, payload]) => ({ hash, payload }))
  return { stored: JSON.stringify(stored), payloads: JSON.stringify(rows) }
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

const insertPayloads = prepared(
  (db, { payloads, day }: Placeholders<{ payloads: string; day: string }>) =>
    db.all<never>(sql`INSERT INTO "nftPayloads" (day, hash, payload)
      SELECT ${day}, value ->> 'hash', value ->> 'payload' FROM json_each(${payloads}) WHERE true
      ON CONFLICT DO NOTHING`),
)

/**
 * Returns the statements that store the response of a call, after those that write its orders.
 * Throws `payload_too_large` if D1 cannot store it.
 */
export function storeResponse(
  db: Database,
  { namespace, plan }: { namespace: string; plan: Plan },
  call: IdempotentCall,
): Statement[] {
  const { stored, payloads } = splitPlan(plan)
  if (new TextEncoder().encode(stored + payloads).length > MAX_STORED_BYTES)
    throw new ApiError('payload_too_large', 'the response is too large to store; order fewer NFTs')
  const now = plan.placedAt
  return [
    insertPayloads(db, { payloads, day: dayOf(now) }),
    ...storeJson(db, { namespace, plan: stored, nftIds: nftIdsJson(plan), now }, call),
  ]
}

/** Returns the statements that store JSON of which the response of a call is made. */
export const storeJson = (
  db: Database,
  response: Omit<NewResponse, 'key' | 'requestHash'>,
  { storedAfter, ...call }: IdempotentCall,
): Statement[] => [
  deleteExpired(db, { namespace: response.namespace, key: call.key, storedAfter }),
  insertResponse(db, { ...response, ...call }),
]
