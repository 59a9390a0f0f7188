/** `npm run --silent keys`: prints a new value for one of the secrets, and nothing else. */
import { existsSync, readFileSync } from 'node:fs'
import { identityToRecipient } from 'age-encryption'
import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { publicKeySet } from '../../src/env.ts'
import { CommandError, defineCommand, start, UsageError } from '../shell/command.ts'
import { generators } from './keys/generate.ts'

const names = {
  jwt: 'JWT_KEYS',
  proof: 'PROOF_KEYS',
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
      proof: 'A value of PROOF_KEYS, with the keys of `--retired` behind the new one.',
      delivery: 'A value of DELIVERY_KEY_SECRET.',
      relayer: 'A value of TRANSFER_SIGNER_KEYS: the private key of a new account.',
      backup: 'A value of BACKUP_KEY, with which backups are read.',
    },
    options: {
      retired: {
        value: 'FILE',
        help: 'For proof: the keys until now, as /.well-known/proof-jwks.json has them.',
      },
    },
    example: 'npm run --silent keys -- jwt > jwt-keys.json',
  },
  async ({ retired }, action) => {
    if (retired !== undefined && action !== 'proof') throw new UsageError('--retired is for proof.')
    const value = await generators[names[action]]()
    console.log(retired === undefined ? value : retireKeys(value, retired))
    if (action === 'backup') console.error(`BACKUP_PUBLIC_KEY: ${await identityToRecipient(value)}`)
    if (action === 'relayer') console.error(`Its address: ${privateKeyToAddress(value as Hex)}`)
  },
)

/**
 * Returns a value of PROOF_KEYS with the public keys of a file behind its own. Private keys of the
 * file are left out: nothing is signed with them any more. Throws a `CommandError`.
 */
function retireKeys(value: string, file: string): string {
  const { keys } = JSON.parse(value)
  if (!existsSync(file)) throw new CommandError(`There is no file ${file}.`)
  try {
    const retired = publicKeySet.parse(JSON.parse(readFileSync(file, 'utf8'))).keys
    return JSON.stringify({ keys: [...keys, ...retired] })
  } catch {
    throw new CommandError(
      `${file} is not a set of public keys, as /.well-known/proof-jwks.json is.`,
    )
  }
}

if (import.meta.main) await start(command)
