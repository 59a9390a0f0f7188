import type { Settings } from '../env.ts'

/**
 * The absolute URL that a `?redirect=` may lead to: on this site, or on one that the configuration
 * allows; null for every other. It is never a path alone, for a browser reads `//host` as a host.
 */
export function allowedRedirect(
  { PUBLIC_URL, REDIRECT_ORIGINS }: Pick<Settings, 'PUBLIC_URL' | 'REDIRECT_ORIGINS'>,
  target: string | null | undefined,
): string | null {
  const url = target ? URL.parse(target, PUBLIC_URL) : null
  // A blob: URL has the origin of who made it.
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null
  const allowed = [new URL(PUBLIC_URL).origin, ...REDIRECT_ORIGINS]
  return allowed.includes(url.origin) ? url.href : null
}
