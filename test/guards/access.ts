import type { Guard } from './guard.ts'

/** Who may do what: tokens, roles, scopes, sessions, and requests of other sites. */
export const access: Guard[] = [
  {
    name: 'a user token may not act for another user',
    code: 'src/auth/access.ts: requireAccessTo',
    broken: { condition: 'userId', becomes: false },
    test: 'test/authorization.test.ts: answers each caller as its row says',
  },
  {
    name: 'endpoints for master tokens refuse user tokens',
    code: 'src/http/endpoint.ts: requireAccess',
    broken: { condition: 'role', becomes: false },
    test: 'test/authorization.test.ts: answers each caller as its row says',
  },
  {
    name: 'a replica refuses nothing',
    code: 'src/http/endpoint.ts: answer',
    broken: { condition: 'mayBeStale', becomes: true },
    test: 'test/http/replicas.test.ts: asks the primary about a token that the replica does not know',
  },
  {
    name: 'a read-only token changes nothing',
    code: 'src/http/endpoint.ts: requireAccess',
    broken: { condition: 'safeMethods', becomes: false },
    test: 'test/authorization.test.ts: answers each caller as its row says',
  },
  {
    name: 'a token for metrics reads nothing else',
    code: 'src/http/endpoint.ts: requireAccess',
    broken: { condition: 'scope metrics', becomes: false },
    test: 'test/authorization.test.ts: answers each caller as its row says',
  },
  {
    name: 'a token of a shop reaches no other endpoint',
    code: 'src/http/endpoint.ts: requireAccess',
    broken: { condition: 'scope orders', becomes: false },
    test: 'test/authorization.test.ts: answers each caller as its row says',
  },
  {
    name: 'a session endpoint refuses API tokens',
    code: 'src/auth/access.ts: callerGuards',
    broken: { condition: 'isSessionSql', becomes: true },
    test: 'test/authorization.test.ts: answers each caller as its row says',
  },
  {
    name: 'pages of operators are for administrators',
    code: 'src/auth/access.ts: readAs',
    broken: { condition: 'roleId', becomes: false },
    test: 'test/authorization.test.ts: answers each caller as its row says',
  },
  {
    name: 'a revoked token is refused',
    code: 'src/auth/access.ts: liveToken',
    broken: { condition: 'revokedAt', becomes: true },
    test: 'test/auth/session.test.ts: ends at sign-out, even for a copy of the cookie',
  },
  {
    name: 'a cached token expires',
    code: 'src/auth/tokens.ts: verifyToken',
    broken: { condition: 'expiresAt', becomes: true },
    test: 'test/auth/tokens.test.ts: verifies the signature once, and the expiry each time',
  },
  {
    name: 'a token of a removed key is refused',
    code: 'src/auth/tokens.ts: verifyToken',
    broken: { condition: 'issuer.keys', becomes: true },
    test: 'test/auth/tokens.test.ts: does not accept a cached token for another issuer or other keys',
  },
  {
    name: 'other sites cannot use the cookie to change something',
    code: 'src/auth/authenticate.ts: authenticate',
    broken: { condition: 'safeMethods', becomes: false },
    test: 'test/authorization.test.ts: the cookie in requests from other sites',
  },
  {
    name: 'other sites cannot sign somebody in',
    code: 'src/auth/authenticate.ts: requireSameOrigin',
    broken: { condition: 'isOwnSite origin', becomes: false },
    test: 'test/identity/wallet.test.ts: rejects requests of other sites',
  },
  {
    name: 'a form of another site is not taken for JSON',
    code: 'src/http/body.ts: jsonBody',
    broken: { condition: 'authorization', becomes: false },
    test: 'test/http/json.test.ts: rejects a body without a media type with 415',
  },
  {
    name: 'a batch with a guard that holds writes nothing',
    code: 'src/db/batch.ts: guardSql',
    broken: { condition: 'when', becomes: false },
    test: 'test/db/batch.test.ts: writes nothing and throws the error of the first guard whose condition holds',
  },
  {
    name: 'a stolen session cannot appoint an administrator',
    code: 'src/admin/administrators/administrators.ts: setAdministrator',
    broken: { without: 'refuseOldSignIn' },
    test: 'test/admin/administrators.test.ts: asks for a recent sign-in',
  },
  {
    name: 'the audit log as a file has no formulas',
    code: 'src/http/spreadsheet.ts: toCell',
    broken: { condition: 'formula', becomes: false },
    test: 'test/admin/audit.test.ts: has no text that a spreadsheet takes for a formula',
  },
  {
    name: 'the billing address of an order is for its buyer',
    code: 'src/orders/reading/history.ts: selectBilling',
    broken: { condition: 'buyerId', becomes: true },
    test: 'test/pages/orders.test.ts: shows a seller the order without the billing address',
  },
  {
    name: 'a seller changes own listings, and not those of others',
    code: 'src/catalogue/change.ts: sourceOf',
    broken: { condition: 'sellerId owner', becomes: true },
    test: 'test/pages/selling.test.ts: shows a listing and its form to its seller, and to nobody else',
  },
  {
    name: 'a seller tries again what they have sold, and not what others have',
    code: 'src/pages/selling/selling.ts: newestSold',
    broken: { condition: 'sellerId', becomes: true },
    test: 'test/pages/selling.test.ts: tries nothing that others have sold',
  },
]
