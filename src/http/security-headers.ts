import { createMiddleware } from 'hono/factory'

/** API responses are not pages: pages and pictures set their own policy. */
const defaults = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'strict-transport-security': 'max-age=15552000; includeSubDomains',
  'x-content-type-options': 'nosniff',
}

/** Sets the security headers that a response does not set itself. */
export const setSecurityHeaders = createMiddleware(async (c, next) => {
  await next()
  const { headers } = c.res
  for (const [name, value] of Object.entries(defaults))
    if (!headers.has(name)) headers.set(name, value)
})
