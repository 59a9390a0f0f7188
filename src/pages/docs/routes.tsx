/** The documentation of the API: guides, what the error codes mean, and the reference. */
import { type Context, Hono } from 'hono'
import { raw } from 'hono/html'
import { findAccount, isRecent } from '../../auth/session.ts'
import type { App } from '../../http/context.ts'
import { publicEndpoint, requireSession } from '../../http/endpoint.ts'
import { tokenRateLimit } from '../../http/rate-limit.ts'
import { renewReferenceToken } from '../../identity/reference-token.ts'
import { page } from '../page.tsx'
import { DocsPage, FILE_URL, type GuidePath, guideTitles } from './layout.tsx'
import { Reference } from './reference.tsx'

export const docsRoutes = new Hono<App>()
  .get('/docs', publicEndpoint(), async (c) => {
    const { db, caller, now, settings } = c.var
    const account = await findAccount(db, caller)
    return page(c, {
      title: 'API reference',
      account,
      styles: ['docs.css'],
      scripts: ['samples.js', 'docs.js'],
      children: (
        <DocsPage path="/docs">
          <Reference
            url={settings.PUBLIC_URL}
            account={account}
            canGetToken={!!account && isRecent(account, now)}
          />
        </DocsPage>
      ),
    })
  })
  .get('/docs/first-order', publicEndpoint(), (c) => guidePage(c, '/docs/first-order'))
  .get('/docs/retries', publicEndpoint(), (c) => guidePage(c, '/docs/retries'))
  .get('/docs/delivery', publicEndpoint(), (c) => guidePage(c, '/docs/delivery'))
  .get('/docs/webhooks', publicEndpoint(), (c) => guidePage(c, '/docs/webhooks'))
  .get('/docs/errors', publicEndpoint(), (c) => guidePage(c, '/docs/errors'))
  .get('/docs/runbook', publicEndpoint(), (c) => guidePage(c, '/docs/runbook'))
  .post('/docs/token', requireSession(), tokenRateLimit, async (c) =>
    c.json(await renewReferenceToken(c.var)),
  )

async function guidePage(c: Context<App>, path: GuidePath) {
  const { db, caller, settings } = c.var
  const [account, guide] = await Promise.all([findAccount(db, caller), readGuide(c, path)])
  return page(c, {
    title: guideTitles[path].title,
    account,
    styles: ['docs.css'],
    scripts: ['samples.js'],
    children: (
      <DocsPage path={path}>{raw(guide.replaceAll(FILE_URL, settings.PUBLIC_URL))}</DocsPage>
    ),
  })
}

/** Reads the HTML that scripts/guides has rendered. */
async function readGuide(c: Context<App>, path: GuidePath): Promise<string> {
  // The binding only reads the path of the URL.
  const response = await c.env.ASSETS.fetch(`https://assets.local${path}.fragment`)
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.text()
}
