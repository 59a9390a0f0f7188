import * as z from 'zod'
import { count, id, text } from '../../../src/http/fields.ts'
import { MESSAGE_LIFETIME } from '../../../src/identity/wallet.ts'
import type { Operations } from '../operation.ts'

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
const JwkSet = z
  .object({ keys: z.array(Jwk).describe('The first one signs.') })
  .meta({ id: 'JwkSet', description: 'The public keys.' })

export const identityOperations: Operations = {
  requestWalletMessage: {
    summary: 'Request a message for a wallet to sign (EIP-4361)',
    description: `It works for ${MESSAGE_LIFETIME / 60_000} minutes, in the same browser: the response sets the cookie \`wallet\`, which the next call must send.`,
    answer: z
      .object({ message: text('The message to sign.') })
      .meta({ id: 'WalletMessage', description: 'The message for the wallet.' }),
  },
  signInWithWallet: {
    summary: 'Sign in with a wallet',
    description: 'A new wallet creates a user. The session is the cookie `token`.',
    answer: z
      .object({ userId: id('The id of the signed-in user.') })
      .meta({ id: 'SignedIn', description: 'The user who signed in.' }),
    errors: ['unauthenticated', 'forbidden', 'chain_unavailable'],
  },
  linkWallet: {
    summary: 'Link a wallet to the account',
    description:
      'Starts the transfers that waited for a wallet. The sign-in must not be older than 10 minutes.',
    answer: z
      .object({
        userId: id('The id of the signed-in user.'),
        transfers: count('How many order items waited for the wallet and are transferred now.'),
      })
      .meta({ id: 'LinkedWallet', description: 'The wallet is linked.' }),
    errors: ['forbidden', 'reauthentication_required', 'conflict', 'chain_unavailable'],
  },
  getSigningKeys: {
    summary: 'List the public keys that verify tokens (RFC 7517)',
    answer: JwkSet,
    headers: { 'Cache-Control': 'For how long caches may keep the response.' },
  },
  getProofKeys: {
    summary: 'List the public keys that verify proofs of deliveries (RFC 7517)',
    description:
      'The first one signs. Those before it stay, so that their proofs can be verified for ever.',
    answer: JwkSet,
    headers: { 'Cache-Control': 'For how long caches may keep the response.' },
  },
}
