import type { Child } from 'hono/jsx'
import { currentIf } from '../header.tsx'

type OperationsPageProps = {
  path: '/operations' | '/operations/audit' | null
  /** What is searched for. */
  q?: string
  /** What the previous page has done. */
  notice?: Child
  children: Child
}

const links = [
  ['/operations', 'Overview'],
  ['/operations/audit', 'Audit log'],
] as const

/** What all pages for operators have: the search and the links. */
export const OperationsPage = ({ path, q, notice, children }: OperationsPageProps) => (
  <div class="flow operations">
    <div class="page-head">
      {path === '/operations' ? <h1>Operations</h1> : <p class="eyebrow">Operations</p>}
      <search>
        <form method="get" action="/operations/search" class="search">
          <input
            type="search"
            name="q"
            value={q}
            required
            maxlength={255}
            autocomplete="off"
            spellcheck={false}
            aria-label="Search"
            placeholder="Id, order number, wallet, hash, key"
          />
          <button class="button" type="submit">
            Search
          </button>
        </form>
      </search>
    </div>
    <nav class="tabs" aria-label="Operations">
      <ul>
        {links.map(([href, name]) => (
          <li>
            <a href={href} {...currentIf(href === path)}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    {notice && (
      <p class="notice" role="status">
        {notice}
      </p>
    )}
    {children}
  </div>
)
