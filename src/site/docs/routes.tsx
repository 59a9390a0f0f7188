/** The API reference: Swagger UI, which reads `/openapi.json`. */
import { Hono } from 'hono'
import { findAccount } from '../../auth/session.ts'
import type { App } from '../../http/context.ts'
import { publicEndpoint } from '../../http/endpoint.ts'
import { page } from '../page.tsx'

export const docsRoutes = new Hono<App>().get('/docs', publicEndpoint(), async (c) =>
  page(c, {
    title: 'API reference',
    account: await findAccount(c.var.db, c.var.caller),
    styles: ['swagger-ui/swagger-ui.css'],
    scripts: ['docs.js'],
    children: (
      <>
        <h1 class="visually-hidden">API reference</h1>
        <div id="reference" />
        <noscript>
          This page needs JavaScript. The API is also described in{' '}
          <a href="/openapi.json">/openapi.json</a>.
        </noscript>
      </>
    ),
  }),
)
