/**
 * Where we let ourselves be sent: public hosts only. Decisions: "Avatars", by URL.
 *
 * A Worker cannot see the address that a name resolves to before it connects, and to ask for it
 * apart would leave a gap in which the answer may change. That part is the platform's: with the
 * compatibility flag `global_fetch_strictly_public` a fetch only ever reaches the public Internet.
 * What a URL itself tells is checked here, for each redirect anew.
 */
import ipaddr from 'ipaddr.js'
import { ApiError } from '../http/errors.ts'

/** Global unicast is all that IANA has ever given out of IPv6. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Top-level names that are never public (RFC 6761 and its registry, RFC 8375, ICANN's `internal`). */
const neverPublic =
  /\.(alt|arpa|corp|example|home|internal|intranet|invalid|lan|local|localdomain|localhost|onion|private|test)$/

/** The port belongs to the scheme: what listens elsewhere is seldom a web server for all. */
const ports: Record<string, readonly string[]> = { 'http:': ['', '80'], 'https:': ['', '443'] }

export const refused = (reason: string) => new ApiError('invalid_input', `avatarUrl: ${reason}`)

/**
 * The URL, when it leads to a public host or to one of `loopbackHosts` (`127.0.0.1:8877`).
 * Throws `invalid_input` with the reason.
 *
 * The parser (WHATWG URL) has already turned every spelling of an IPv4 address (decimal, octal,
 * hexadecimal, shortened, with full-width digits) into the one with four decimal parts.
 */
export function destination(
  spelling: string,
  base: URL | undefined,
  loopbackHosts: readonly string[],
): URL {
  if (!URL.canParse(spelling, base)) throw refused('must be a URL')
  const url = new URL(spelling, base)
  const allowed = ports[url.protocol]
  if (!allowed) throw refused('must be http or https')
  if (url.username || url.password) throw refused('must hold no credentials')
  if (loopbackHosts.includes(url.host)) return url
  if (!allowed.includes(url.port)) throw refused('must use the default port of its scheme')
  if (!isPublic(url.hostname)) throw refused('must lead to a public host')
  return url
}

function isPublic(hostname: string): boolean {
  const host = hostname.replace(/\.+$/, '')
  if (ipaddr.IPv4.isValid(host)) return ipaddr.IPv4.parse(host).range() === 'unicast'
  if (host.startsWith('[')) {
    const address = ipaddr.IPv6.parse(host.slice(1, -1))
    return address.match(globalUnicast) && address.range() === 'unicast'
  }
  return host.includes('.') && !neverPublic.test(host)
}
