/**
 * Renders the guides of `/docs` to HTML. They are the same for everybody, so the Worker reads them
 * from its static files instead of carrying their texts.
 */
import type { Child } from 'hono/jsx'
import type { GuidePath } from '../../src/site/docs/layout.tsx'
import { ErrorReference } from './errors.tsx'
import { FirstOrder } from './first-order.tsx'
import { Following } from './following.tsx'
import { Retries } from './retries.tsx'
import { renderRunbook } from './runbook.ts'
import { readPrograms } from './samples.tsx'

/** Returns the HTML of each guide, by its path. */
export async function renderGuides(): Promise<Record<GuidePath, string>> {
  const [place, read, retry, follow] = await Promise.all(
    ['place', 'read', 'retry', 'follow'].map(readPrograms),
  )
  if (!place || !read || !retry || !follow) throw new Error('a program was not read')
  return {
    '/docs/first-order': html(<FirstOrder place={place} read={read} />),
    '/docs/retries': html(<Retries retry={retry} />),
    '/docs/delivery': html(<Following follow={follow} />),
    '/docs/errors': html(<ErrorReference />),
    '/docs/runbook': await renderRunbook(),
  }
}

const html = (guide: Child): string => `${guide}\n`
