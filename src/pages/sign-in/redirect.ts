import type { Settings } from '../../env.ts'

/** The page after a sign-in without `?redirect=`. */
export const HOME = '/orders'

/**
 * Returns the absolute URL that `?redirect=` may lead to, or null if it is neither on this site
 * nor on an allowed one. A path alone would not be safe: browsers read `//host` as another host.
 */
export function allowedRedirect(
  { PUBLIC_URL, REDIRECT_ORIGINS }: Pick<Settings, 'PUBLIC_URL' | 'REDIRECT_ORIGINS'>,
  target: string | null | undefined,
): string | null {
  const url = target ? URL.parse(target, PUBLIC_URL) : null
  // A blob: URL has the origin of the page that created it.
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null
  const allowed = [new URL(PUBLIC_URL).origin, ...REDIRECT_ORIGINS]
  return allowed.includes(url.origin) ? url.href : null
}

/** Returns a URL that may be stored, or seen by others; null if it, or one within it, has a secret. */
export const withoutSecret = (redirect: string | null): string | null =>
  redirect && hasSecret(new URL(redirect)) ? null : redirect

/** A link of a mail, or a page that leads on to one. */
const hasSecret = (url: URL): boolean =>
  [url.searchParams, new URLSearchParams(url.hash.slice(1))].some(
    (params) =>
      params.has('secret') ||
      [...params.values()].some((value) => {
        const inner = URL.parse(value, url.origin)
        return inner !== null && hasSecret(inner)
      }),
  )
