import { isIPv4 } from 'node:net'

/** The IP address of the client, from Cloudflare's header; `''` if there is none. */
export const clientIp = (request: Request): string => request.headers.get('cf-connecting-ip') ?? ''

/**
 * The client as rate limits count it: an IPv4 address, or the /64 network of an IPv6 address,
 * because one subscriber usually has a whole /64.
 */
export function rateLimitKey(request: Request): string {
  const address = clientIp(request).replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIPv4(address)) return address
  if (!URL.canParse(`http://[${address}]`)) return 'unknown'
  // The URL parser shortens one run of zeros to `::`.
  const { hostname } = new URL(`http://[${address}]`)
  const parts = hostname.slice(1, -1).split('::')
  const [head = [], tail = []] = parts.map((part) => part.split(':').filter(Boolean))
  const zeros = Array(8 - head.length - tail.length).fill('0')
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}
