/** The Hono app: the middleware in the order in which it runs, then the routes of every folder. */
import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { addressRoutes } from './addresses/routes.ts'
import { administratorRoutes } from './admin/administrators/routes.tsx'
import { auditRoutes } from './admin/audit/routes.tsx'
import { importRoutes } from './admin/catalogue/routes.tsx'
import { detailsRoutes } from './admin/details/routes.tsx'
import { listRoutes } from './admin/lists/routes.tsx'
import { overviewRoutes } from './admin/overview/routes.tsx'
import { recordRoutes } from './admin/records/routes.tsx'
import { reviewRoutes } from './admin/review/routes.tsx'
import { searchRoutes } from './admin/search/routes.tsx'
import { shopRoutes } from './admin/shops/routes.tsx'
import { transferRoutes } from './admin/transfers/routes.tsx'
import { artRoutes } from './art/routes.ts'
import { authenticate, recordTokenUse } from './auth/authenticate.ts'
import { authRoutes } from './auth/routes.ts'
import { avatarRoutes } from './avatars/routes.ts'
import { catalogueRoutes } from './catalogue/routes.ts'
import { contentRoutes } from './content/routes.ts'
import { creatorRoutes } from './creators/routes.ts'
import { deliveryRoutes } from './delivery/actions/routes.ts'
import { webhookRoutes } from './events/routes.ts'
import type { App } from './http/context.ts'
import { errorResponse, notFound, onError } from './http/error-response.ts'
import { ApiError } from './http/errors.ts'
import { allowCors, controlCaching } from './http/headers.ts'
import { rateLimit } from './http/rate-limit.ts'
import { requestContext } from './http/request-context.ts'
import { requestLog } from './http/request-log.ts'
import { marketplaceRoutes } from './marketplace/routes.ts'
import { answerUnavailable, monitoringRoutes } from './monitoring/routes.ts'
import { orderRoutes, setErrorFields } from './orders/routes.ts'
import { accountRoutes } from './pages/account/routes.tsx'
import { addressBookRoutes } from './pages/addresses/routes.tsx'
import { apiAccessRoutes } from './pages/api-access/routes.tsx'
import { claimRoutes } from './pages/claim/routes.tsx'
import { contentPageRoutes } from './pages/content/routes.tsx'
import { createRoutes } from './pages/create/routes.tsx'
import { docsRoutes } from './pages/docs/routes.tsx'
import { errorPages } from './pages/error-pages.tsx'
import { homeRoutes } from './pages/home/routes.tsx'
import { languageRoutes } from './pages/language/routes.ts'
import { mailRoutes } from './pages/mails/routes.tsx'
import { nftRoutes } from './pages/nfts/routes.tsx'
import { orderPageRoutes } from './pages/orders/routes.tsx'
import { phoneRoutes } from './pages/phone/routes.tsx'
import { profileRoutes } from './pages/profile/routes.tsx'
import { sellingRoutes } from './pages/selling/routes.tsx'
import { sessionRoutes } from './pages/sessions/routes.tsx'
import { signInRoutes } from './pages/sign-in/routes.tsx'
import { sitemapRoutes } from './pages/sitemap/routes.ts'
import { walletRoutes } from './pages/wallet/routes.ts'
import { webhookPageRoutes } from './pages/webhooks/routes.tsx'
import { personalDataRoutes } from './personal-data/routes.ts'
import { reservationRoutes } from './reservations/routes.ts'

const app = new Hono<App>()
app.onError(onError)
app.notFound(notFound)
app.use(controlCaching)
// No id of a caller is that short, so the id is always our own.
app.use(requestId({ limitLength: 0 }))
app.use(requestLog)
app.use(
  secureHeaders({
    // API responses are not pages. Pages set their own policy.
    contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    overwrite: false,
    // These are only for pages, part of the policy above, or obsolete.
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
app.use('/api/externalOrders/*', setErrorFields)
app.use('/health', answerUnavailable)
app.use(errorPages)
app.use(allowCors)
app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => {
      const Allow = methods.join(', ')
      const message = `this path accepts ${Allow}`
      return errorResponse(c, new ApiError('method_not_allowed', message, { Allow }))
    },
  }),
)
app.use(requestContext)
app.use(authenticate)
app.use(rateLimit)
app.use(recordTokenUse)

const endpoints = [
  authRoutes,
  addressRoutes,
  marketplaceRoutes,
  avatarRoutes,
  artRoutes,
  orderRoutes,
  reservationRoutes,
  webhookRoutes,
  deliveryRoutes,
  catalogueRoutes,
  contentRoutes,
  creatorRoutes,
  monitoringRoutes,
  personalDataRoutes,
  walletRoutes,
  homeRoutes,
  nftRoutes,
  orderPageRoutes,
  languageRoutes,
  claimRoutes,
  contentPageRoutes,
  phoneRoutes,
  mailRoutes,
  docsRoutes,
  sitemapRoutes,
  signInRoutes,
  profileRoutes,
  addressBookRoutes,
  accountRoutes,
  sellingRoutes,
  createRoutes,
  sessionRoutes,
  apiAccessRoutes,
  overviewRoutes,
  transferRoutes,
  detailsRoutes,
  recordRoutes,
  reviewRoutes,
  listRoutes,
  searchRoutes,
  shopRoutes,
  importRoutes,
  auditRoutes,
  administratorRoutes,
  webhookPageRoutes,
]
for (const { routes } of endpoints) app.route('/', routes)

export default app
