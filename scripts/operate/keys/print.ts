/** Prints a new secret, and as an error message what is public of it. */
import { identityToRecipient } from 'age-encryption'
import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { generators } from './generate.ts'

const names = {
  jwt: 'JWT_KEYS',
  delivery: 'DELIVERY_KEY_SECRET',
  codes: 'CODE_KEYS',
  relayer: 'TRANSFER_SIGNER_KEYS',
  backup: 'BACKUP_KEY',
} as const

export async function printKey(kind: keyof typeof names): Promise<void> {
  const value = await generators[names[kind]]()
  console.log(value)
  if (kind === 'backup') console.error(`BACKUP_PUBLIC_KEY: ${await identityToRecipient(value)}`)
  if (kind === 'relayer') console.error(`Its address: ${privateKeyToAddress(value as Hex)}`)
}
