import type { Guard } from './guard.ts'

/** What requests may carry, where the Worker sends requests itself, and what pages show. */
export const requests: Guard[] = [
  {
    name: 'a URL to fetch may not point into a private IPv4 network',
    code: 'src/http/destination.ts: isPublic',
    broken: { condition: 'ipv4 check', becomes: true },
    test: 'test/http/destination.test.ts: private networks',
  },
  {
    name: 'each redirect is checked as the URL itself',
    code: 'src/http/download.ts: followRedirects',
    broken: { call: 'parseDestination location' },
    test: 'test/avatars/remote.test.ts: redirects',
  },
  {
    name: 'a stored picture has no metadata',
    code: 'src/avatars/jpeg.ts: removeMetadata',
    broken: { condition: 'isMetadata', becomes: true },
    test: 'test/avatars/jpeg.test.ts: removes EXIF, XMP, comments and vendor data, and keeps the pixels',
  },
  {
    name: 'pages run only scripts of this site',
    code: 'src/pages/page.tsx: page',
    broken: { without: 'Content-Security-Policy' },
    test: 'test/pages/pages.test.ts: allows only scripts of this site, no frames and no caching',
  },
  {
    name: 'an address is changed by its owner only',
    code: 'src/addresses/change.ts: isAccessibleSql',
    broken: { condition: 'role', becomes: true },
    test: 'test/addresses/change.test.ts: returns the same 404 if the address is deleted, unknown, of another user or of the other kind',
  },
  {
    name: 'an old session does not cancel deliveries',
    code: 'src/delivery/actions/actions.ts: recentGuards',
    broken: { condition: 'requires', becomes: false },
    test: 'test/admin/transfer-page.test.ts: asks a session that is more than ten minutes old to sign in again before it cancels',
  },
  {
    name: 'a public response carries nothing of one request',
    code: 'src/http/headers.ts: controlCaching',
    broken: { without: 'OWN_HEADERS' },
    test: 'test/http/caching.test.ts: returns the same to every caller where caches may keep it',
  },
  {
    name: 'what does not say otherwise is kept out of caches',
    code: 'src/http/headers.ts: controlCaching',
    broken: { condition: 'has', becomes: false },
    test: 'test/http/caching.test.ts: keeps an answer with',
  },
]
