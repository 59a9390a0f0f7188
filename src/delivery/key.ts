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
  const sign = await createSigner(secret)
  return Promise.all(
    orders.map(({ namespace, providerId }) =>
      providerId === null
        ? bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
        : // The position of the order item within its order. An order has one.
          sign([namespace, providerId, 0]),
    ),
  )
}

/**
 * Returns a key for each trial on this day, of which nothing is ever delivered. The account that a trial
 * delivers to, and what it pays, are computed from it, so that nobody else can compute them: a delivery key
 * is public. `tried`: JSON values.
 */
export async function makeTrialKeys(secret: string, tried: readonly unknown[], now: Date) {
  const sign = await createSigner(secret)
  const day = now.toISOString().slice(0, 10)
  return Promise.all(tried.map((one) => sign({ trial: [one, day] })))
}

/** Returns a function that makes 32 bytes of what is named, which nobody can compute without the secret. */
async function createSigner(secret: string): Promise<(name: unknown) => Promise<Hex>> {
  const bytes = hexToBytes(`0x${secret}`)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  return async (name) => {
    const text = new TextEncoder().encode(JSON.stringify(name))
    return bytesToHex(new Uint8Array(await crypto.subtle.sign('HMAC', key, text)))
  }
}

/** Returns the SHA-256 of DELIVERY_KEY_SECRET, hex. */
export const hashKeySecret = (secret: string): string => sha256(`0x${secret}`).slice(2)

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
