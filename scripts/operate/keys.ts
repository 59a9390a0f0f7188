/** `npm run --silent keys`: prints a new value for one of the secrets, and nothing else. */
import { identityToRecipient } from 'age-encryption'
import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { defineCommand, start } from '../shell/command.ts'
import { generators } from './keys/generate.ts'

const names = {
  jwt: 'JWT_KEYS',
  delivery: 'DELIVERY_KEY_SECRET',
  relayer: 'TRANSFER_SIGNER_KEYS',
  backup: 'BACKUP_KEY',
} as const

export const command = defineCommand(
  {
    name: 'npm run --silent keys',
    purpose:
      'Prints a new value for a secret, and nothing else; for a relayer also its address, for backups also the public key, as an error message.',
    actions: {
      jwt: 'A value of JWT_KEYS.',
      delivery: 'A value of DELIVERY_KEY_SECRET.',
      relayer: 'A value of TRANSFER_SIGNER_KEYS: the private key of a new account.',
      backup: 'A value of BACKUP_KEY, with which backups are read.',
    },
    example: 'npm run --silent keys -- jwt > jwt-keys.json',
  },
  async (_, action) => {
    const value = await generators[names[action]]()
    console.log(value)
    if (action === 'backup') console.error(`BACKUP_PUBLIC_KEY: ${await identityToRecipient(value)}`)
    if (action === 'relayer') console.error(`Its address: ${privateKeyToAddress(value as Hex)}`)
  },
)

if (import.meta.main) await start(command)
