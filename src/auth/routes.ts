import { allowCaching } from '../http/cache-control.ts'
import { Endpoints } from '../http/endpoint.ts'
import { publicKeys, tokenIssuer } from './tokens.ts'

export const authRoutes = new Endpoints().get(
  '/.well-known/jwks.json',
  { id: 'getSigningKeys', access: 'public', reads: 'nearest' },
  (c) => {
    allowCaching(c, 300)
    return c.json(publicKeys(tokenIssuer(c.var.settings)))
  },
)
