/**
 * Checks that a URL to fetch points to a public host.
 *
 * A Worker cannot see the address that a name resolves to before it connects, and a separate lookup
 * could give a different answer than the connection. The compatibility flag
 * `global_fetch_strictly_public` covers that part: with it, `fetch` reaches the public Internet
 * only. This module checks what the URL itself shows, again for each redirect.
 */
import { BlockList, isIPv4 } from 'node:net'
import { invalidField } from './errors.ts'

function networks(family: 'ipv4' | 'ipv6', cidrs: string): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs.split(/\s+/)) {
    const [network = '', prefix] = cidr.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}

type SpecialNetworks = Record<'ipv4' | 'ipv6' | 'globalIpv6', BlockList>

let known: SpecialNetworks | undefined

/** IANA's registries of special-purpose addresses. They are made when the first address is checked. */
const specialNetworks = (): SpecialNetworks =>
  (known ??= {
    // With multicast.
    ipv4: networks(
      'ipv4',
      `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
       192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24
       198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`,
    ),
    // The only block that IANA has allocated for global unicast, and its special-purpose addresses.
    globalIpv6: networks('ipv6', '2000::/3'),
    ipv6: networks('ipv6', '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20'),
  })

/** Top-level names that are never public (RFC 6761 and its registry, RFC 8375, ICANN's `internal`). */
const privateName =
  /\.(alt|arpa|corp|example|home|internal|intranet|invalid|lan|local|localdomain|localhost|onion|private|test)$/

export type Destination = {
  /** The field of the request that has the URL, for errors. */
  field: string
  base?: URL | undefined
  /** Hosts on this machine that are allowed, for development: `127.0.0.1:8877`, `localhost:*`. */
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
  if (!URL.canParse(text, base?.href)) throw invalidUrl('must be a URL')
  const url = new URL(text, base)
  if (!/^https?:$/.test(url.protocol))
    throw invalidUrl(isHttpsOnly ? 'must be an https URL' : 'must be an http or https URL')
  if (url.username || url.password) throw invalidUrl('must not contain credentials')
  if ([url.host, `${url.hostname}:*`].some((host) => loopbackHosts.includes(host))) return url
  if (isHttpsOnly && url.protocol !== 'https:') throw invalidUrl('must be an https URL')
  if (!isPublic(url.hostname)) throw invalidUrl('must point to a public host')
  return url
}

/** Whether a host, in the spelling of `URL.hostname`, may be on the public Internet. */
export function isPublic(hostname: string): boolean {
  const host = hostname.replace(/\.+$/, '')
  if (isIPv4(host)) return !specialNetworks().ipv4.check(host)
  if (host.startsWith('[')) {
    const address = host.slice(1, -1)
    const { ipv6, globalIpv6 } = specialNetworks()
    return globalIpv6.check(address, 'ipv6') && !ipv6.check(address, 'ipv6')
  }
  // RFC 1035, section 2.3.4.
  const isName = host.length <= 253 && host.split('.').every(({ length }) => length <= 63)
  return isName && host.includes('.') && !privateName.test(host)
}
