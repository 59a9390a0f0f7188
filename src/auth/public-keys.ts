/** Public keys, which verify what the marketplace has signed. */
import * as z from 'zod'
import type { PublicKey } from '../env.ts'

const Jwk = z
  .object({
    kty: z.literal('OKP').describe('Key type.'),
    crv: z.literal('Ed25519').describe('Curve.'),
    kid: z.string().describe('Key id, as in the header of what it has signed.'),
    x: z.string().describe('The public key, base64url.'),
    alg: z.literal('EdDSA').describe('Signature algorithm.'),
    use: z.literal('sig').describe('The key verifies signatures.'),
  })
  .meta({ id: 'Jwk', description: 'A public key (RFC 7517).' })

export const JwkSet = z
  .object({ keys: z.array(Jwk).describe('The first one signs.') })
  .meta({ id: 'JwkSet', description: 'The public keys.' })

type Keys = { keys: readonly PublicKey[] }

/** Returns the JWK set with the public keys (RFC 7517). */
export const publicKeys = ({ keys }: Keys): z.infer<typeof JwkSet> => ({
  keys: keys.map(({ kty, crv, kid, x }) => ({ kty, crv, kid, x, alg: 'EdDSA', use: 'sig' })),
})
