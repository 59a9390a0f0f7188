/** The documentation of the API: guides, what the error codes mean, and the reference. */
import { type Context, Hono } from 'hono'
import { raw } from 'hono/html'
import { findAccount } from '../../auth/session.ts'
import type { App } from '../../http/context.ts'
import { publicEndpoint, requireSession } from '../../http/endpoint.ts'
import { tokenRateLimit } from '../../http/rate-limit.ts'
import { renewReferenceToken } from '../../identity/reference-token.ts'
import { page } from '../page.tsx'

/** The address of the instance in the texts of the documentation. */
const FILE_URL = 'http://localhost:8787'

export const docsRoutes = new Hono<App>()
  .get('/docs', publicEndpoint(), docsPage)
  .get('/docs/:guide', publicEndpoint(), docsPage)
  .post('/docs/token', requireSession(), tokenRateLimit, async (c) =>
    c.json(await renewReferenceToken(c.var)),
  )

/** Answers with a page that `scripts/docs` has rendered. */
async function docsPage(c: Context<App>) {
  const { db, caller, settings } = c.var
  const [account, response] = await Promise.all([
    findAccount(db, caller),
    // The binding only reads the path of the URL.
    c.env.ASSETS.fetch(`https://assets.local${c.req.path}.fragment`),
  ])
  if (!response.ok) return c.notFound()
  const html = (await response.text()).replaceAll(FILE_URL, settings.PUBLIC_URL)
  return page(c, {
    title: /<h1>(.*)<\/h1>/.exec(html)?.[1] ?? 'Documentation',
    account,
    styles: ['docs.css'],
    // Those that it imports are named so that they load at the same time.
    scripts: ['copy.js', 'samples.js', 'docs.js'],
    children: raw(html),
  })
}
