import ipaddr from 'ipaddr.js'

/** The IP address of the client, from Cloudflare's header; `''` if there is none. */
export const clientIp = (request: Request): string => request.headers.get('cf-connecting-ip') ?? ''

/**
 * The client as rate limits count it: an IPv4 address, or the /64 network of an IPv6 address,
 * because one subscriber usually has a whole /64.
 */
export function rateLimitKey(request: Request): string {
  const address = clientIp(request)
  if (!address || !ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  return `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`
}
