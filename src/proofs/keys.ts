/**
 * Proofs are signed with keys of their own, and with a `typ` and an audience of their own: no proof
 * is a token, and no token a proof. See docs/decisions.md, "Proofs".
 */
import { type JWTPayload, SignJWT } from 'jose'
import type { Settings } from '../env.ts'

/** The `aud` of a proof: those who check it, whoever they are. */
export const AUDIENCE = 'delivery-proof'

/** Returns the JWS of a proof (RFC 7515, compact). Ed25519 is deterministic. */
export const signProof = ({ PROOF_KEYS }: Settings, proof: JWTPayload): Promise<string> => {
  const [key] = PROOF_KEYS.keys
  return new SignJWT(proof)
    .setProtectedHeader({ alg: 'EdDSA', typ: 'delivery-proof+jwt', kid: key.kid })
    .sign(key)
}
