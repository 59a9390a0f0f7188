/** The API: what a request meets, in this order. */
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { addresses } from './addresses/routes.ts'
import { avatars } from './avatars/routes.ts'
import { connect } from './db/client.ts'
import { settingsOf } from './env.ts'
import type { App } from './http/context.ts'
import { ApiError, answer, notFound, onError } from './http/errors.ts'
import { rateLimit } from './http/limit.ts'
import { log } from './http/log.ts'
import { openapi } from './http/openapi/routes.ts'
import { authenticate } from './identity/caller.ts'
import { noteUse } from './identity/last-used.ts'
import { identity } from './identity/routes.ts'
import { marketplace } from './marketplace/routes.ts'
import { orders } from './orders/routes.ts'
import { accountPages } from './site/account/routes.tsx'
import { apiAccessPages } from './site/api-access/routes.tsx'
import { refusalPages } from './site/refusals.tsx'
import { signInPages } from './site/sign-in/routes.tsx'
import { transfers } from './transfers/routes.ts'

/**
 * Reads go to the replica nearest to the caller that is at least as new as the caller's
 * `x-d1-bookmark`; the answer carries the next one. What writes begins at the primary, so that
 * what it decides by is not out of date.
 */
const context = createMiddleware<App>(async (c, next) => {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  // Nor has a browser a bookmark to carry from page to page.
  const isApi = c.req.path.startsWith('/api/')
  const nearest = c.req.header('x-d1-bookmark') ?? 'first-unconstrained'
  const session = c.env.DB.withSession(isRead && isApi ? nearest : 'first-primary')
  const trips = { count: 0 }
  c.set('settings', settingsOf(c.env))
  c.set('now', new Date())
  c.set('trips', trips)
  c.set('db', connect(session, trips))
  await next()
  const bookmark = session.getBookmark()
  // Not on what a cache gives to others, whose own bookmark may be newer.
  const isShared = c.res.headers.get('cache-control')?.startsWith('public')
  if (bookmark && !isShared) c.header('x-d1-bookmark', bookmark)
})

const app = new Hono<App>()
app.onError(onError)
app.notFound(notFound)
app.use(requestId())
app.use(log)
app.use(
  secureHeaders({
    // Nothing that the API answers is a page; what is one brings its own policy.
    contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    // With `no-referrer`, browsers would send `Origin: null` with the pages' own forms.
    referrerPolicy: 'same-origin',
    overwrite: false,
  }),
)
app.use(refusalPages)
app.use(
  cors({
    // Without `credentials`: other sites call with a token, never with a visitor's cookie.
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    maxAge: 24 * 60 * 60,
    exposeHeaders: [
      'Allow',
      'Idempotent-Replayed',
      'Retry-After',
      'Server-Timing',
      'WWW-Authenticate',
      'X-D1-Bookmark',
      'X-Request-Id',
    ],
  }),
)
app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) =>
      answer(
        c,
        new ApiError('method_not_allowed', `this path takes ${methods.join(', ')}`, {
          Allow: methods.join(', '),
        }),
      ),
  }),
)
app.use(context)
app.use(authenticate)
app.use(rateLimit)
app.use(noteUse)

const api = app
  .route('/', openapi(app))
  .route('/', identity)
  .route('/', addresses)
  .route('/', marketplace)
  .route('/', avatars)
  .route('/', orders)
  .route('/', transfers)
  .route('/', signInPages)
  .route('/', accountPages)
  .route('/', apiAccessPages)

/** Every endpoint with its types, for `hc` of hono/client. */
export type Api = typeof api

export default api
