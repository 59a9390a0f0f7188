import type { Child } from 'hono/jsx'
import { currentIf } from '../header.tsx'

/** The address of the instance in the texts of the guides and their programs. */
export const FILE_URL = 'http://localhost:8787'

/** The guides, in the order in which a shop needs them. */
export const guides = {
  '/docs/first-order': {
    title: 'First order in five minutes',
    summary: 'Get a token, place an order, read it back.',
  },
  '/docs/retries': {
    title: 'Retrying safely',
    summary: 'Send a call again without placing an order twice.',
  },
  '/docs/delivery': {
    title: 'Following a delivery',
    summary: 'From paid to the wallet of the buyer, and what can stop it.',
  },
  '/docs/webhooks': {
    title: 'Webhooks',
    summary: 'Let the marketplace tell your program what happens to orders.',
  },
  '/docs/errors': {
    title: 'Errors',
    summary: 'What every code means, and what to do.',
  },
} as const

export const guidePaths = Object.keys(guides) as (keyof typeof guides)[]

/** The page for operators. */
const runbook = { '/docs/runbook': { title: 'Runbook' } } as const

export const guideTitles = { ...guides, ...runbook }
export type GuidePath = keyof typeof guideTitles

type DocsPageProps = { path: '/docs' | GuidePath; children: Child }

/** A page of the documentation, with its navigation. On a narrow screen a button opens it. */
export const DocsPage = ({ path, children }: DocsPageProps) => (
  <div class="settings docs">
    <div class="side">
      <button class="button small docs-menu" type="button" popovertarget="docs-nav">
        Contents
      </button>
      <nav id="docs-nav" popover="auto" aria-label="Documentation">
        <p class="eyebrow" id="nav-guides">
          Guides
        </p>
        <ul aria-labelledby="nav-guides">
          {guidePaths.map((guide) => (
            <li>
              <a href={guide} {...currentIf(guide === path)}>
                {guides[guide].title}
              </a>
            </li>
          ))}
        </ul>
        <p class="eyebrow" id="nav-operators">
          Operators
        </p>
        <ul aria-labelledby="nav-operators">
          <li>
            <a href="/docs/runbook" {...currentIf(path === '/docs/runbook')}>
              {runbook['/docs/runbook'].title}
            </a>
          </li>
        </ul>
        <p class="eyebrow" id="nav-reference">
          Reference
        </p>
        <ul id="operations" aria-labelledby="nav-reference">
          <li>
            <a href="/docs" {...currentIf(path === '/docs')}>
              Overview
            </a>
          </li>
        </ul>
      </nav>
    </div>
    <div class="content prose">{children}</div>
  </div>
)
