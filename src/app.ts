/** The API: what a request meets, in this order. */
import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { addresses } from './addresses/routes.ts'
import { avatars } from './avatars/routes.ts'
import { type App, context } from './http/context.ts'
import { crossOrigin } from './http/cross-origin.ts'
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

const app = new Hono<App>()
app.onError(onError)
app.notFound(notFound)
app.use(requestId())
app.use(log)
app.use(
  secureHeaders({
    // Nothing that the API answers is a page; what is one brings its own policy.
    contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    overwrite: false,
    // For pages only, said by the policy above, or meant for browsers and plug-ins that are gone.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    referrerPolicy: false,
    removePoweredBy: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  }),
)
app.use(refusalPages)
app.use(crossOrigin)
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
  .route('/', identity)
  .route('/', addresses)
  .route('/', marketplace)
  .route('/', avatars)
  .route('/', orders)
  .route('/', transfers)
  .route('/', signInPages)
  .route('/', accountPages)
  .route('/', apiAccessPages)
  .route('/', openapi(app))

/**
 * Every endpoint with its types, for `hc` of hono/client.
 *
 * @public
 */
export type Api = typeof api

export default api
