/**
 * Makes placing orders and reserving safe to repeat (`Idempotency-Key`). The response is stored in
 * the same transaction as what it is about, so either both exist or neither.
 */
import { type Placeholder, sql } from 'drizzle-orm'
import { sha256, stringToBytes } from 'viem/utils'
import type { Database, Statement } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import type { NewOrder } from './new-order.ts'
import { isUnlimited, type Listing, type Nft } from './nft.ts'
import { type Plan, placedOrders, type ShownPlan, type Written } from './plan.ts'
import type { PlacedOrder } from './schema.ts'
import { nftIdsJson, writtenJson } from './write.ts'

/** Milliseconds for which a response is stored. */
export const IDEMPOTENCY_LIFETIME = 24 * 60 * 60 * 1000

/** Bytes. D1 allows 2,000,000 in a value and in a row. */
const MAX_STORED_BYTES = 1_900_000

/** A call with an idempotency key. */
export type IdempotentCall = { key: string; requestHash: string; storedAfter: string }

/** JSON of a value in which the order of keys, and whether null or nothing is given, do not matter. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify([value], (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : (part ?? undefined),
  )

/** Describes a call. Its hash is of the endpoint and of what was parsed. */
export const idempotentCall = (
  key: string,
  call: { orders: readonly NewOrder[] } | { reservations: readonly NewOrder[] },
  now: Date,
): IdempotentCall => ({
  key,
  requestHash: sha256(stringToBytes(canonicalJson(call))),
  storedAfter: new Date(now.getTime() - IDEMPOTENCY_LIFETIME).toISOString(),
})

/** `parts`: JSON of the parts to which the plan refers, by hash. */
export type Stored = { requestHash: string; plan: string; written: string; parts: string }

/** With the hashes of what was sold. Each NFT has the hash of its metadata in place of `payload`. */
type StoredPlan = Omit<ShownPlan, 'nfts' | 'listings'> & {
  sold: Record<'nfts' | 'listings' | 'payloads', string[]>
}

/** The day (UTC) of a time, for `idempotencyKeys.day`. */
export const dayOf = (time: string): string => time.slice(0, 10)

const storedParts = sql`(SELECT json_group_object(hash, json(part))
  FROM responseParts p WHERE p.day = "idempotencyKeys".day AND hash IN
    (SELECT value FROM json_tree("idempotencyKeys".plan, '$.sold') WHERE type = 'text'))`

/**
 * The days of responses that are not older than `IDEMPOTENCY_LIFETIME`. Tomorrow is one of them: a call
 * that began before midnight may come after one that began later, or that another clock has dated.
 */
const liveDays = (storedAfter: Placeholder) =>
  sql`(date(${storedAfter}), date(${storedAfter}, '+1 day'), date(${storedAfter}, '+2 days'))`

/**
 * Selects by the namespace of the token, so that the stored response is found in the first trip. A
 * namespace belongs to one user or to master tokens, so a replay shows no orders that the caller may
 * not see.
 */
export const selectStored = prepared(
  (db, call: Placeholders<{ tokenId: string; key: string; storedAfter: string }>) =>
    db.all<Stored>(sql`SELECT requestHash, plan, result AS written, ${storedParts} AS parts
      FROM "idempotencyKeys" WHERE day IN ${liveDays(call.storedAfter)}
        AND namespace = (SELECT namespace FROM tokens WHERE id = ${call.tokenId})
        AND "key" = ${call.key} AND createdAt > ${call.storedAfter}`),
)

/** Throws `idempotency_key_reused` if a stored response is that of another call. */
export function requireSameCall(call: IdempotentCall, stored: Stored): void {
  if (stored.requestHash !== call.requestHash)
    throw new ApiError('idempotency_key_reused', 'this Idempotency-Key was used with another call')
}

/** Returns the stored orders of a call. Throws `idempotency_key_reused`. */
export function replay(caller: Caller, call: IdempotentCall, stored: Stored): PlacedOrder[] {
  requireSameCall(call, stored)
  const { sold, ...plan }: StoredPlan = JSON.parse(stored.plan)
  const written: Written = JSON.parse(stored.written)
  const parts: Record<string, unknown> = JSON.parse(stored.parts)
  const partOf = <Part>(hash: string): Part => {
    if (!parts[hash]) throw new Error(`the part ${hash} is not stored`)
    return parts[hash] as Part
  }
  const nfts = sold.nfts.map((hash) => {
    const nft = partOf<Omit<Nft, 'payload'> & { payload: string }>(hash)
    return { ...nft, payload: partOf<Nft['payload']>(nft.payload) }
  })
  const listings = sold.listings.map((hash) => partOf<Listing>(hash))
  return placedOrders(caller, { ...plan, nfts, listings }, written)
}

/** Returns what is stored of a plan, and the parts to which it refers. */
function splitPlan({ newUsers, newAddresses, orders, nfts, listings, placedAt }: Plan) {
  const parts = new Map<string, unknown>()
  const store = (part: unknown): string => {
    const hash = sha256(stringToBytes(JSON.stringify(part))).slice(2, 42)
    parts.set(hash, part)
    return hash
  }
  const payloads = nfts.map(({ payload }) => store(payload))
  const stored: StoredPlan = {
    placedAt,
    sold: {
      payloads,
      // Each sale changes the stock. `placedOrders` takes it from what was written.
      nfts: nfts.map((nft, i) =>
        store({
          ...nft,
          ...(!isUnlimited(nft) && { availableAmount: 0, updatedAt: '' }),
          payload: payloads[i],
        }),
      ),
      listings: listings.map(store),
    },
    orders: orders.map(({ order, buyer, billing, item, delivery }) => {
      return { order, buyer, billing, item, delivery: { state: delivery.state } }
    }),
    newUsers: { length: newUsers.length },
    newAddresses: { length: newAddresses.length },
  }
  const rows = [...parts].map(([hash, part]) => ({ hash, part }))
  return { stored: JSON.stringify(stored), parts: JSON.stringify(rows) }
}

type NewResponse = {
  namespace: string
  key: string
  requestHash: string
  plan: string
  nftIds: string
  now: string
  storedAfter: string
}

/** Takes the day of a live response with the same key, so that the key of the table fails. */
const insertResponse = prepared((db, response: Placeholders<NewResponse>) =>
  db.all<never>(sql`INSERT INTO "idempotencyKeys"
    (day, namespace, "key", requestHash, plan, result, createdAt)
    SELECT coalesce((SELECT day FROM "idempotencyKeys" WHERE day IN ${liveDays(response.storedAfter)}
        AND namespace = ${response.namespace} AND "key" = ${response.key}
        AND createdAt > ${response.storedAfter}), date(${response.now})),
      ${response.namespace}, ${response.key}, ${response.requestHash}, ${response.plan},
      ${writtenJson(response.nftIds)}, ${response.now}`),
)

const insertParts = prepared((db, { parts, day }: Placeholders<{ parts: string; day: string }>) =>
  db.all<never>(sql`INSERT INTO "responseParts" (day, hash, part)
    SELECT ${day}, value ->> 'hash', value -> 'part' FROM json_each(${parts}) WHERE true
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
  const { stored, parts } = splitPlan(plan)
  if (new TextEncoder().encode(stored + parts).length > MAX_STORED_BYTES)
    throw new ApiError('payload_too_large', 'the response is too large to store; order fewer NFTs')
  const now = plan.placedAt
  return [
    insertParts(db, { parts, day: dayOf(now) }),
    storeJson(db, { namespace, plan: stored, nftIds: nftIdsJson(plan), now }, call),
  ]
}

/** Returns the statement that stores JSON of which the response of a call is made. */
export const storeJson = (
  db: Database,
  response: Omit<NewResponse, keyof IdempotentCall>,
  call: IdempotentCall,
): Statement => insertResponse(db, { ...response, ...call })
