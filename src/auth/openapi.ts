import * as z from 'zod'
import type { EndpointInfos } from '../http/openapi.ts'

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

export const authEndpoints = {
  'GET /.well-known/jwks.json': {
    tag: 'Identity',
    operationId: 'getSigningKeys',
    summary: 'List the public keys that verify tokens (RFC 7517)',
    answer: JwkSet,
    headers: { 'Cache-Control': 'For how long caches may keep the response.' },
  },
} satisfies EndpointInfos
