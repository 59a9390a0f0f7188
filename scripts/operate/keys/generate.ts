/** New values of the secrets. */
import { randomBytes } from 'node:crypto'
import { generateX25519Identity } from 'age-encryption'
import { generatePrivateKey } from 'viem/accounts'
import { generateSigningKey } from './signing-key.ts'

const generateKeySet = async () => JSON.stringify({ keys: [await generateSigningKey()] })

export const generators = {
  JWT_KEYS: generateKeySet,
  DELIVERY_KEY_SECRET: async () => randomBytes(32).toString('hex'),
  /** One relayer, a new account. */
  TRANSFER_SIGNER_KEYS: async (): Promise<string> => generatePrivateKey(),
  /** A secret key of age. */
  BACKUP_KEY: generateX25519Identity,
}
