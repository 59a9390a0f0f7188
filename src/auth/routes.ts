import { Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../http/context.ts'
import { publicEndpoint } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { publicKeys, tokenIssuer } from './tokens.ts'

const Jwk = z
  .object({
    kty: z.literal('OKP').describe(docs('Key type.')),
    crv: z.literal('Ed25519').describe(docs('Curve.')),
    kid: z.string().describe(docs('Key id, as in the header of a token.')),
    x: z.string().describe(docs('The public key, base64url.')),
    alg: z.literal('EdDSA').describe(docs('Signature algorithm.')),
    use: z.literal('sig').describe(docs('The key verifies signatures.')),
  })
  .meta({ id: 'Jwk', description: docs('A public key (RFC 7517).') })
const JwkSet = z
  .object({ keys: z.array(Jwk).describe(docs('The first signs new tokens.')) })
  .meta({ id: 'JwkSet', description: docs('The public keys.') })

export const authRoutes = new Hono<App>().get(
  '/.well-known/jwks.json',
  publicEndpoint({
    tag: 'Identity',
    operationId: 'getSigningKeys',
    summary: docs('List the public keys that verify tokens (RFC 7517)'),
    answer: JwkSet,
    headers: { 'Cache-Control': docs('For how long caches may keep the response.') },
  }),
  (c) =>
    c.json(publicKeys(tokenIssuer(c.var.settings)), 200, {
      'Cache-Control': 'public, max-age=300',
    }),
)
