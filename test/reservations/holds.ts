/** Calls of tests about reservations. */

import { raw } from '../../src/db/statements.ts'
import type { Reservation } from '../../src/reservations/schema.ts'
import { answerOf, call } from '../support/api.ts'
import { db } from '../support/makers.ts'

export const reserve = (token: string, json: unknown, headers: Record<string, string> = {}) =>
  call('POST', '/api/reservations', { token, json, headers })

/** Reserves, and returns the reservations. Throws if the call fails. */
export async function reserved(...args: Parameters<typeof reserve>): Promise<Reservation[]> {
  type Answer = { reservations: Reservation[]; error: string }
  const { status, reservations, error } = await answerOf<Answer>(reserve(...args))
  if (status !== 200) throw new Error(error)
  return reservations
}

/** Reserves one listing, and returns the reservation. */
export async function aReservation(token: string, input: object): Promise<Reservation> {
  const [reservation] = await reserved(token, [{ quantity: 1, ttl: 600, ...input }])
  if (!reservation) throw new Error('nothing was reserved')
  return reservation
}

export const release = (token: string, id: string) =>
  call('DELETE', `/api/reservations/${id}`, { token })

/** The pieces of an NFT that are held at a time: by its reservations, and as they are summed up. */
export async function heldOf({ id }: { id: number }, now = new Date()) {
  const at = now.toISOString()
  const [rows] = await db.batch([
    raw<{ reserved: number; held: number }>(db)`SELECT
      (SELECT total(quantity) FROM reservations WHERE nftId = ${id} AND expiresAt > ${at}) AS reserved,
      (SELECT total(quantity) FROM heldPieces WHERE nftId = ${id} AND expiresAt > ${at}) AS held`,
  ])
  const [{ reserved = NaN, held = NaN } = {}] = rows
  if (reserved !== held) throw new Error(`${reserved} are reserved, and ${held} are held`)
  return held
}
