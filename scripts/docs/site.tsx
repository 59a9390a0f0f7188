/**
 * Renders the pages of `/docs`. They are the same for everybody, so the Worker reads them from its
 * static files.
 */
import { readFile } from 'node:fs/promises'
import { raw } from 'hono/html'
import { renderMarkdown } from './markdown.ts'
import { EVENTS, type OpenApi, renderReference, tagId } from './reference.tsx'

/** The files of the guides, by path, in the order in which a shop needs them. */
const guides = {
  '/docs/first-order': 'docs/guides/first-order.md',
  '/docs/retries': 'docs/guides/retries.md',
  '/docs/delivery': 'docs/guides/delivery.md',
  '/docs/webhooks': 'docs/guides/webhooks.md',
  '/docs/refunds': 'docs/guides/refunds.md',
  '/docs/errors': 'docs/errors.md',
}
const operators = { '/docs/runbook': 'docs/runbook.md' }
const reference = { '/docs': 'docs/guides/README.md' }

type Page = { path: string; title: string; html: string }

/** Returns the HTML of each page, by its path. */
export async function renderSite(): Promise<Record<string, string>> {
  const openapi: OpenApi = JSON.parse(await readFile('docs/openapi.json', 'utf8'))
  const groups = {
    Guides: await readPages(guides),
    Operators: await readPages(operators),
    Reference: await readPages(reference),
  }
  const sections = [...openapi.tags.map(({ name }) => name), EVENTS]
  const links = sections.map((title) => ({ path: `/docs#${tagId(title)}`, title }))
  const operations = renderReference(openapi)
  const pages = Object.values(groups).flat()
  return Object.fromEntries(
    pages.map(({ path, html }) => {
      const nav = { ...groups, Reference: [{ path: '/docs', title: 'Overview' }, ...links] }
      const content = path === '/docs' ? html + operations : html
      return [path, `${<DocsPage path={path} nav={nav} html={content} />}\n`]
    }),
  )
}

const readPages = (files: Record<string, string>): Promise<Page[]> =>
  Promise.all(
    Object.entries(files).map(async ([path, file]) => {
      const html = renderMarkdown(await readFile(file, 'utf8'))
      return { path, title: /<h1>(.*)<\/h1>/.exec(html)?.[1] ?? path, html }
    }),
  )

type DocsPageProps = {
  path: string
  nav: Record<string, readonly Omit<Page, 'html'>[]>
  html: string
}

/** A page with the navigation of the documentation. On a narrow screen a button opens it. */
const DocsPage = ({ path, nav, html }: DocsPageProps) => (
  <div class="settings docs">
    <div class="side">
      <button class="button small docs-menu" type="button" popovertarget="docs-nav">
        Contents
      </button>
      <nav id="docs-nav" popover="auto" aria-label="Documentation">
        {Object.entries(nav).map(([name, links]) => (
          <>
            <p class="eyebrow" id={`nav-${name}`}>
              {name}
            </p>
            <ul aria-labelledby={`nav-${name}`}>
              {links.map((link) => (
                <li>
                  <a href={link.path} {...(link.path === path && { 'aria-current': 'page' })}>
                    {link.title}
                  </a>
                </li>
              ))}
            </ul>
          </>
        ))}
      </nav>
    </div>
    <div class="content prose">{raw(html)}</div>
  </div>
)
