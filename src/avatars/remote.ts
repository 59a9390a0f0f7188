/** Fetches a picture from wherever a caller says. Decisions: "Avatars", by URL. */
import { ApiError } from '../http/errors.ts'
import { destination, refused } from './destination.ts'
import { readLimited } from './limits.ts'

const MAX_REDIRECTS = 3
const redirects = new Set([301, 302, 303, 307, 308])

/** All that the other side learns: nothing of the caller's request goes along. */
const headers = {
  accept: 'image/*',
  'accept-encoding': 'identity',
  'user-agent': 'marketplace-api (avatars)',
}

export type Reach = {
  /** `host:port` of loopback servers that are allowed nevertheless. */
  loopbackHosts: readonly string[]
  /** For redirects and content together, in milliseconds. */
  timeout?: number
}

/**
 * The content behind the address, whatever type it claims: its bytes will tell.
 * Throws `invalid_input` with the reason, `payload_too_large`.
 */
export async function fetchPicture(
  address: string,
  { loopbackHosts, timeout = 10_000 }: Reach,
): Promise<Blob> {
  const signal = AbortSignal.timeout(timeout)
  try {
    const response = await follow(address, loopbackHosts, signal)
    if (response.status !== 200) throw refused(`answered ${response.status}`)
    return await readLimited(response)
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (signal.aborted) throw refused(`took longer than ${timeout / 1000} s`)
    throw refused('could not be read')
  }
}

/** The platform would follow redirects unseen; each is a destination of its own. */
async function follow(
  address: string,
  loopbackHosts: readonly string[],
  signal: AbortSignal,
): Promise<Response> {
  let url = destination(address, undefined, loopbackHosts)
  for (let followed = 0; followed <= MAX_REDIRECTS; followed++) {
    const response = await fetch(url, { redirect: 'manual', signal, headers })
    const location = redirects.has(response.status) ? response.headers.get('location') : null
    if (location === null) return response
    await response.body?.cancel()
    url = destination(location, url, loopbackHosts)
  }
  throw refused(`redirects more than ${MAX_REDIRECTS} times`)
}
