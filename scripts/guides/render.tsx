/**
 * Renders the guides of `/docs` to HTML. They are the same for everybody, so the Worker reads them
 * from its static files instead of carrying their texts.
 */
import type { Child } from 'hono/jsx'
import type { GuidePath } from '../../src/pages/docs/layout.tsx'
import { ErrorReference } from './errors.tsx'
import { FirstOrder } from './first-order.tsx'
import { Following } from './following.tsx'
import { Retries } from './retries.tsx'
import { renderRunbook } from './runbook.ts'
import { readPrograms } from './samples.tsx'
import { Webhooks } from './webhooks.tsx'

/** Returns the HTML of each guide, by its path. */
export async function renderGuides(): Promise<Record<GuidePath, string>> {
  const [place, read, retry, follow, create, receive] = await Promise.all([
    readPrograms('place'),
    readPrograms('read'),
    readPrograms('retry'),
    readPrograms('follow'),
    readPrograms('webhook'),
    readPrograms('receive'),
  ])
  return {
    '/docs/first-order': html(<FirstOrder place={place} read={read} />),
    '/docs/retries': html(<Retries retry={retry} />),
    '/docs/delivery': html(<Following follow={follow} />),
    '/docs/webhooks': html(<Webhooks create={create} receive={receive} />),
    '/docs/errors': html(<ErrorReference />),
    '/docs/runbook': await renderRunbook(),
  }
}

const html = (guide: Child): string => `${guide}\n`
