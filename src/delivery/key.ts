/** Delivery keys. The Delivery contract uses each at most once. */

import { sql } from 'drizzle-orm'
import type { Hex } from 'viem'
import { bytesToHex, hexToBytes, sha256 } from 'viem/utils'
import type { Guard } from '../db/batch.ts'
import { prepared } from '../db/statements.ts'
import { guard } from '../http/guard.ts'

/** A key that belongs to an order number of a shop, or is random. */
export type KeySource = { namespace: string; providerId: string | null }

/**
 * Returns the delivery key of each order. The order number of a shop always gives the same key, so
 * it identifies the delivery even if the database was set back. `secret` is DELIVERY_KEY_SECRET.
 */
export async function makeKeys(secret: string, orders: readonly KeySource[]): Promise<Hex[]> {
  const bytes = hexToBytes(`0x${secret}`)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  return Promise.all(
    orders.map(async ({ namespace, providerId }) => {
      if (providerId === null) return bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
      // The position of the item within its order. An order has one item.
      const name = new TextEncoder().encode(JSON.stringify([namespace, providerId, 0]))
      return bytesToHex(new Uint8Array(await crypto.subtle.sign('HMAC', key, name)))
    }),
  )
}

/** Returns the SHA-256 of DELIVERY_KEY_SECRET, hex. */
export const hashSecret = (secret: string): string => sha256(`0x${secret}`).slice(2)

type Instance = { secretHash: string; publicUrl: string }

/**
 * Stores which DELIVERY_KEY_SECRET made the keys of this instance. Another one would make another
 * key for the same order number, and deliver it twice. Keeps PUBLIC_URL, for the links of events.
 */
export const storeInstance = prepared((db, { secretHash, publicUrl }: Instance) =>
  db.all<never>(sql`INSERT INTO instance (id, deliverySecretHash, publicUrl)
    VALUES (1, ${secretHash}, ${publicUrl})
    ON CONFLICT (id) DO UPDATE SET publicUrl = excluded.publicUrl
    WHERE publicUrl <> excluded.publicUrl`),
)

/** Rejects with `not_ready` if another secret made the keys of this instance. */
export const refuseOtherSecret = (secretHash: string): Guard =>
  guard('not_ready', 'the secret DELIVERY_KEY_SECRET is not the one that this instance began with')`
    EXISTS (SELECT 1 FROM instance WHERE deliverySecretHash <> ${secretHash})`
