/**
 * Checks that a URL to fetch points to a public host.
 *
 * A Worker cannot see the address that a name resolves to before it connects, and a separate lookup
 * could give a different answer than the connection. The compatibility flag
 * `global_fetch_strictly_public` covers that part: with it, `fetch` reaches the public Internet
 * only. This module checks what the URL itself shows, again for each redirect.
 */
import ipaddr from 'ipaddr.js'
import { invalidField } from './errors.ts'

/** The only IPv6 block that IANA has allocated for global unicast. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Top-level names that are never public (RFC 6761 and its registry, RFC 8375, ICANN's `internal`). */
const privateName =
  /\.(alt|arpa|corp|example|home|internal|intranet|invalid|lan|local|localdomain|localhost|onion|private|test)$/

type Destination = {
  /** The field of the request that has the URL, for errors. */
  field: string
  base?: URL | undefined
  /** Hosts on this machine that are allowed, for development: `127.0.0.1:8877`. */
  loopbackHosts: readonly string[]
  /** Whether other hosts need https. */
  isHttpsOnly?: boolean
}

/**
 * Returns the parsed URL if it points to a public host or to one of `loopbackHosts`. Throws
 * `invalid_input` with the reason.
 *
 * The WHATWG URL parser turns every form of an IPv4 address (decimal, octal, hexadecimal, shortened,
 * full-width digits) into four decimal numbers, so only that form needs a check.
 */
export function parseDestination(
  text: string,
  { field, base, loopbackHosts, isHttpsOnly = false }: Destination,
): URL {
  const invalidUrl = (reason: string) => invalidField(field, reason)
  if (!URL.canParse(text, base)) throw invalidUrl('must be a URL')
  const url = new URL(text, base)
  if (!/^https?:$/.test(url.protocol))
    throw invalidUrl(isHttpsOnly ? 'must be an https URL' : 'must be an http or https URL')
  if (url.username || url.password) throw invalidUrl('must not contain credentials')
  if (loopbackHosts.includes(url.host)) return url
  if (isHttpsOnly && url.protocol !== 'https:') throw invalidUrl('must be an https URL')
  if (!isPublic(url.hostname)) throw invalidUrl('must point to a public host')
  return url
}

/** Whether a host, in the spelling of `URL.hostname`, may be on the public Internet. */
export function isPublic(hostname: string): boolean {
  const host = hostname.replace(/\.+$/, '')
  if (ipaddr.IPv4.isValid(host)) return ipaddr.IPv4.parse(host).range() === 'unicast'
  if (host.startsWith('[')) {
    const address = ipaddr.IPv6.parse(host.slice(1, -1))
    return address.match(globalUnicast) && address.range() === 'unicast'
  }
  // RFC 1035, section 2.3.4.
  const isName = host.length <= 253 && host.split('.').every(({ length }) => length <= 63)
  return isName && host.includes('.') && !privateName.test(host)
}
