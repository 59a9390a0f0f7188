/**
 * How long calls take from three places, on paper: the round trips that `test/costs.test.ts` counts,
 * times stated distances.
 */
import { endpointCosts } from '../../../test/support/permissions.ts'

/**
 * Milliseconds of a round trip from a place to the D1 replica of its region, and to a primary in
 * western Europe. The region of Tokyo is Asia and Pacific, whose replica may be in Singapore.
 */
const places: Record<string, { replica: number; primary: number }> = {
  Tokyo: { replica: 70, primary: 230 },
  'New York': { replica: 15, primary: 85 },
  Frankfurt: { replica: 10, primary: 15 },
}

/**
 * A `GET` that is not in the cache beside the caller asks the upper tier of Workers Cache before the
 * Worker runs, also if its answer is private. Where that is, nobody says: it counts as far as the replica.
 */
const UPPER_TIER = 't'

/** Milliseconds from the caller to Cloudflare and back, with the work of the Worker. */
const EDGE = 15

type Kind = 'read' | 'place' | 'write' | 'readFirst' | 'excepted'

/** Reads and writes that are no plain ones. */
const kinds: Record<string, Kind> = {
  'POST /api/externalOrders': 'place',
  'PUT /api/externalOrders/by-number/:providerId': 'place',
  'POST /api/externalOrders/check': 'read',
  'POST /api/reservations': 'place',
  'POST /api/admin/transfers/retry': 'readFirst',
  'POST /api/admin/transfers/cancel': 'readFirst',
  'POST /operations/transfers': 'readFirst',
  'POST /api/webhooks/:webhook_id/messages/:message_id/resend': 'readFirst',
  'PUT /api/public/user/:user_id/profile/avatar': 'excepted',
  'PUT /api/public/user/:user_id/profile/updateAvatarFile': 'excepted',
  'PUT /api/public/user/:user_id/profile/updateAvatarBytes': 'excepted',
  'POST /settings/profile/avatar': 'excepted',
  'POST /settings/profile/avatar-url': 'excepted',
  'POST /api/admin/catalogue': 'excepted',
  // Asks a node of the chain between a trip to a replica and one to the primary. Its sample request is
  // refused after the first.
  'POST /settings/account/wallet': 'read',
}

const kindOf = (endpoint: string): Kind =>
  kinds[endpoint] ?? (endpoint.startsWith('GET') ? 'read' : 'write')

/** Round trips one after the other: to a replica (`r`) and to the primary (`p`). */
const rounds: Record<Kind, string> = {
  read: 'r',
  place: 'rp',
  write: 'p',
  readFirst: 'pp',
  excepted: 'ppp',
}

/** Returns the round trips of an endpoint. Trips at the same time are one. */
export const roundsOf = (endpoint: string): string =>
  endpointCosts[endpoint]?.trips === 0 ? '' : rounds[kindOf(endpoint)]

/** What the table calls a kind. The cache of Cloudflare answers the first, without D1. */
const rows: [name: string, rounds: string][] = [
  ['public data, from the cache', ''],
  ['public data, not cached yet', UPPER_TIER + rounds.read],
  ['private reads', UPPER_TIER + rounds.read],
  ['place orders, reserve', rounds.place],
  ['other writes', rounds.write],
  ['link a wallet, beside a node of its chain', 'rp'],
  ['send a message of a webhook again', rounds.readFirst],
  ['replace an avatar, import a catalogue', rounds.excepted],
]

/** The places, above the columns of `latencies`. */
export const placeNames = Object.keys(places)

/** A line for each kind of call, with its milliseconds from each place. */
export const latencies: string[][] = rows.map(([name, trips]) => {
  const times = Object.values(places).map(({ replica, primary }) =>
    [...trips].reduce((sum, trip) => sum + (trip === 'p' ? primary : replica), EDGE),
  )
  return [name, ...times.map(String)]
})
