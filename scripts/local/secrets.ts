/** The secrets of the local instance. Wrangler reads them from a file that git ignores. */
import { randomBytes } from 'node:crypto'
import { appendFile, readFile } from 'node:fs/promises'
import { generateSigningKey } from '../../src/auth/tokens.ts'
import { transferSigner } from '../catalogue/demo.ts'
import { privateKeyOf } from '../chain/accounts.ts'

const generators: Record<string, () => Promise<string>> = {
  JWT_KEYS: async () => JSON.stringify({ keys: [await generateSigningKey()] }),
  TRANSFER_SIGNER_KEYS: async () => privateKeyOf(transferSigner),
  DELIVERY_KEY_SECRET: async () => randomBytes(32).toString('hex'),
}

/** Appends the secrets that the file lacks, and returns their names. */
export async function addMissingSecrets(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const missing = Object.entries(generators).filter(
    ([name]) => !new RegExp(`^${name}=`, 'm').test(text),
  )
  if (missing.length === 0) return []
  const lines = missing.map(async ([name, generate]) => `${name}='${await generate()}'\n`)
  const added = (await Promise.all(lines)).join('')
  await appendFile(file, text && !text.endsWith('\n') ? `\n${added}` : added, { mode: 0o600 })
  return missing.map(([name]) => name)
}
