/**
 * Renders the pages of `/docs`, and the index that their search reads. They are the same for
 * everybody, so the Worker reads them from its static files.
 */
import { readFile } from 'node:fs/promises'
import { raw } from 'hono/html'
import { renderMarkdown } from './markdown.ts'
import { guides, operators, overview, readDocument } from './pages.ts'
import {
  type OpenApi,
  OperationLinks,
  operationSections,
  renderOperations,
  type Section,
} from './reference.tsx'
import { type Page, type SearchEntry, searchEntries } from './search.ts'

type Site = { fragments: Record<string, string>; index: SearchEntry[] }

/** Returns the HTML of each page, by its path, and what the search finds. */
export async function renderSite(): Promise<Site> {
  const openapi: OpenApi = JSON.parse(await readFile('docs/openapi.json', 'utf8'))
  const sections = operationSections(openapi)
  const reference = sections.map((section) => ({
    path: section.path,
    title: section.name,
    html: renderOperations(section),
    section,
  }))
  const groups: Record<string, Page[]> = {
    Guides: await readPages(guides),
    Operators: await readPages(operators),
    Reference: [...(await readPages(overview)), ...reference],
  }
  const [first] = groups.Reference ?? []
  if (first) first.html += <OperationLinks sections={sections} />
  const pages = Object.values(groups).flat()
  const withLinks = linkOperations(sections)
  return {
    fragments: Object.fromEntries(
      pages.map((page) => [page.path, withLinks(`${<DocsPage page={page} groups={groups} />}\n`)]),
    ),
    index: pages.flatMap(searchEntries),
  }
}

const readPages = (files: Record<string, string>): Promise<Page[]> =>
  Promise.all(
    Object.entries(files).map(async ([path, file]) => {
      const html = renderMarkdown(await readDocument(file, (target) => target))
      return { path, title: /<h1>(.*)<\/h1>/.exec(html)?.[1] ?? path, html }
    }),
  )

/** Links of texts to `/docs#placeOrders` lead to the page of the operation. */
function linkOperations(sections: readonly Section[]) {
  const paths = new Map(
    sections.flatMap(({ path, id, operations }) => [
      [id, path] as const,
      ...operations.map((operation) => [operation.id, `${path}#${operation.id}`] as const),
    ]),
  )
  return (html: string) =>
    html.replace(/href="(?:http:\/\/localhost:8787)?\/docs#(\w+)"/g, (link, id: string) => {
      const path = paths.get(id)
      return path ? `href="${path}"` : link
    })
}

type DocsPageProps = { page: Page; groups: Record<string, readonly Page[]> }

/** A page with the navigation of the documentation. On a narrow screen buttons open it. */
const DocsPage = ({ page, groups }: DocsPageProps) => {
  const { path, html, section } = page
  const headings = [...html.matchAll(/<h2 id="(.*?)">(.*?)<\/h2>/g)]
  const hasContents = !section && headings.length > 1
  return (
    <div class={`settings docs ${section ? 'reference' : ''}`}>
      <div class="side">
        <Search />
        <button class="button small docs-menu" type="button" popovertarget="docs-nav">
          Contents
        </button>
        {hasContents && (
          <button class="button small docs-menu" type="button" popovertarget="on-this-page">
            On this page
          </button>
        )}
        <nav id="docs-nav" popover="auto" aria-label="Documentation">
          {Object.entries(groups).map(([name, pages]) => (
            <>
              <p class="eyebrow" id={`nav-${name}`}>
                {name}
              </p>
              <ul aria-labelledby={`nav-${name}`}>
                {pages.map((link) => (
                  <li>
                    <a href={link.path} {...(link === page && { 'aria-current': 'page' })}>
                      {link.path === '/docs' ? 'Overview' : link.title}
                    </a>
                    {link === page && section && <Operations section={section} />}
                  </li>
                ))}
              </ul>
            </>
          ))}
        </nav>
      </div>
      <div class="content prose">{raw(html)}</div>
      {hasContents && (
        <nav id="on-this-page" class="toc" popover="auto" aria-label="On this page">
          <p class="eyebrow" aria-hidden="true">
            On this page
          </p>
          <ul>
            {headings.map(([, id, text = '']) => (
              <li>
                <a href={`${path}#${id}`}>{raw(text)}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  )
}

/** `docs.js` shows it. */
const Search = () => (
  <search class="docs-search" hidden>
    <input
      type="search"
      aria-label="Search the documentation"
      placeholder="Search"
      autocomplete="off"
      spellcheck={false}
    />
    <p class="visually-hidden" role="status" />
    <ul hidden />
  </search>
)

const Operations = ({ section: { path, operations } }: { section: Section }) => (
  <ul class="operation-links">
    {operations.map(({ id, title }) => (
      <li>
        <a href={`${path}#${id}`}>{title}</a>
      </li>
    ))}
  </ul>
)
