import { Hono } from 'hono'
import { allowCaching } from '../http/cache-control.ts'
import type { App } from '../http/context.ts'
import { publicEndpoint } from '../http/endpoint.ts'
import { publicKeys, tokenIssuer } from './tokens.ts'

export const authRoutes = new Hono<App>().get(
  '/.well-known/jwks.json',
  publicEndpoint('getSigningKeys'),
  (c) => {
    allowCaching(c, 300)
    return c.json(publicKeys(tokenIssuer(c.var.settings)))
  },
)
