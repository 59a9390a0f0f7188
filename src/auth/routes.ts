import { Endpoints } from '../http/endpoint.ts'
import { cacheControl } from '../http/headers.ts'
import { JwkSet, publicKeys, tokenIssuer } from './tokens.ts'

export const authRoutes = new Endpoints().get(
  '/.well-known/jwks.json',
  {
    id: 'getSigningKeys',
    tag: 'Identity',
    summary: 'List the public keys that verify tokens (RFC 7517)',
    access: 'public',
    reads: 'nearest',
    cache: cacheControl(300),
    answer: JwkSet,
  },
  (c) => publicKeys(tokenIssuer(c.var.settings)),
)
