import { Hono } from 'hono'
import * as z from 'zod'
import { allowCaching } from '../http/cache-control.ts'
import type { App } from '../http/context.ts'
import { publicEndpoint } from '../http/endpoint.ts'
import { describeOperations } from '../http/openapi.ts'
import { publicKeys, tokenIssuer } from './tokens.ts'

export const authRoutes = new Hono<App>().get(
  '/.well-known/jwks.json',
  publicEndpoint('getSigningKeys'),
  (c) => {
    allowCaching(c, 300)
    return c.json(publicKeys(tokenIssuer(c.var.settings)))
  },
)

/* @__PURE__ */ describeOperations('Identity', () => {
  const Jwk = z
    .object({
      kty: z.literal('OKP').describe('Key type.'),
      crv: z.literal('Ed25519').describe('Curve.'),
      kid: z.string().describe('Key id, as in the header of a token.'),
      x: z.string().describe('The public key, base64url.'),
      alg: z.literal('EdDSA').describe('Signature algorithm.'),
      use: z.literal('sig').describe('The key verifies signatures.'),
    })
    .meta({ id: 'Jwk', description: 'A public key (RFC 7517).' })
  const JwkSet = z
    .object({ keys: z.array(Jwk).describe('The first signs new tokens.') })
    .meta({ id: 'JwkSet', description: 'The public keys.' })
  return {
    getSigningKeys: {
      summary: 'List the public keys that verify tokens (RFC 7517)',
      answer: JwkSet,
      headers: { 'Cache-Control': 'For how long caches may keep the response.' },
    },
  }
})
