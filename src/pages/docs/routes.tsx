/** The documentation of the API: guides, what the error codes mean, and the reference. */
import type { Context } from 'hono'
import { etag } from 'hono/etag'
import { raw } from 'hono/html'
import type { App } from '../../http/context.ts'
import { Endpoints } from '../../http/endpoint.ts'
import { cacheControl } from '../../http/headers.ts'
import { tokenRateLimit } from '../../http/rate-limit.ts'
import { renewReferenceToken } from '../../identity/api-tokens.ts'
import { Preview } from '../components/nfts.tsx'
import { page, sent, shown, withAccount } from '../page.tsx'
import { textOf } from './text-of.ts'

/** The address of the instance in the texts of the documentation. */
const FILE_URL = 'http://localhost:8787'

/** The types of texts that programs read, by how their paths end. */
const textTypes: Record<string, string> = {
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
}

/** Declares a text that programs read. */
const text = { ...shown.public({}), cache: cacheControl(60) }

export const docsRoutes = new Endpoints()
  .get('/openapi.json', { ...text, middleware: [etag()] }, docsText)
  .get('/llms.txt', text, docsText)
  .get('/docs.md', text, docsText)
  .get('/docs', shown.public({}), docsPage)
  .get('/docs/:guide', shown.public({}), (c) =>
    c.req.path.endsWith('.md') ? docsText(c) : docsPage(c),
  )
  .post('/docs/token', { ...sent.session({}), checks: [tokenRateLimit] }, async (c) =>
    c.json(await renewReferenceToken(c.var)),
  )

/** Returns what `scripts/build/docs` has written for the path of the request; null if it is nothing. */
async function readText(c: Context<App>): Promise<string | null> {
  // The binding only reads the path of the URL.
  const response = await c.env.ASSETS.fetch(`https://assets.local${c.req.path}.fragment`)
  if (!response.ok) return null
  return (await response.text()).replaceAll(FILE_URL, c.var.settings.PUBLIC_URL)
}

/** Answers with the OpenAPI document, or with a text in Markdown. */
async function docsText(c: Context<App>) {
  const content = await readText(c)
  if (content === null) return c.notFound()
  return c.body(content, 200, {
    'Content-Type': textTypes[c.req.path.split('.').at(-1) ?? ''] ?? '',
  })
}

/** Answers with a page. The Markdown of a guide is at the same path with `.md`. */
async function docsPage(c: Context<App>) {
  const [account, html] = await withAccount(c, readText(c))
  if (html === null) return c.notFound()
  const title = /<h1>(.*)<\/h1>/.exec(html)?.[1] ?? 'Documentation'
  const [, lead = title] = /<p>(.*?)<\/p>/s.exec(html) ?? []
  const head = (
    <>
      <Preview title={title} description={textOf(lead)} path={c.req.path} />
      {!c.req.path.startsWith('/docs/api-') && (
        <link rel="alternate" type="text/markdown" href={`${c.req.path}.md`} />
      )}
    </>
  )
  // Those that it imports are named so that they load at the same time.
  const scripts = ['copy.js', 'samples.js', 'docs.js']
  return page(c, { title, account, head, styles: ['docs.css'], scripts }, raw(html))
}
