import ipaddr from 'ipaddr.js'

/** The client's IP address, as Cloudflare tells it; `''` when nobody does. */
export const addressOf = (request: Request): string => request.headers.get('cf-connecting-ip') ?? ''

/**
 * Whom to count as one client: an IPv4 address, or the /64 of an IPv6 one, since that is what a
 * single line is given.
 */
export function lineOf(request: Request): string {
  const address = addressOf(request)
  // To find that out of no address at all costs ipaddr.js as much as all else in a request.
  if (!address || !ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
