import { readFileSync } from 'node:fs'
import { publicKeySet } from '../../../src/env.ts'
import { CommandError } from '../../shell/command.ts'

/**
 * Returns a value of PROOF_KEYS with the public keys of a file behind its own. Private keys of the
 * file are left out: nothing is signed with them any more. Throws a `CommandError`.
 */
export function retireKeys(value: string, file: string): string {
  const { keys } = JSON.parse(value)
  try {
    const retired = publicKeySet.parse(JSON.parse(readFileSync(file, 'utf8'))).keys
    return JSON.stringify({ keys: [...keys, ...retired] })
  } catch {
    throw new CommandError(
      `${file} is not a set of public keys, as /.well-known/proof-jwks.json is.`,
    )
  }
}
