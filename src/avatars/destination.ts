/**
 * Checks that a URL to fetch points to a public host.
 *
 * A Worker cannot see the address that a name resolves to before it connects, and a separate lookup
 * could give a different answer than the connection. The compatibility flag
 * `global_fetch_strictly_public` covers that part: with it, `fetch` reaches the public Internet
 * only. This module checks what the URL itself shows, again for each redirect.
 */
import { invalidField } from '../http/errors.ts'
import { isInBlock } from '../http/ip-address.ts'

/** Blocks that are not on the public Internet (IANA's registry of special-purpose addresses). */
const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** The only IPv6 block that IANA has allocated for global unicast. */
const globalUnicast = '2000::/3'

/** The blocks of `globalUnicast` that are not on the public Internet. */
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

/** Top-level names that are never public (RFC 6761 and its registry, RFC 8375, ICANN's `internal`). */
const privateName =
  /\.(alt|arpa|corp|example|home|internal|intranet|invalid|lan|local|localdomain|localhost|onion|private|test)$/

export const invalidUrl = (reason: string) => invalidField('avatarUrl', reason)

/**
 * Returns the parsed URL if it points to a public host or to one of `loopbackHosts`
 * (`127.0.0.1:8877`). Throws `invalid_input` with the reason.
 *
 * The WHATWG URL parser turns every form of an IPv4 address (decimal, octal, hexadecimal, shortened,
 * full-width digits) into four decimal numbers, so only that form needs a check.
 */
export function parseDestination(
  text: string,
  base: URL | undefined,
  loopbackHosts: readonly string[],
): URL {
  if (!URL.canParse(text, base)) throw invalidUrl('must be a URL')
  const url = new URL(text, base)
  if (!/^https?:$/.test(url.protocol)) throw invalidUrl('must be an http or https URL')
  if (url.username || url.password) throw invalidUrl('must not contain credentials')
  if (loopbackHosts.includes(url.host)) return url
  if (!isPublic(url.hostname)) throw invalidUrl('must point to a public host')
  return url
}

function isPublic(hostname: string): boolean {
  const host = hostname.replace(/\.+$/, '')
  if (/^[\d.]+$/.test(host)) return !isInBlock(host, specialIpv4)
  if (host.startsWith('[')) {
    const address = host.slice(1, -1)
    return isInBlock(address, [globalUnicast]) && !isInBlock(address, specialIpv6)
  }
  return host.includes('.') && !privateName.test(host)
}
