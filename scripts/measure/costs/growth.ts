/**
 * What grows in the database, and by how much. `test/storage.test.ts` measures the bytes, and fails if a
 * table is missing. `npm run costs` prints it.
 */
import list from './growth.json' with { type: 'json' }

/** Orders in a day: of a year without anybody looking, and of a drop. */
const LOADS = { year: 1000, day: 1_000_000 }

export const growth = list

type Growth = {
  /** Bytes of one with its indexes: an upper limit. */
  bytes: number
  /** For how long it is kept; for ever without either. */
  days?: number
  minutes?: number
  /** How many an order makes, or a day of each load. */
  perOrder?: number
  perDay?: { year: number; day: number }
}

/** Bytes that a load leaves: at the end of its year, or of its day. */
export function bytesLeft(each: Growth, load: keyof typeof LOADS): number {
  const { bytes, minutes, days = Infinity, perOrder = 0, perDay } = each
  const kept = minutes === undefined ? days : minutes / (24 * 60)
  const count = perDay?.[load] ?? perOrder * LOADS[load]
  return bytes * count * Math.min(kept, load === 'year' ? 365 : 1)
}
