/** The start page. */
import { Hono } from 'hono'
import { findAccount } from '../../auth/session.ts'
import type { App } from '../../http/context.ts'
import { publicEndpoint } from '../../http/endpoint.ts'
import { cachedResult } from '../../marketplace/cached.ts'
import { readHome } from '../../marketplace/home.ts'
import { page } from '../page.tsx'
import { HomePage } from './views.tsx'

/** Routes of the home page. */
export const homeRoutes = new Hono<App>().get('/', publicEndpoint(), async (c) => {
  const { db, caller, settings, now } = c.var
  const [account, { data }] = await Promise.all([
    findAccount(db, caller),
    cachedResult('home', now, () => readHome({ db, now })),
  ])
  return page(c, {
    title: 'Digital collectibles',
    account,
    children: (
      <HomePage {...data} isSignedIn={!!account} coversUrl={settings.COVERS_URL} now={now} />
    ),
  })
})
