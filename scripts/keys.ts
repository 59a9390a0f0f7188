/** `npm run --silent keys`: prints a new value for one of the secrets, and nothing else. */
import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { generators } from './keys/generate.ts'
import { defineCommand, start } from './shell/command.ts'

const names = {
  jwt: 'JWT_KEYS',
  delivery: 'DELIVERY_KEY_SECRET',
  relayer: 'TRANSFER_SIGNER_KEYS',
} as const

export const command = defineCommand(
  {
    name: 'npm run --silent keys',
    purpose:
      'Prints a new value for a secret, and nothing else; for a relayer also its address, as an error message.',
    actions: {
      jwt: 'A value of JWT_KEYS.',
      delivery: 'A value of DELIVERY_KEY_SECRET.',
      relayer: 'A value of TRANSFER_SIGNER_KEYS: the private key of a new account.',
    },
    example: 'npm run --silent keys -- jwt > jwt-keys.json',
  },
  async (_options, action) => {
    const value = await generators[names[action]]()
    console.log(value)
    if (action === 'relayer') console.error(`Its address: ${privateKeyToAddress(value as Hex)}`)
  },
)

if (import.meta.main) await start(command)
