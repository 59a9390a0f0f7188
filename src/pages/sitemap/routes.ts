/** What search engines read before the pages. */
import { sql } from 'drizzle-orm'
import { batch } from '../../db/batch.ts'
import { prepared } from '../../db/statements.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { cacheControl } from '../../http/headers.ts'
import { selectCreators } from '../../marketplace/creators.ts'
import { isReleasedSql } from '../../marketplace/query.ts'
import { HOUR, SECOND } from '../../time.ts'
import { creatorPath } from '../components/nfts.tsx'
import { shown } from '../page.tsx'

/** The newest NFTs and creators. A sitemap may have 50,000 URLs; lists lead to the others. */
const MAX_NFTS = 10_000
const MAX_CREATORS = 1_000

const cached = { ...shown.public({}), cache: cacheControl(HOUR / SECOND) }

const selectReleased = prepared((db, { now }: { now: string }) =>
  db.all<{ id: number; changedAt: string }>(sql`SELECT id, changedAt FROM nfts
    WHERE ${isReleasedSql} AND releaseAt <= ${now} ORDER BY releaseAt DESC LIMIT ${sql.raw(`${MAX_NFTS}`)}`),
)

const robots = (url: string) => `User-agent: *
Allow: /$
Allow: /docs
Disallow: /api/
Disallow: /settings
Disallow: /orders
Disallow: /collection
Disallow: /claim
Disallow: /phone
Disallow: /sign-in
Disallow: /avatars
Sitemap: ${url}/sitemap.xml
`

export const sitemapRoutes = new Endpoints()
  .get('/robots.txt', cached, (c) => c.text(robots(c.var.settings.PUBLIC_URL)))
  .get('/sitemap.xml', cached, async (c) => {
    const { db, now, settings } = c.var
    const { nfts, creators } = await batch(db, {
      nfts: selectReleased(db, { now: now.toISOString() }),
      creators: selectCreators(db, { limit: MAX_CREATORS }),
    })
    const pages: (readonly [path: string, changedAt?: string])[] = [
      ['/'],
      ['/nfts'],
      ['/docs'],
      ...nfts.map(({ id, changedAt }) => [`/nfts/${id}`, changedAt] as const),
      ...creators.map((creator) => [creatorPath(creator)] as const),
    ]
    const urls = pages.map(([path, changedAt]) => {
      const lastModified = changedAt ? `<lastmod>${changedAt}</lastmod>` : ''
      return `<url><loc>${settings.PUBLIC_URL}${path}</loc>${lastModified}</url>\n`
    })
    const xml = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('')}</urlset>
`
    return c.body(xml, 200, { 'Content-Type': 'application/xml' })
  })
