import { groupsOf, isInBlock, isIpv6 } from './ip-address.ts'

/** The IP address of the client, from Cloudflare's header; `''` if there is none. */
export const clientIp = (request: Request): string => request.headers.get('cf-connecting-ip') ?? ''

/** IPv4 addresses in the form of IPv6. */
const IPV4_MAPPED = '::ffff:0:0/96'

/**
 * The client as rate limits count it: an IPv4 address, or the /64 network of an IPv6 address,
 * because one subscriber usually has a whole /64.
 */
export function rateLimitKey(request: Request): string {
  const text = clientIp(request)
  if (!isIpv6(text)) return text || 'unknown'
  const address = URL.parse(`http://[${text}]`)?.hostname.slice(1, -1)
  if (!address) return 'unknown'
  const groups = groupsOf(address)
  if (isInBlock(address, [IPV4_MAPPED]))
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}
