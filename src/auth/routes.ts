import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import { publicEndpoint } from '../http/endpoint.ts'
import { issuerOf, publicKeys } from './tokens.ts'

export const authRoutes = new Hono<App>().get('/.well-known/jwks.json', publicEndpoint(), (c) =>
  c.json(publicKeys(issuerOf(c.var.settings)), 200, { 'Cache-Control': 'public, max-age=300' }),
)
